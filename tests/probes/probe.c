/* A bot that only passes, and misbehaves as MODE says: it fails, uses up resources, or tries to reach what is not its own.
 *
 *     probe MODE SIDE HOST PORT [DECOY]
 *
 * SIDE may be "?". The environment variable PROBE_NAME is the name for the hello. For every attempt, the probe prints "reached
 * WHAT" or "refused WHAT" to stderr. Every mode is bounded in time, number and size, and attacks nothing but DECOY, which the
 * test has made. MODES, near the end, lists the modes. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static const char *own_path, *side, *host, *decoy = "";
static int port, black;

/* The connection, once it is open, and the number of the next move. */
static int referee = -1, number = 1;

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

/* Sleeps for `seconds` seconds, whatever signals arrive. */
static void linger(int seconds) {
    for (time_t end = time(NULL) + seconds; time(NULL) < end;)
        usleep(50000);
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

/* Allocates a little, too little to exceed a limit on a single process. */
static void *allocate_some(void *unused) {
    enum { SOME = 24 << 20 };
    char *piece = malloc(SOME);
    if (piece)
        memset(piece, 1, SOME);
    linger(10);
    return piece ? piece : unused;
}

/* Forks children whose first thread ends, after which their stat files no longer show their memory. */
static void allocate_headless(void) {
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, allocate_some, NULL);
            pthread_exit(NULL);
        }
    linger(10);
}

/* The modes below hold memory that belongs to no process, piece by piece, up to 512 MiB. A refused piece is reported, and the
 * game goes on. */
enum { HELD = 512 << 20, HOLD = 8 << 20 };

static void hold(const char *what, int (*piece)(void)) {
    for (long held = 0; held < HELD; held += HOLD)
        if (!piece()) {
            tell(0, what);
            return;
        }
    linger(10);
}

/* Writes to a whole shared mapping and then gives its pages back, which does not free them. */
static int write_and_give_back(void *piece) {
    if (piece == MAP_FAILED)
        return 0;
    memset(piece, 1, HOLD);
    return madvise(piece, HOLD, MADV_DONTNEED) == 0;
}

static int share(void) { return write_and_give_back(mmap(NULL, HOLD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)); }

static void hold_shared(void) { hold("a shared mapping without a file", share); }

static int write_nameless(void) {
    static char piece[1 << 20];
    int file = memfd_create("probe", 0);
    memset(piece, 1, sizeof piece);
    for (int wrote = 0; file >= 0 && wrote < HOLD; wrote += sizeof piece)
        if (write(file, piece, sizeof piece) != sizeof piece)
            return 0;
    return file >= 0;
}

static void hold_written(void) { hold("a file without a name", write_nameless); }

