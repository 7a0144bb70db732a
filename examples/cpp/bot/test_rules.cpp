// Checks rules.cpp against positions whose answers are known: ./test_rules vectors.json
//
// A line is a JSON object of strings: a "board", the side "to_move", all "legal" points, and a "move", which leads to
// the board "after".
#include <algorithm>
#include <fstream>
#include <iostream>

#include "rules.hpp"

// The string under `key`; the strings contain no escapes.
static std::string value_of(const std::string &line, const std::string &key)
{
    const auto begin = line.find('"', line.find('"' + key + '"') + key.size() + 2) + 1;
    return line.substr(begin, line.find('"', begin) - begin);
}

// Whether the rules agree with a line; prints the difference if they do not.
static bool is_right(const std::string &line)
{
    const auto text = value_of(line, "board"), legal = value_of(line, "legal"), move = value_of(line, "move");
    const Side side = value_of(line, "to_move")[0] == 'b' ? Side::black : Side::white;
    Board board;
    std::copy_n(text.begin(), POINTS, board.at.begin());
    bool right = true;
    for (int point = 0; point < POINTS; point++) {
        const bool expected = legal.find(name_of(point)) != std::string::npos;
        if (board.is_legal(side, point) == expected) continue;
        std::cout << text << ": " << name_of(point) << " should be " << (expected ? "legal" : "illegal") << '\n';
        right = false;
    }
    if (point_of(move) >= 0) board = board.after_move(side, point_of(move));  // otherwise it is a pass
    const std::string after(board.at.begin(), board.at.end());
    if (after == value_of(line, "after")) return right;
    std::cout << text << ": " << move << " should lead to " << value_of(line, "after") << ", but leads to " << after << '\n';
    return false;
}

int main(int argc, char **argv)
{
    std::ifstream file(argc == 2 ? argv[1] : "");
    int positions = 0, wrong = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.find("\"board\"") == std::string::npos) continue;  // a bracket
        positions++;
        wrong += !is_right(line);
    }
    std::cout << positions << " positions, " << wrong << " wrong\n";
    return positions == 0 || wrong > 0;
}
