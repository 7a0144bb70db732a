/* A bot that plays a fixed game without thinking.
 *
 *     player SIDE HOST PORT SESSION MOVES...
 *
 * SESSION is `own` to play in a new session, as a confined bot does anyway, and `given` to play in the session in which
 * it is started. It can be followed by a colon and the number of microseconds for which the bot thinks before each of
 * its moves. MOVES are those of both sides, black's first. For each of its own moves, the bot prints on stderr how many
 * nanoseconds passed from just before it sent the line until the answer had arrived. */

#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[4096];
static int held;

/* Reads to the end of the next line, and returns its code. */
static int hear(int fd) {
    char *end;
    while (!(end = memchr(buffer, '\n', held))) {
        int got = read(fd, buffer + held, sizeof buffer - held);
        if (got <= 0) exit(1);
        held += got;
    }
    int code = atoi(buffer), length = end + 1 - buffer;
    memmove(buffer, end + 1, held -= length);
    return code;
}

static void say(int fd, const char *line) {
    if (write(fd, line, strlen(line)) < 0) exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv) {
    char line[64], text[8192] = "";
    int yes = 1, written = 0;
    if (argc < 6) return 2;
    char *thinks = strchr(argv[4], ':');
    if (strncmp(argv[4], "own", 3) == 0) {
        /* The bot is started as the leader of a process group, and such a process cannot create a session. */
        if (fork() > 0) return wait(NULL) < 0;
        setsid();
    }
    int black = strcmp(argv[1], "black") == 0;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[3]))};
    inet_pton(AF_INET, argv[2], &at.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0) return 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    while (hear(fd) != 0) {}
    snprintf(line, sizeof line, "0.9.1 player %s\r", argv[1]);
    say(fd, line);
    for (int code = 0; code / 10 != 35;) code = hear(fd);
    for (int ply = 0; ply < argc - 5; ply++) {
        int mine = (ply % 2 == 0) == black, code = 0;
        if (mine && thinks) usleep(atoi(thinks + 1));
        long long start = now();
        if (mine) {
            snprintf(line, sizeof line, "%d %s%s\r", ply / 2 + 1, black ? "" : "... ", argv[5 + ply]);
            say(fd, line);
        }
        if (ply == argc - 6) break; /* the game is over */
        while (code / 10 != 31) code = hear(fd); /* a move of either side */
        if (mine) written += snprintf(text + written, sizeof text - written, "%lld\n", now() - start);
    }
    fputs(text, stderr);
    while (read(fd, buffer, sizeof buffer) > 0) {}
    return 0;
}