static int map_nameless(void) {
    int file = memfd_create("probe", 0);
    if (file < 0 || ftruncate(file, HOLD) != 0)
        return 0;
    void *piece = mmap(NULL, HOLD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return write_and_give_back(piece);
}

static void hold_mapped(void) { hold("a mapped file without a name", map_nameless); }

static int detach(void) {
    int id = shmget(IPC_PRIVATE, HOLD, 0600);
    void *piece = id >= 0 ? shmat(id, NULL, 0) : (void *)-1;
    if (piece == (void *)-1)
        return 0;
    memset(piece, 1, HOLD);
    return shmdt(piece) == 0;
}

static void hold_detached(void) { hold("shared memory of System V", detach); }

/* A set takes 64 bytes per semaphore, about 2 MiB in total. */
static int make_semaphores(void) {
    for (int sets = 0; sets < 4; sets++)
        if (semget(IPC_PRIVATE, 32000, 0600) < 0)
            return 0;
    return 1;
}

static void hold_semaphores(void) { hold("semaphores of System V", make_semaphores); }

/* Maps /dev/zero, which makes a shared mapping without a file. */
static int share_zeros(void) {
    int zeros = open("/dev/zero", O_RDWR);
    if (zeros < 0)
        return 0;
    void *piece = mmap(NULL, HOLD, PROT_READ | PROT_WRITE, MAP_SHARED, zeros, 0);
    close(zeros);
    return write_and_give_back(piece);
}

static void hold_zeros(void) { hold("a shared mapping of /dev/zero", share_zeros); }

static void hold_in_sockets(void) {
    static char piece[1 << 16];
    int ends[2];
    while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0)
        for (int i = 0; i < 2; i++)
            while (write(ends[i], piece, sizeof piece) > 0)
                ;
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

/* Leaves a process in the background, in its own session, which ignores SIGTERM and SIGHUP. */
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

/* The decoys are files; their paths are separated by colons. If confinement failed to unmount the old root, that root would be
 * mounted over the bot's own, and only `..` would lead to it. */
static void read_decoys(void) {
    char paths[8192], above[8192];
    snprintf(paths, sizeof paths, "%s", decoy);
    for (char *path = strtok(paths, ":"); path; path = strtok(NULL, ":")) {
        tell(open(path, O_RDONLY) >= 0, path);
        snprintf(above, sizeof above, "/..%s", path);
        tell(open(above, O_RDONLY) >= 0, above);
        tell(open(path, O_WRONLY | O_APPEND) >= 0, "it for writing");
    }
    int file = open("/etc/gothello-probe", O_CREAT | O_WRONLY, 0600);
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

static void reach_by_unix(const char *path, int length, const char *what) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, path, length);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    tell(s >= 0 && connect(s, (struct sockaddr *)&name, sizeof(sa_family_t) + length) == 0, what);
}

/* The C library asks the kernel over netlink. */
static void list_interfaces(void) {
    int others = 0;
    struct if_nameindex *all = if_nameindex();
    for (struct if_nameindex *one = all; one && one->if_index; one++)
        others += strcmp(one->if_name, "lo") != 0;
    tell(others > 0, "other interfaces by netlink");
}

/* All families of sockets except those that work in some tier. The kernel may lack a family, or refuse it with another error;
 * only EPERM shows that confinement would refuse it on any machine. */
static void try_families(void) {
    int others = 0, pair[2];
    for (int family = 0; family < AF_MAX; family++) {
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK)
            continue;
        others += socket(family, SOCK_STREAM, 0) >= 0 || errno != EPERM;
        others += socket(family, SOCK_SEQPACKET, 0) >= 0 || errno != EPERM;
    }
    tell(others > 0, "vsock and other families of sockets");
    tell(socketpair(AF_TIPC, SOCK_STREAM, 0, pair) == 0 || errno != EPERM, "pairs of another family");
}

/* The decoy is a port on the host's own loopback, on which a TCP, a UDP and an abstract socket listen, and, after a colon, the
 * path of a unix socket. */
static void reach_decoy(void) {
    int port = atoi(decoy);
    struct sockaddr_in at = address("127.0.0.1", port);
    tell(dial("127.0.0.1", port, 0) >= 0, "the listener by TCP");
    tell(dial("127.0.0.1", port, IPPROTO_MPTCP) >= 0, "the listener by MPTCP");
    int s = socket(AF_INET, SOCK_STREAM, 0);
    tell(sendto(s, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&at, sizeof at) >= 0, "the listener by fast open");
    s = socket(AF_INET, SOCK_DGRAM, 0);
    /* A datagram can be sent even if nobody listens; only an answer shows that somebody does. */
    struct timeval patience = {.tv_usec = 300000};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char answer[8], name[32];
    int said = connect(s, (struct sockaddr *)&at, sizeof at) == 0 && send(s, "x", 1, 0) == 1;
    tell(said && recv(s, answer, sizeof answer, 0) > 0, "the listener by UDP");
    int length = snprintf(name, sizeof name, "%cgothello-probe-%d", 0, port);
    reach_by_unix(name, length, "the abstract socket");
    const char *path = strchr(decoy, ':');
    if (path)
        reach_by_unix(path + 1, strlen(path), "the socket with a path");
    list_interfaces();
    /* The ports of other seats outside confinement. */
    int others = 0;
    for (int server = 1; server < 30; server++)
        others += dial("127.0.0.1", 29068 + server, 0) >= 0;
    tell(others > 0, "other seats");
    try_families();
}

