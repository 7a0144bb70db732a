/* A Gothello bot. `evaluate` is the place for your own ideas; the rest can stay as it is.
 *
 *     ./bot SIDE HOST PORT      for example: ./bot black localhost 29068
 *     ./bot SIDE --stdio        the referee is at stdin and stdout
 *
 * Print debug output to stderr: the arena keeps it with the log of the game. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gothello_client.h"
#include "rules.h"

enum {
    DEPTH = 2,     /* how many moves to look ahead, unless the clock gives time for each move */
    FURTHEST = 50, /* more moves than any game has */
    NO_POINT = -1,
    WON = 1000,
    INFINITY_SCORE = 100000,
};

/* How good the board is for `side`, which is to move: the bot looks for moves that lead to high values.
 *
 * YOUR IDEA GOES HERE. So far a stone is worth 2, and an empty point next to a stone (a liberty) 1. Which stones can
 * never be captured again? Which points can only one side play on? README.md has a first idea to try. */
static int evaluate(const Board *board, char side)
{
    return 2 * lead(board, side) + liberties(board, side) - liberties(board, opponent_of(side));
}

/* --- The search. --- */

static double deadline; /* of our turn, in seconds, on the clock of now() */
static int furthest;    /* how many moves to look ahead in our turn; fewer at the deadline */
static bool late;       /* the deadline has passed, so the search's result is meaningless */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The value of the board for `side`, which is to move, looking `depth` moves ahead (negamax with alpha-beta). In the
 * search, a side passes only to win, or if no other move is legal. */
static int search(const Board *board, char side, int depth, bool passed, int alpha, int beta)
{
    int points[POINTS];
    int margin = lead(board, side);
    if (passed && margin > 0) return WON + margin; /* a second pass ends the game and wins it */
    if (depth == 0) return evaluate(board, side);
    if (now() > deadline) late = true;
    int n = legal_points(board, side, points);
    if (n == 0 && passed) return margin == 0 ? 0 : margin - WON;
    if (n == 0) return -search(board, opponent_of(side), depth - 1, true, -beta, -alpha);
    for (int i = 0; i < n && alpha < beta && !late; i++) {
        Board after = after_move(board, side, points[i]);
        int score = -search(&after, opponent_of(side), depth - 1, false, -beta, -alpha);
        if (score > alpha) alpha = score;
    }
    return alpha;
}

/* The index of the best of `points`, looking `depth` moves ahead, or the first of equally good points. Also sets its
 * `value`. */
static int best_of(const Board *board, char side, const int points[], int n, int depth, int *value)
{
    int best = 0, alpha = -INFINITY_SCORE;
    for (int i = 0; i < n && !late; i++) {
        Board after = after_move(board, side, points[i]);
        int score = -search(&after, opponent_of(side), depth - 1, false, -INFINITY_SCORE, -alpha);
        if (score > alpha && !late) alpha = score, best = i;
    }
    *value = alpha;
    return best;
}

/* Reports what the bot thinks of its position. The arena stores this claim next to the exact value. */
static void think(int value, int depth, int point)
{
    char name[3];
    double points = value / 2.0;                  /* `evaluate` counts 2 for a stone */
    if (value > WON / 2) points = value - WON;    /* the search has seen the end of the game */
    if (value < -WON / 2) points = value + WON;
    name_of(point, name);
    fprintf(stderr, "#think value=%+.1f depth=%d pv=%s\n", points, depth, name);
}

static void shuffle(int points[], int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = rand() % (i + 1), point = points[i];
        points[i] = points[j];
        points[j] = point;
    }
}

static void move_to_front(int points[], int index)
{
    int point = points[index];
    memmove(points + 1, points, (size_t)index * sizeof *points);
    points[0] = point;
}

