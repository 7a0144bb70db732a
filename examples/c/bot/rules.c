#include "rules.h"

#include <string.h>

Board empty_board(void)
{
    Board board;
    memset(board.at, EMPTY, POINTS);
    return board;
}

char opponent_of(char side) { return side == 'b' ? 'w' : 'b'; }

int neighbours(int point, int beside[4])
{
    int n = 0, column = point % SIZE, row = point / SIZE;
    if (column > 0) beside[n++] = point - 1;
    if (column < SIZE - 1) beside[n++] = point + 1;
    if (row > 0) beside[n++] = point - SIZE;
    if (row < SIZE - 1) beside[n++] = point + SIZE;
    return n;
}

/* Marks the group of stones at `point`. Returns whether the group has a liberty: an empty point next to it. */
static bool mark_group(const Board *board, int point, bool marked[POINTS])
{
    int beside[4], n = neighbours(point, beside);
    bool liberty = false;
    marked[point] = true;
    for (int i = 0; i < n; i++) {
        char stone = board->at[beside[i]];
        if (stone == EMPTY) liberty = true;
        if (stone == board->at[point] && !marked[beside[i]] && mark_group(board, beside[i], marked)) liberty = true;
    }
    return liberty;
}

/* A stone may go on an empty point if its group then has a liberty. This is judged BEFORE captures: a stone without a
 * liberty is illegal even if it would capture. */
bool is_legal(const Board *board, char side, int point)
{
    bool marked[POINTS] = {false};
    if (board->at[point] != EMPTY) return false;
    Board with_stone = *board;
    with_stone.at[point] = side;
    return mark_group(&with_stone, point, marked);
}

int legal_points(const Board *board, char side, int points[POINTS])
{
    int n = 0;
    for (int point = 0; point < POINTS; point++)
        if (is_legal(board, side, point)) points[n++] = point;
    return n;
}

/* Opposing groups next to the new stone that have lost their last liberty change colour. All groups are judged on the
 * board as it was before any of them changed. */
Board after_move(const Board *board, char side, int point)
{
    int beside[4], n = neighbours(point, beside);
    Board with_stone = *board;
    with_stone.at[point] = side;
    Board after = with_stone;
    for (int i = 0; i < n; i++) {
        bool marked[POINTS] = {false};
        if (with_stone.at[beside[i]] != opponent_of(side) || mark_group(&with_stone, beside[i], marked)) continue;
        for (int p = 0; p < POINTS; p++)
            if (marked[p]) after.at[p] = side;
    }
    return after;
}

int count(const Board *board, char stone)
{
    int n = 0;
    for (int point = 0; point < POINTS; point++) n += board->at[point] == stone;
    return n;
}

int liberties(const Board *board, char side)
{
    int total = 0;
    for (int point = 0; point < POINTS; point++) {
        int beside[4], own = 0;
        for (int i = neighbours(point, beside); i-- > 0;) own += board->at[beside[i]] == side;
        total += board->at[point] == EMPTY && own > 0;
    }
    return total;
}

int lead(const Board *board, char side) { return count(board, side) - count(board, opponent_of(side)); }

int point_of(const char *name)
{
    int column = name[0] - 'a', row = name[0] ? '5' - name[1] : -1;
    return column >= 0 && column < SIZE && row >= 0 && row < SIZE ? row * SIZE + column : -1;
}

void name_of(int point, char name[3])
{
    name[0] = (char)('a' + point % SIZE);
    name[1] = (char)('5' - point / SIZE);
    name[2] = '\0';
}