static void connect_often(void) {
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

/* Writes to its own program, and replaces it. */
static void change_itself(void) {
    char copy[4096];
    int file = open(own_path, O_WRONLY | O_APPEND);
    tell(file >= 0 && write(file, "x", 1) == 1, "its own program");
    snprintf(copy, sizeof copy, "%s.new", own_path);
    file = open(copy, O_CREAT | O_WRONLY, 0755);
    tell(file >= 0 && write(file, "#!/bin/true\n", 12) == 12 && close(file) == 0 && rename(copy, own_path) == 0,
         "its own program's place");
}

/* Opens the same file three thousand times, or until that is refused. */
static void open_many(void) {
    int file = 0;
    for (int i = 0; i < 3000 && file >= 0; i++)
        file = open("/dev/null", O_RDONLY);
    tell(file >= 0, "three thousand open files");
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

static void pass(void) { dprintf(referee, black ? "%d pass\r\n" : "%d ... pass\r\n", number); }

/* Burns `decoy` milliseconds of CPU time in each of two children, one after the other. */
static void think(void) {
    long millis = atol(decoy);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn_millis(millis);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    pass();
}

static void doze(void) {
    usleep(atol(decoy) * 1000);
    pass();
}

/* Burns CPU time for as long as the process lives, but at most a minute. */
static void *burn_on(void *unused) {
    burn_millis(60000);
    return unused;
}

static void ponder(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, burn_on, NULL);
}

/* Tries to have itself continued after it has been stopped. */
static void revive(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    timer_t timer;
    tell(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "a timer");
    tell(fcntl(referee, F_SETSIG, SIGCONT) == 0, "a descriptor's signal");
    tell(prctl(PR_SET_PDEATHSIG, SIGCONT) == 0, "an end's signal");
    tell(kill(getpid(), SIGCONT) == 0, "a signal");
}

/* Runs computing children, one after another. */
static void relay(void) {
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            burn_millis(50);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

static void tell_cpus(void) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            fprintf(stderr, "cpu %d\n", cpu);
}

/* Tries to run on all CPUs. */
static void spread(void) {
    cpu_set_t set;
    memset(&set, 0xff, sizeof set);
    sched_setaffinity(0, sizeof set, &set);
    tell_cpus();
}

static void burn_itself(void) { burn_millis(5000); }

static void deaf(void) { signal(SIGTERM, SIG_IGN); }

/* Waits until it is killed. The arena counts a program's own time, so on a busy machine its deadlines come late by the wall clock,
 * and a probe with a shorter wait would leave too early. The wait has an end only because nothing else would end it if the tests
 * were killed. */
static void linger_long(void) { linger(600); }

/* Exits, for instance before the hello. */
static void go(void) { exit(0); }

static void go_badly(void) { exit(7); }

static void say_half(void) {
    dprintf(referee, "0.9.1 player bl");
    linger_long();
}

static void ask_for_other_side(void) {
    dprintf(referee, "0.9.1 player %s\r\n", black ? "white" : "black");
    linger_long();
}

/* Opens one more connection, and sends nothing on it. */
static void connect_more(void) { dial(host, port, 0); }

/* Opens another connection, and requests the other side's seat on it. */
static void connect_for_other(void) {
    int s = dial(host, port, 0);
    if (s >= 0)
        dprintf(s, "0.9.1 player %s\r\n", black ? "white" : "black");
}

static void hang(void) {
    leave();
    linger(20);
}

/* Burns CPU time in more children than there are cores, while the bot itself plays three moves. */
static void burn_all(void) {
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            burn_millis(5000);
            _exit(0);
        }
}

static void burn_on_turn(void) {
    if (number > 3)
        linger(20);
    usleep(20000);
    pass();
}

