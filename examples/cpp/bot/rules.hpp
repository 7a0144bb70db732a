// The rules of Gothello on a 5x5 board.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gothello_client.hpp"  // Side

constexpr int SIZE = 5, POINTS = SIZE * SIZE;
constexpr char EMPTY = '.';

Side opponent_of(Side side);

// Points are numbers in reading order: a5 is 0, b5 is 1, ... e5 is 4, a4 is 5, ... e1 is 24.
std::string name_of(int point);                 // 12 -> "c3"
int point_of(const std::string &name);          // "c3" -> 12, or -1
const std::vector<int> &neighbours(int point);  // the two to four points next to it

struct Board {
    std::array<char, POINTS> at;  // 'b', 'w' or '.' on each point

    Board() { at.fill(EMPTY); }
    bool is_legal(Side side, int point) const;
    std::vector<int> legal_points(Side side) const;
    Board after_move(Side side, int point) const;  // `point` must be legal
    int count(char stone) const;
    int lead(Side side) const;       // own stones minus the opponent's
    int liberties(Side side) const;  // empty points next to a stone of the side
};
