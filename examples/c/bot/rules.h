/* The rules of Gothello on a 5x5 board. */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>

enum { SIZE = 5, POINTS = SIZE * SIZE, EMPTY = '.' };

/* 'b', 'w' or '.' on each point, in reading order: a5 is 0, b5 is 1, ... e5 is 4, a4 is 5, ... e1 is 24. */
typedef struct { char at[POINTS]; } Board;

Board empty_board(void);
char opponent_of(char side);
bool is_legal(const Board *board, char side, int point);
int legal_points(const Board *board, char side, int points[POINTS]); /* fills `points`; returns how many */
Board after_move(const Board *board, char side, int point);          /* `point` must be legal */
int count(const Board *board, char stone);
int lead(const Board *board, char side);      /* own stones minus the opponent's */
int liberties(const Board *board, char side); /* empty points next to a stone of the side */

int point_of(const char *name);                                      /* "c3" -> 12, or -1 */
void name_of(int point, char name[3]);                               /* 12 -> "c3" */

/* The two to four points next to a point; returns how many. */
int neighbours(int point, int beside[4]);

#endif