/* The decoys are the arena's own namespaces, as /proc names them, separated by commas. */
static void tell_namespaces(void) {
    char names[512], path[64], own[64], pid[32];
    int shared = 0;
    snprintf(names, sizeof names, "%s", decoy);
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        snprintf(path, sizeof path, "/proc/self/ns/%.*s", (int)strcspn(name, ":"), name);
        ssize_t length = readlink(path, own, sizeof own - 1);
        own[length > 0 ? length : 0] = 0;
        if (length <= 0 || strcmp(own, name) == 0) {
            shared = 1;
            fprintf(stderr, "shared: %s\n", name);
        }
    }
    tell(shared, "the arena's namespaces");
    ssize_t length = readlink("/proc/self", own, sizeof own - 1);
    own[length > 0 ? length : 0] = 0;
    snprintf(pid, sizeof pid, "%d", getpid());
    tell(strcmp(own, pid) != 0, "other processes in /proc");
}

/* The decoy is a file in the bot's directory that only its owner, who is the arena's user, may read. */
static void tell_owner(void) {
    struct stat file = {0};
    int known = stat(decoy, &file);
    tell(open(decoy, O_RDONLY) >= 0, "a file of the arena's user");
    tell(known != 0 || getuid() == file.st_uid || geteuid() == file.st_uid, "the arena's user id");
    tell(known != 0 || getgid() == file.st_gid || getegid() == file.st_gid, "the arena's group");
    tell(getgroups(0, NULL) != 0, "other groups");
}

static int may_have(int resource, rlim_t much) {
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_max > much;
}

/* Rights and descriptors that a bot does not get, and limits that it does. */
static void tell_rights(void) {
    char line[256];
    int capabilities = 0, seen = 0, open_files = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "CapInh", 6) == 0 || strncmp(line, "CapPrm", 6) == 0 || strncmp(line, "CapEff", 6) == 0 ||
            strncmp(line, "CapAmb", 6) == 0) {
            seen++;
            capabilities |= strtoull(line + 7, NULL, 16) != 0;
        }
    if (status)
        fclose(status);
    tell(capabilities || seen != 4, "capabilities");
    tell(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1, "new privileges");
    struct stat in;
    tell(fstat(0, &in) == 0 && S_ISSOCK(in.st_mode), "a socket as its stdin");
    for (int file = 3; file < 1024; file++)
        open_files += fcntl(file, F_GETFD) >= 0;
    tell(open_files > 0, "descriptors of the arena");
    tell(may_have(RLIMIT_CORE, 0), "room for a core file");
    tell(may_have(RLIMIT_MEMLOCK, 0), "locked memory");
    /* The limit of an ordinary user is far above this, and that of a bot far below. */
    tell(may_have(RLIMIT_NPROC, 8192), "thousands of processes");
    tell(may_have(RLIMIT_DATA, 8L << 30), "memory without a limit");
}

/* Opens a file for writing, and makes it if it is missing. */
static int can_write(const char *dir, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s", dir, name);
    return open(path, O_CREAT | O_WRONLY | O_APPEND, 0600) >= 0;
}

/* Whether the mount at `point` is read-only, without set-user-id programs and, unless it is a device, without devices; or a bot may
 * change it. */
static int is_closed_mount(const char *point, unsigned long flags) {
    if (strcmp(point, "/tmp") == 0 || strcmp(point, "/dev/shm") == 0)
        return 1;
    unsigned long closed = ST_RDONLY | ST_NOSUID | (strncmp(point, "/dev/", 5) == 0 ? 0 : ST_NODEV);
    return (flags & closed) == closed;
}

/* The decoy is a directory that everybody may write to. Below it, and below the bot's own directory, other file systems are
 * mounted at `sub`, with a file `there`, which everybody may write to as well. */
