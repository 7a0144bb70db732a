/* Checks rules.c against positions whose answers are known: ./test_rules vectors.json
 *
 * A line is a JSON object of strings: a "board", the side "to_move", all "legal" points, and a "move", which leads to
 * the board "after". */
#include <stdio.h>
#include <string.h>

#include "rules.h"

/* Copies the string under `key`; the strings contain no escapes. */
static bool find(const char *line, const char *key, char *value, size_t size)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *begin = strstr(line, quoted), *end = NULL;
    if (begin) begin = strchr(begin + strlen(quoted), '"');
    if (begin) end = strchr(++begin, '"');
    if (!end || (size_t)(end - begin) >= size) return false;
    memcpy(value, begin, (size_t)(end - begin));
    value[end - begin] = '\0';
    return true;
}

/* Whether the rules agree with line `number`; prints the difference if they do not. */
static bool is_right(int number, const char *board_text, char side, const char *legal, const char *move, const char *after)
{
    Board board;
    char name[3];
    bool right = true;
    memcpy(board.at, board_text, POINTS);
    for (int point = 0; point < POINTS; point++) {
        name_of(point, name);
        bool expected = strstr(legal, name) != NULL;
        if (is_legal(&board, side, point) == expected) continue;
        printf("line %d: %s should be %s\n", number, name, expected ? "legal" : "illegal");
        right = false;
    }
    if (point_of(move) >= 0) board = after_move(&board, side, point_of(move)); /* otherwise it is a pass */
    if (memcmp(board.at, after, POINTS) != 0) {
        printf("line %d: the board after %s should be %s, but is %.*s\n", number, move, after, POINTS, board.at);
        right = false;
    }
    return right;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return fprintf(stderr, "usage: test_rules vectors.json\n"), 2;
    char line[512], board[32], to_move[8], legal[96], move[8], after[32];
    int positions = 0, wrong = 0;
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        if (!find(line, "board", board, sizeof board)) continue; /* a bracket */
        if (!find(line, "to_move", to_move, sizeof to_move) || !find(line, "legal", legal, sizeof legal) ||
            !find(line, "move", move, sizeof move) || !find(line, "after", after, sizeof after))
            return printf("line %d lacks a field\n", number), 1;
        positions++;
        wrong += !is_right(number, board, to_move[0], legal, move, after);
    }
    fclose(file);
    printf("%d positions, %d wrong\n", positions, wrong);
    return positions == 0 || wrong > 0;
}