/* The point to play on, or NO_POINT for a pass. The referee has refused the points in `refused` this turn. */
static int choose(const Board *board, char side, bool passed, const bool refused[POINTS])
{
    int points[POINTS], n = 0;
    if (passed && lead(board, side) > 0) return NO_POINT; /* a second pass ends the game and wins it */
    for (int point = 0; point < POINTS; point++)
        if (is_legal(board, side, point) && !refused[point]) points[n++] = point;
    if (n == 0) return NO_POINT;
    shuffle(points, n); /* so that equally good points are equally likely */
    int found = 0, searched = 0;
    late = false;
    for (int depth = 1; depth <= furthest && !late; depth++) { /* the shallow search first: there is always a move */
        int value, best = best_of(board, side, points, n, depth, &value);
        if (late) break;
        move_to_front(points, best); /* with a good move first, the deeper search skips more */
        found = value, searched = depth;
    }
    if (searched > 0) think(found, searched, points[0]);
    return points[0];
}

/* --- The game. --- */

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* Decides how long to think about our move, and how many moves to look ahead. */
static void plan_turn(const Client *client)
{
    /* Each side has at most about 20 moves in a game, so a move gets a twentieth of the time for the whole game, and
     * 3/4 of the time for each move. The rest, and a bank, is for delays, such as a busy machine. */
    TimeControl control = gothello_time_control(client);
    double left = gothello_my_time(client); /* we lose on time after `left` seconds */
    double seconds = left == NO_CLOCK ? 1 : left / 20;
    furthest = FURTHEST;
    if (control.move_time > 0) {
        seconds = 0.75 * control.move_time;
    } else if (control.periods > 0) { /* the main time is used up first; a period that is not exceeded comes back */
        seconds = larger((left - control.periods * control.period) / 20, 0.75 * control.period);
    } else if (control.increment > 0) {
        seconds = smaller(left / 20 + 0.75 * control.increment, 0.75 * left);
    } else {
        furthest = DEPTH;
    }
    deadline = now() + seconds;
}

/* Makes our move, also on the board. If the referee refuses it, tries another one. */
static Reply take_turn(Client *client, Board *board, bool passed)
{
    bool refused[POINTS] = {false};
    char me = gothello_side(client), name[3];
    plan_turn(client);
    for (;;) {
        int point = choose(board, me, passed, refused);
        if (point == NO_POINT) break;
        name_of(point, name);
        Reply reply = gothello_play(client, name);
        if (reply == ACCEPTED) *board = after_move(board, me, point);
        if (reply != REFUSED) return reply;
        fprintf(stderr, "%s was refused: %s\n", name, gothello_text(client));
        refused[point] = true;
    }
    Reply reply = gothello_pass(client);
    return reply == REFUSED ? gothello_resign(client) : reply; /* a pass is always legal, so it is never refused */
}

static void play(Client *client)
{
    Board board = empty_board();
    char me = gothello_side(client), to_move = BLACK;
    bool passed = false;
    for (;; to_move = opponent_of(to_move)) {
        if (to_move == me && gothello_told(client) == 0) { /* an opening may contain moves of ours */
            if (take_turn(client, &board, passed) == ENDED) return;
            to_move = opponent_of(me);
        }
        Event event = gothello_next(client);
        if (event.kind == GAME_OVER) return;
        passed = event.kind == PASS;
        if (event.kind == MOVE) board = after_move(&board, to_move, point_of(event.point));
    }
}

int main(int argc, char **argv)
{
    const char *seed = getenv("GOTHELLO_SEED");
    srand(seed ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)time(NULL));
    const char *name = getenv("GOTHELLO_NAME"); /* the arena sets both */
    Client *client;
    if (!name) name = "";
    if (argc == 3 && strcmp(argv[2], "--stdio") == 0) {
        client = gothello_stdio(argv[1], name);
    } else if (argc == 4) {
        client = gothello_connect(argv[1], argv[2], atoi(argv[3]), name);
    } else {
        fprintf(stderr, "usage: bot SIDE HOST PORT, or bot SIDE --stdio\n");
        return 2;
    }
    play(client);
    fprintf(stderr, "%s\n", gothello_text(client));
    gothello_close(client);
    return 0;
}