static void change_mounts(void) {
    char line[8192], point[4096];
    int open_mounts = 0;
    struct statvfs at;
    tell(can_write("", "sub/new") || can_write("", "sub/there"), "what is mounted below its directory");
    tell(can_write(decoy, "/sub/new") || can_write(decoy, "/sub/there"), "what is mounted below a readable directory");
    tell(can_write(decoy, "/new"), "a readable directory");
    tell(can_write("", "open"), "a file of its directory");
    tell(can_write("", "/new") || can_write("", "/dev/new"), "its root");
    FILE *mounts = fopen("/proc/self/mountinfo", "r");
    while (mounts && fgets(line, sizeof line, mounts))
        if (sscanf(line, "%*s %*s %*s %*s %4095s", point) == 1 && statvfs(point, &at) == 0 &&
            !is_closed_mount(point, at.f_flag)) {
            fprintf(stderr, "open: %s", line);
            open_mounts++;
        }
    tell(!mounts || open_mounts > 0, "mounts that are open");
    tell(statvfs("/dev/shm", &at) != 0 || at.f_blocks * at.f_frsize > 16 << 20, "shared memory without a limit");
}

/* Settings of the process that started this one, and of the machine. Some of them belong to a user with the same id. */
static void change_settings(void) {
    char parent[64];
    snprintf(parent, sizeof parent, "/proc/%d/oom_score_adj", getppid());
    const char *paths[] = {parent, "/proc/self/oom_score_adj", "/proc/sys/kernel/shmmax", "/proc/sys/kernel/core_pattern",
                           "/proc/sys/net/ipv4/tcp_wmem"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        tell(open(paths[i], O_WRONLY) >= 0 || errno == ENOENT, paths[i]);
}

/* Calls that confinement refuses, each with harmless arguments. If the kernel checks the arguments of a call before the rights,
 * the arguments are invalid, so that only confinement answers with this error. */
static void try_calls(void) {
    static const long NO = -1, BAD = -4096;
    static const struct {
        const char *name;
        long number, args[6];
    } CALLS[] = {
        {"mount", SYS_mount, {BAD, BAD, BAD, 0, 0}},
        {"umount2", SYS_umount2, {BAD, ~0}},
        {"pivot_root", SYS_pivot_root, {BAD, BAD}},
        {"chroot", SYS_chroot, {BAD}},
        {"unshare", SYS_unshare, {0}},
        {"setns", SYS_setns, {NO, 0}},
        {"bpf", SYS_bpf, {~0, 0, 0}},
        {"perf_event_open", SYS_perf_event_open, {BAD, 0, 0, NO, ~0}},
        {"userfaultfd", SYS_userfaultfd, {~0}},
        {"keyctl", SYS_keyctl, {~0}},
        {"add_key", SYS_add_key, {BAD, BAD, 0, 0, 0}},
        {"request_key", SYS_request_key, {BAD, BAD, 0, 0}},
        {"kexec_load", SYS_kexec_load, {0, 0, 0, ~0}},
        {"init_module", SYS_init_module, {BAD, 0, BAD}},
        {"finit_module", SYS_finit_module, {NO, BAD, 0}},
        {"delete_module", SYS_delete_module, {BAD, 0}},
        {"ptrace", SYS_ptrace, {PTRACE_SEIZE, NO, 0, 0}},
        {"process_vm_readv", SYS_process_vm_readv, {NO, 0, 0, 0, 0, ~0}},
        {"process_vm_writev", SYS_process_vm_writev, {NO, 0, 0, 0, 0, ~0}},
        {"io_uring_setup", SYS_io_uring_setup, {1, BAD}},
        {"io_uring_enter", SYS_io_uring_enter, {NO, 0, 0, 0, 0, 0}},
        {"io_uring_register", SYS_io_uring_register, {NO, 0, 0, 0}},
        {"open_by_handle_at", SYS_open_by_handle_at, {NO, BAD, 0}},
        {"swapon", SYS_swapon, {BAD, ~0}},
        {"swapoff", SYS_swapoff, {BAD}},
        {"reboot", SYS_reboot, {0, 0, 0, 0}},
        {"settimeofday", SYS_settimeofday, {BAD, 0}},
        {"clock_settime", SYS_clock_settime, {99, BAD}},
        {"acct", SYS_acct, {BAD}},
        {"quotactl", SYS_quotactl, {~0, BAD, 0, BAD}},
        {"syslog", SYS_syslog, {10, 0, 0}},
        {"fsopen", SYS_fsopen, {BAD, ~0}},
        {"fsmount", SYS_fsmount, {NO, ~0, ~0}},
        {"move_mount", SYS_move_mount, {NO, BAD, NO, BAD, ~0}},
        {"open_tree", SYS_open_tree, {NO, BAD, ~0}},
        {"mount_setattr", SYS_mount_setattr, {NO, BAD, ~0, BAD, 0}},
        {"clone into a user namespace", SYS_clone, {CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0}},
        {"mmap of huge pages", SYS_mmap, {0, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, NO, 0}},
    };
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        const long *a = CALLS[i].args;
        long answer = syscall(CALLS[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);
        tell(answer != -1 || errno != EPERM, CALLS[i].name);
    }
    tell(syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS, "clone3");
}

/* Tries to delay everybody who opens a file, and to be notified of it. The first file belongs to the bot's user, so ownership does
 * not forbid it. */
static void hold_files(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/own", getenv("TMPDIR"));
    int written = open(path, O_RDWR | O_CREAT, 0600), program = open(own_path, O_RDONLY), system = open("/usr", O_RDONLY);
    tell(fcntl(written, F_SETLEASE, F_WRLCK) == 0, "a lease on a file of its own");
    tell(fcntl(program, F_SETLEASE, F_RDLCK) == 0, "a lease on its program");
    tell(fcntl(system, F_NOTIFY, DN_ACCESS | DN_MULTISHOT) == 0, "notices of a directory");
    /* FAN_CLASS_NOTIF with FAN_REPORT_FID, which the kernel allows every process. */
    tell(syscall(SYS_fanotify_init, 0x200, O_RDONLY) >= 0 || errno != EPERM, "notices of a file system");
}

/* Forks children that react only to SIGKILL. */
static void stop_children(void) {
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            raise(SIGSTOP);
            linger(20);
            _exit(0);
        }
}

