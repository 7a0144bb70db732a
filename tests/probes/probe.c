/* A bot that passes, and tries in the way that its first argument names to use up or get at what is not its own.
 *
 *     probe MODE SIDE HOST PORT [DECOY]
 *
 * What it got at goes to stderr as "reached WHAT", what it could not as "refused WHAT". Each mode is bounded in time,
 * number and size, and attacks nothing but the decoy that it is given, which the test has made. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static const char *decoy = "";

static void tell(int reached, const char *what) {
    fprintf(stderr, "%s %s (%s)\n", reached ? "reached" : "refused", what, reached ? "yes" : strerror(errno));
}

static struct sockaddr_in address(const char *host, int port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &at.sin_addr);
    return at;
}

static int dial(const char *host, int port, int protocol) {
    struct sockaddr_in at = address(host, port);
    int s = socket(AF_INET, SOCK_STREAM, protocol);
    if (s >= 0 && connect(s, (struct sockaddr *)&at, sizeof at) == 0)
        return s;
    if (s >= 0) {
        int why = errno;
        close(s);
        errno = why;
    }
    return -1;
}

/* Sleeps for some seconds, whatever signals come. */
static void linger(int seconds) {
    for (time_t end = time(NULL) + seconds; time(NULL) < end;)
        usleep(50000);
}

static void burn(int seconds) {
    for (time_t end = time(NULL) + seconds; time(NULL) < end;)
        for (volatile int i = 0; i < 1000000; i++)
            ;
}

static void allocate(void) {
    enum { PIECE = 16 << 20 };
    for (long got = 0; got < 2048L << 20; got += PIECE) {
        char *piece = malloc(PIECE);
        if (!piece)
            break;
        memset(piece, 1, PIECE);
    }
    linger(10);
}

static void multiply(void) {
    for (int i = 0; i < 400; i++) {
        pid_t child = fork();
        if (child < 0)
            break;
        if (child == 0) {
            linger(10);
            _exit(0);
        }
    }
    linger(10);
}

static void fill(void) {
    char path[4096], piece[1 << 16];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/fill", dir ? dir : "/nowhere");
    memset(piece, 1, sizeof piece);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    for (long wrote = 0; file >= 0 && wrote < 512L << 20; wrote += sizeof piece)
        if (write(file, piece, sizeof piece) < 0)
            break;
    linger(10);
}

/* Goes into the background, in a session of its own, deaf to SIGTERM and SIGHUP. */
static void leave(void) {
    if (fork() == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        if (fork() == 0) {
            linger(20);
            _exit(0);
        }
        _exit(0);
    }
}

static void read_decoy(void) {
    int file = open(decoy, O_RDONLY);
    tell(file >= 0, "the file");
    file = open(decoy, O_WRONLY | O_APPEND);
    tell(file >= 0, "the file for writing");
    file = open("/etc/gothello-probe", O_CREAT | O_WRONLY, 0600);
    tell(file >= 0, "the system for writing");
    if (file >= 0)
        unlink("/etc/gothello-probe");
}

static void attack_decoy(void) {
    pid_t pid = atoi(decoy);
    char path[64];
    tell(kill(pid, 0) == 0 && kill(pid, SIGKILL) == 0, "the process by a signal");
    tell(ptrace(PTRACE_SEIZE, pid, 0, 0) == 0, "the process by ptrace");
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    tell(open(path, O_RDONLY) >= 0, "the process by /proc");
}

/* The decoy is a port of the host's own loopback, where a TCP and a UDP socket and an abstract one listen. */
static void reach_decoy(void) {
    int port = atoi(decoy);
    struct sockaddr_in at = address("127.0.0.1", port);
    tell(dial("127.0.0.1", port, 0) >= 0, "the listener by TCP");
    tell(dial("127.0.0.1", port, IPPROTO_MPTCP) >= 0, "the listener by MPTCP");
    int s = socket(AF_INET, SOCK_STREAM, 0);
    tell(sendto(s, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&at, sizeof at) >= 0, "the listener by fast open");
    s = socket(AF_INET, SOCK_DGRAM, 0);
    /* A datagram goes out whoever listens; an answer shows that somebody did. */
    struct timeval patience = {.tv_usec = 300000};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char answer[8];
    int said = connect(s, (struct sockaddr *)&at, sizeof at) == 0 && send(s, "x", 1, 0) == 1;
    tell(said && recv(s, answer, sizeof answer, 0) > 0, "the listener by UDP");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "gothello-probe-%d", port);
    s = socket(AF_UNIX, SOCK_STREAM, 0);
    tell(connect(s, (struct sockaddr *)&name, sizeof(sa_family_t) + 1 + length) == 0, "the abstract socket");
    /* Other seats, as they are outside confinement. */
    int others = 0;
    for (int server = 1; server < 30; server++)
        others += dial("127.0.0.1", 29068 + server, 0) >= 0;
    tell(others > 0, "other seats");
}

