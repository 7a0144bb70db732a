/* A Gothello player to start from, in C99 with POSIX sockets.
 *
 *     cc -std=c99 -O2 -o starter starter.c
 *     ./starter SIDE HOST SERVER        for example: ./starter black localhost 0
 *
 * It captures as many stones as it can, and otherwise plays anywhere. Improve choose(); the rest may stay as it is. */

#define _POSIX_C_SOURCE 200112L
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 5, POINTS = SIZE * SIZE, PASS = -1 };

/* A board: '.', 'b' or 'w' on each point; a1 is 0, b1 is 1, a2 is 5. */
typedef struct { char at[POINTS]; } Board;

/* --- The rules. --- */
static char opponent(char stone) { return stone == 'b' ? 'w' : 'b'; }

/* Fills beside[] with the two to four points next to a point and returns how many there are. */
static int neighbours(int point, int beside[4]) {
    int n = 0, file = point % SIZE, rank = point / SIZE;
    if (file > 0) beside[n++] = point - 1;
    if (file < SIZE - 1) beside[n++] = point + 1;
    if (rank > 0) beside[n++] = point - SIZE;
    if (rank < SIZE - 1) beside[n++] = point + SIZE;
    return n;
}

/* Marks the group of stones at a point; returns whether the group touches an empty point (a liberty). */
static int mark_group(const Board *board, int point, char marked[POINTS]) {
    int beside[4], n = neighbours(point, beside), liberty = 0;
    marked[point] = 1;
    for (int i = 0; i < n; i++) {
        int stone = board->at[beside[i]];
        if (stone == '.') liberty = 1;
        if (stone == board->at[point] && !marked[beside[i]]) liberty |= mark_group(board, beside[i], marked);
    }
    return liberty;
}

/* Whether a stone may go on a point: it must be empty, and the stone's group must have a liberty before captures. */
static int is_legal(Board board, char stone, int point) {
    char marked[POINTS] = {0};
    if (board.at[point] != '.') return 0;
    board.at[point] = stone; /* a copy */
    return mark_group(&board, point, marked);
}

/* The board after a legal placement: groups next to it that lost their last liberty change colour. */
static Board place(Board board, char stone, int point) {
    int beside[4], n = neighbours(point, beside);
    board.at[point] = stone;
    Board after = board;
    for (int i = 0; i < n; i++) {
        char marked[POINTS] = {0};
        if (board.at[beside[i]] != opponent(stone) || mark_group(&board, beside[i], marked)) continue;
        for (int p = 0; p < POINTS; p++)
            if (marked[p]) after.at[p] = stone;
    }
    return after;
}

static int count(const Board *board, char stone) {
    int n = 0;
    for (int p = 0; p < POINTS; p++) n += board->at[p] == stone;
    return n;
}

/* --- The thinking. --- */
/* The point to play on, or PASS. You may pass at any time; two passes in a row end the game. */
static int choose(const Board *board, char me, int opponent_passed) {
    int best = PASS, most = -1, equals = 0;
    if (opponent_passed && count(board, me) > count(board, opponent(me))) return PASS; /* we have won */
    /* YOUR IDEA GOES HERE. This one looks one move ahead and counts its stones. What will the opponent answer? Which
     * groups have an eye (an empty point that the opponent may never take) and so are safe? Would a pass be better? */
    for (int p = 0; p < POINTS; p++) {
        if (!is_legal(*board, me, p)) continue;
        Board after = place(*board, me, p);
        int stones = count(&after, me);
        if (stones > most) most = stones, best = p, equals = 1;
        else if (stones == most && rand() % ++equals == 0) best = p; /* equally good points are equally likely */
    }
    return best;
}

/* --- The protocol: lines that begin with a three-digit code. --- */
static void fail(const char *what) {
    fprintf(stderr, "starter: %s\n", what);
    exit(1);
}

static int connect_to(const char *host, int server) {
    char port[16];
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *address;
    int yes = 1;
    snprintf(port, sizeof port, "%d", 29068 + server);
    if (getaddrinfo(host, port, &hints, &address) != 0) fail("unknown host");
    int fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
    if (fd < 0 || connect(fd, address->ai_addr, address->ai_addrlen) != 0) fail("cannot connect");
    freeaddrinfo(address);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* our clock runs until the line arrives */
    return fd;
}

int main(int argc, char **argv) {
    char line[1024], word[16], me = '.';
    int plies = 0, passed = 0;
    Board board;
    if (argc != 4) fail("usage: starter SIDE HOST SERVER");
    const char *seed = getenv("GOTHELLO_SEED"); /* the arena sets it, so that games can be repeated */
    srand(seed ? (unsigned)strtoull(seed, NULL, 10) : (unsigned)time(NULL));
    memset(board.at, '.', POINTS);
    int fd = connect_to(argv[2], atoi(argv[3]));
    FILE *in = fdopen(fd, "r");
    while (in && fgets(line, sizeof line, in)) {
        char answer[64] = "";
        int our_turn = 0, code = atoi(line), number;
        if (code == 0) snprintf(answer, sizeof answer, "0.9.1 player %.10s\r", argv[1]); /* greeting */
        else if (code == 351) me = 'w';
        else if (code == 352) me = 'b', our_turn = 1; /* the game begins; black moves first */
        else if (code >= 311 && code <= 318) { /* a move, by black if the code is odd: "311 1 c3", "312 1 ... d4" */
            char mover = code % 2 ? 'b' : 'w';
            if (sscanf(line, code % 2 ? "%*d %d %15s" : "%*d %d ... %15s", &number, word) != 2) fail(line);
            passed = strcmp(word, "pass") == 0;
            if (!passed) board = place(board, mover, (word[1] - '1') * SIZE + word[0] - 'a');
            plies++;
            our_turn = mover != me;
        } else if ((code >= 201 && code <= 204) || code / 10 == 32 || code / 10 == 36 || code / 10 == 39)
            return 0; /* the result */
        else if (code / 10 == 19 || code / 10 == 29) fail(line); /* no seat, or a move refused */
        if (our_turn) {
            int p = choose(&board, me, passed);
            snprintf(word, sizeof word, p == PASS ? "pass" : "%c%c", 'a' + p % SIZE, '1' + p / SIZE);
            snprintf(answer, sizeof answer, "%d %s%s\r", plies / 2 + 1, me == 'w' ? "... " : "", word);
        }
        if (write(fd, answer, strlen(answer)) < 0) fail("the referee is gone");
    }
    fail("the referee closed the connection in the middle of the game");
}