static void stop_itself(void) {
    raise(SIGSTOP);
    linger(20);
}

/* Sends the moves of its next turns at once, before these turns begin. */
static void pass_ahead(void) {
    for (int ahead = 0; ahead < 14; ahead++, number++)
        pass();
    number = 1;
}

static void pass_unless_ahead(void) {
    if (number > 14)
        pass();
}

/* Waits a millisecond. Returns whether the referee has closed the connection, which no peek shows while bytes are unread. */
static int is_closed(void) {
    struct pollfd end = {referee, POLLRDHUP, 0};
    return poll(&end, 1, 1) > 0;
}

/* Plays by peeking at the other side's lines without ever reading one. */
static void never_read(void) {
    static char seen[1 << 16];
    /* There is no deadline: on a busy machine, a game may take minutes to begin. */
    while (!is_closed()) {
        ssize_t length = recv(referee, seen, sizeof seen - 1, MSG_PEEK | MSG_DONTWAIT);
        seen[length > 0 ? length : 0] = 0;
        if (!strstr(seen, "\r\n35"))
            continue;
        black = strstr(seen, "\r\n352") != NULL;
        /* Black's first turn, and one turn for each move of the other side. */
        int turns = black;
        for (char *line = seen; (line = strstr(line, "\r\n31")); line += 4)
            turns += (line[4] % 2 == 1) != black;
        while (number <= turns) {
            pass();
            number++;
        }
        if (strstr(seen, "\r\n32") || strstr(seen, "\r\n36") || strstr(seen, "\r\n39"))
            return;
    }
}

/* Sends as many garbled lines as are allowed and then blank lines, which are never wrong. */
static void mutter(void) {
    for (int i = 0; i < 10; i++)
        dprintf(referee, "let me think\r\n");
    for (time_t end = time(NULL) + 20; time(NULL) < end; usleep(10000))
        dprintf(referee, "\r\n");
}

/* Sends `what` again and again, up to 64 MiB. */
static void repeat(const char *what, size_t length) {
    for (size_t wrote = 0; wrote < 64 << 20; wrote += length)
        if (write(referee, what, length) < 0)
            break;
    linger(20);
}