static void connect_often(const char *host, int port) {
    for (int i = 0; i < 10000; i++) {
        int s = dial(host, port, 0);
        if (s >= 0)
            close(s);
    }
}

static void shout(void) {
    char line[1024];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 2048; i++)
        if (write(1 + i % 2, line, sizeof line) < 0)
            break;
}

static void change_itself(const char *path) {
    int file = open(path, O_WRONLY | O_APPEND);
    tell(file >= 0 && write(file, "x", 1) == 1, "its own program");
}

static long cpu_millis(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void burn_millis(long millis) {
    for (long end = cpu_millis() + millis; cpu_millis() < end;)
        ;
}

/* Burns that many milliseconds of CPU time in each of two children, one after the other's end. */
static void think(long millis) {
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn_millis(millis);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

/* Burns for as long as the process lives, a minute at most. */
static void *ponder(void *unused) {
    burn_millis(60000);
    return unused;
}

static void tell_cpus(void) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            fprintf(stderr, "cpu %d\n", cpu);
}

static int is(const char *mode, const char *name) { return strcmp(mode, name) == 0; }

int main(int argc, char **argv) {
    if (argc < 5)
        return 2;
    const char *mode = argv[1], *side = argv[2], *host = argv[3];
    int port = atoi(argv[4]), black = is(side, "black");
    if (argc > 5)
        decoy = argv[5];
    signal(SIGPIPE, SIG_IGN);
    if (is(mode, "deaf"))
        signal(SIGTERM, SIG_IGN);
    if (is(mode, "connections"))
        connect_often(host, port);
    int referee = dial(host, port, 0);
    if (referee < 0)
        return 3;
    dprintf(referee, "0.9.1 player %s\r\n", side);
    FILE *lines = fdopen(dup(referee), "r");
    char line[4096];
    int number = 1, begun = 0;
    long waited_since = 0, pondered = 0;
    while (fgets(line, sizeof line, lines)) {
        int code = atoi(line), mine = black ? code == 311 || code == 313 || code == 315 || code == 317
                                             : code == 312 || code == 314 || code == 316 || code == 318;
        if (!begun && (code == 351 || code == 352)) {
            begun = 1;
            if (is(mode, "memory"))
                allocate();
            else if (is(mode, "processes"))
                multiply();
            else if (is(mode, "scratch"))
                fill();
            else if (is(mode, "cpu"))
                burn(5);
            else if (is(mode, "leave"))
                leave();
            else if (is(mode, "hang")) {
                leave();
                linger(20);
            } else if (is(mode, "read"))
                read_decoy();
            else if (is(mode, "attack"))
                attack_decoy();
            else if (is(mode, "reach"))
                reach_decoy();
            else if (is(mode, "shout"))
                shout();
            else if (is(mode, "change"))
                change_itself(argv[0]);
            else if (is(mode, "cpus"))
                tell_cpus();
            else if (is(mode, "ponder")) {
                pthread_t thread;
                pthread_create(&thread, NULL, ponder, NULL);
            }
        }
        if (mine)
            number++;
        if ((code >= 321 && code <= 328) || code == 361 || code == 362 || (code > 200 && code < 230 && code != 207))
            break;
        if (code == 352 || (code >= 311 && code <= 318 && !mine)) {
            if (waited_since)
                pondered += cpu_millis() - waited_since;
            if (is(mode, "think"))
                think(atol(decoy));
            else if (is(mode, "doze"))
                usleep(atol(decoy) * 1000);
            waited_since = cpu_millis();
            dprintf(referee, black ? "%d pass\r\n" : "%d ... pass\r\n", number);
        }
    }
    if (is(mode, "ponder"))
        fprintf(stderr, "pondered %ld ms\n", pondered);
    if (is(mode, "deaf"))
        linger(20);
    return 0;
}
