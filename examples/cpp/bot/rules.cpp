#include "rules.hpp"

#include <algorithm>
#include <bitset>

using Group = std::bitset<POINTS>;

Side opponent_of(Side side) { return side == Side::black ? Side::white : Side::black; }

std::string name_of(int point) { return {static_cast<char>('a' + point % SIZE), static_cast<char>('5' - point / SIZE)}; }

int point_of(const std::string &name)
{
    if (name.size() != 2) return -1;
    const int column = name[0] - 'a', row = '5' - name[1];
    return column >= 0 && column < SIZE && row >= 0 && row < SIZE ? row * SIZE + column : -1;
}

const std::vector<int> &neighbours(int point)
{
    static const auto table = [] {
        std::array<std::vector<int>, POINTS> beside;
        for (int p = 0; p < POINTS; p++) {
            if (p % SIZE > 0) beside[p].push_back(p - 1);
            if (p % SIZE < SIZE - 1) beside[p].push_back(p + 1);
            if (p / SIZE > 0) beside[p].push_back(p - SIZE);
            if (p / SIZE < SIZE - 1) beside[p].push_back(p + SIZE);
        }
        return beside;
    }();
    return table[point];
}

// Adds the stones of the group at `point` to `group`. Returns whether it has a liberty: an empty point next to it.
static bool find_group(const Board &board, int point, Group &group)
{
    bool liberty = false;
    group.set(point);
    for (const int beside : neighbours(point)) {
        const char stone = board.at[beside];
        if (stone == EMPTY) liberty = true;
        if (stone == board.at[point] && !group[beside] && find_group(board, beside, group)) liberty = true;
    }
    return liberty;
}

// A stone may go on an empty point if its group then has a liberty. This is judged BEFORE captures: a stone without a
// liberty is illegal even if it would capture.
bool Board::is_legal(Side side, int point) const
{
    if (at[point] != EMPTY) return false;
    Board with_stone = *this;
    with_stone.at[point] = static_cast<char>(side);
    Group group;
    return find_group(with_stone, point, group);
}

std::vector<int> Board::legal_points(Side side) const
{
    std::vector<int> points;
    for (int point = 0; point < POINTS; point++)
        if (is_legal(side, point)) points.push_back(point);
    return points;
}

// Opposing groups next to the new stone that have lost their last liberty change colour.
Board Board::after_move(Side side, int point) const
{
    Board after = *this;
    after.at[point] = static_cast<char>(side);
    for (const int beside : neighbours(point)) {
        Group group;
        if (after.at[beside] != static_cast<char>(opponent_of(side)) || find_group(after, beside, group)) continue;
        for (int p = 0; p < POINTS; p++)
            if (group[p]) after.at[p] = static_cast<char>(side);
    }
    return after;
}

int Board::count(char stone) const { return static_cast<int>(std::count(at.begin(), at.end(), stone)); }

int Board::lead(Side side) const
{
    return count(static_cast<char>(side)) - count(static_cast<char>(opponent_of(side)));
}

int Board::liberties(Side side) const
{
    int total = 0;
    for (int point = 0; point < POINTS; point++) {
        const auto &beside = neighbours(point);
        const auto is_own = [&](int p) { return at[p] == static_cast<char>(side); };
        total += at[point] == EMPTY && std::any_of(beside.begin(), beside.end(), is_own);
    }
    return total;
}