static void blank(void) {
    static char lines[4096];
    for (size_t i = 0; i < sizeof lines; i++)
        lines[i] = i % 2 ? '\n' : '\r';
    repeat(lines, sizeof lines);
}

static void drip(void) {
    for (time_t end = time(NULL) + 20; time(NULL) < end; usleep(10000))
        if (write(referee, "1", 1) < 0)
            break;
}

static void garbage(void) { repeat("what shall I do?\r\n", 18); }

static void nuls(void) { repeat("\0\0\0\0\0\0\0\r", 8); }

static void wrong_encoding(void) { repeat("1 \xff\xfe\xc0\x80\xed\xa0\x80\r\n", 11); }

static void long_lines(void) {
    enum { LINE = 1 << 20 };
    char *line = malloc(LINE);
    memset(line, 'x', LINE);
    line[LINE - 1] = '\n';
    repeat(line, LINE);
}

static void no_line_end(void) {
    static char piece[1 << 16];
    memset(piece, 'x', sizeof piece);
    repeat(piece, sizeof piece);
}

static void wrong_numbers(void) { repeat("9999 pass\r\n99999999999999999999 pass\r\n-1 pass\r\n", 47); }

/* Keeps sending moves after its own move, when it is no longer its turn. */
static void flood(void) {
    pass();
    repeat("77 pass\r\n", 9);
}

/* Always places a stone on the same point: at most the first is legal. */
static void illegal(void) { dprintf(referee, black ? "%d a1\r\n" : "%d ... a1\r\n", number); }

static void late(void) {
    linger(5);
    pass();
}

static void crash(void) { exit(3); }

static void crash_by_signal(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void hang_up(void) {
    shutdown(referee, SHUT_RDWR);
    close(referee);
    linger(20);
}

static void hang_up_half(void) {
    shutdown(referee, SHUT_WR);
    linger(20);
}

/* Exits and leaves the connection to a child that sends nothing. */
static void orphan(void) {
    if (fork() == 0) {
        linger(20);
        _exit(0);
    }
    _exit(3);
}

/* Exits and leaves the game to a child. */
static void delegate(void) {
    if (fork() != 0)
        _exit(0);
}

/* When a mode acts: before connecting, after connecting, instead of playing after the hello, when the game begins, instead of the
 * move on each turn, or when the game is over. A mode may have several lines. */
enum moment { FIRST, CONNECTED, GREETED, BEGIN, TURN, END };

static const struct {
    const char *name;
    enum moment when;
    void (*act)(void);
} MODES[] = {
    {"gone", FIRST, go},
    {"gone-badly", FIRST, go_badly},
    {"aloof", FIRST, linger_long},
    {"mute", CONNECTED, linger_long},
    {"half", CONNECTED, say_half},
    {"other-side", CONNECTED, ask_for_other_side},
    {"connections", FIRST, connect_often},
    {"twice", FIRST, connect_more},
    {"twice", BEGIN, connect_for_other},
    {"crash", TURN, crash},
    {"signal", TURN, crash_by_signal},
    {"exit", TURN, go},
    {"close", TURN, hang_up},
    {"half-close", TURN, hang_up_half},
    {"orphan", TURN, orphan},
    {"delegate", BEGIN, delegate},
    {"silent", TURN, linger_long},
    {"late", TURN, late},
    {"mutter", TURN, mutter},
    {"blank", TURN, blank},
    {"drip", TURN, drip},
    {"stop", TURN, stop_itself},
    {"stop-children", BEGIN, stop_children},
    {"garbage", TURN, garbage},
    {"nuls", TURN, nuls},
    {"encoding", TURN, wrong_encoding},
    {"long-lines", TURN, long_lines},
    {"no-line-end", TURN, no_line_end},
    {"numbers", TURN, wrong_numbers},
    {"flood", TURN, flood},
    {"illegal", TURN, illegal},
    {"eager", BEGIN, pass_ahead},
    {"eager", TURN, pass_unless_ahead},
    {"blind", GREETED, never_read},
    {"memory", BEGIN, allocate},
    {"headless", BEGIN, allocate_headless},
    {"given-back", BEGIN, hold_shared},
    {"memfd", BEGIN, hold_written},
    {"memfd-mapped", BEGIN, hold_mapped},
    {"zeros", BEGIN, hold_zeros},
    {"detached", BEGIN, hold_detached},
    {"semaphores", BEGIN, hold_semaphores},
    {"buffers", BEGIN, hold_in_sockets},
    {"processes", BEGIN, multiply},
    {"scratch", BEGIN, fill},
    {"cpu", BEGIN, burn_itself},
    {"relay", BEGIN, relay},
    {"burn", BEGIN, burn_all},
    {"burn", TURN, burn_on_turn},
    {"files", BEGIN, open_many},
    {"leave", BEGIN, leave},
    {"hang", BEGIN, hang},
    {"deaf", FIRST, deaf},
    {"deaf", END, linger_long},
    {"shout", BEGIN, shout},
    {"read", BEGIN, read_decoys},
    {"attack", BEGIN, attack_decoy},
    {"reach", BEGIN, reach_decoy},
    {"change", BEGIN, change_itself},
    {"lease", BEGIN, hold_files},
    {"namespaces", BEGIN, tell_namespaces},
    {"owner", BEGIN, tell_owner},
    {"rights", FIRST, tell_rights},
    {"mounts", BEGIN, change_mounts},
    {"settings", BEGIN, change_settings},
    {"calls", BEGIN, try_calls},
    {"think", TURN, think},
    {"doze", TURN, doze},
    {"ponder", BEGIN, ponder},
    {"revive", BEGIN, revive},
    {"cpus", BEGIN, tell_cpus},
    {"spread", BEGIN, spread},
};

/* Performs the mode's actions at the moment `when`. Returns whether there were any. */
static int act(const char *mode, enum moment when) {
    int acted = 0;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (MODES[i].when == when && strcmp(MODES[i].name, mode) == 0) {
            MODES[i].act();
            acted = 1;
        }
    return acted;
}

static int is_known(const char *mode) {
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (strcmp(MODES[i].name, mode) == 0)
            return 1;
    return strcmp(mode, "none") == 0;
}

/* Plays the game. Returns how many milliseconds of CPU time the probe used while it waited for its opponent. */
static long play(const char *mode) {
    FILE *lines = fdopen(dup(referee), "r");
    char line[4096];
    int begun = 0;
    long waited_since = -1, pondered = 0;
    while (fgets(line, sizeof line, lines)) {
        int code = atoi(line), moved = code >= 311 && code <= 318, mine = moved && code % 2 == black;
        if (!begun && (code == 351 || code == 352)) {
            begun = 1;
            black = code == 352;
            act(mode, BEGIN);
        }
        number += mine;
        if ((code >= 321 && code <= 328) || code == 361 || code == 362 || (code > 200 && code < 230 && code != 207))
            break;
        if (code == 352 || (moved && !mine) || code == 291 || code == 299) {
            if (waited_since >= 0)
                pondered += cpu_millis() - waited_since;
            if (!act(mode, TURN))
                pass();
            waited_since = cpu_millis();
        }
    }
    return pondered;
}

int main(int argc, char **argv) {
    if (argc < 5 || !is_known(argv[1]))
        return 2;
    const char *mode = argv[1], *name = getenv("PROBE_NAME");
    own_path = argv[0];
    side = argv[2];
    host = argv[3];
    port = atoi(argv[4]);
    black = strcmp(side, "black") == 0;
    if (argc > 5)
        decoy = argv[5];
    signal(SIGPIPE, SIG_IGN);
    act(mode, FIRST);
    referee = dial(host, port, 0);
    if (referee < 0)
        return 3;
    act(mode, CONNECTED);
    dprintf(referee, name ? "0.9.1 player %s \"%s\"\r\n" : "0.9.1 player %s\r\n", side, name);
    if (act(mode, GREETED))
        return 0;
    long pondered = play(mode);
    if (strcmp(mode, "ponder") == 0)
        fprintf(stderr, "pondered %ld ms\n", pondered);
    act(mode, END);
    return 0;
}
