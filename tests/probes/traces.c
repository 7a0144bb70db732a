/* Looks for the traces that it has left in an earlier game, leaves them again, looks again, and plays.
 *
 *     traces SIDE HOST PORT
 *
 * The program starts in a directory with the files `shared` and `probe`. TRACES_SINCE is the time at which the test began, in seconds
 * since 1970, TRACES_UNREAD the path of a file that nobody has read since, and TRACES_TAG a word of at most eight bytes for the names
 * of processes. For each trace, the program prints three lines to stderr:
 * whether the trace was there when the game began ("first: found NAME" or "first: absent NAME"), whether it could leave the trace
 * ("left NAME" or "refused NAME"), and whether another process then saw it ("then: found NAME" or "then: absent NAME"). As black, it
 * also uses 64 MiB of memory. Every trace ends with the program, or is in a place that the test removes, or has an unlikely name. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define NAME "gothello-trace"

enum { KEY = 0x67745243, PORT = 29077, ODD = 77, HELD = 64 << 20, SPACE = 8 << 20 };

/* The directory in which the program started, and where its seat is. */
static int dir;
static const char *host, *port;

static const char *below(const char *where, const char *name) {
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", where ? where : "/nowhere", name);
    return path;
}

static const char *scratch(const char *name) { return below(getenv("TMPDIR"), name); }

/* Files. */

static int leave_file(const char *path) {
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    return file >= 0 && write(file, NAME, sizeof NAME) > 0 && close(file) == 0;
}

static int is_there(const char *path) {
    struct stat it;
    return lstat(path, &it) == 0;
}

static int leave_scratch(void) { return leave_file(scratch(NAME)); }
static int see_scratch(void) { return is_there(scratch(NAME)); }
static int leave_home(void) { return leave_file(below(getenv("HOME"), NAME)); }
static int see_home(void) { return is_there(below(getenv("HOME"), NAME)); }
static int leave_tmp(void) { return leave_file("/tmp/" NAME "-tmp"); }
static int see_tmp(void) { return is_there("/tmp/" NAME "-tmp"); }
static int leave_var_tmp(void) { return leave_file("/var/tmp/" NAME); }
static int see_var_tmp(void) { return is_there("/var/tmp/" NAME); }
static int leave_shm(void) { return leave_file("/dev/shm/" NAME); }
static int see_shm(void) { return is_there("/dev/shm/" NAME); }
static int leave_own(void) { return openat(dir, NAME, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) >= 0; }
static int see_own(void) { return faccessat(dir, NAME, F_OK, 0) == 0; }
static int leave_pipe(void) { return mkfifo(scratch(NAME "-pipe"), 0666) == 0; }
static int see_pipe(void) { return is_there(scratch(NAME "-pipe")); }

/* A large file without a name, which shows in how much of the scratch space is free. Only a bot with its own scratch space can
 * tell. */
static int has_own_scratch(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp && strcmp(tmp, "/tmp") == 0;
}
static int leave_space(void) {
    if (!has_own_scratch())
        return 0;
    int file = open(scratch(NAME "-space"), O_CREAT | O_WRONLY, 0600);
    return file >= 0 && posix_fallocate(file, 0, SPACE) == 0 && unlink(scratch(NAME "-space")) == 0;
}
static int see_space(void) {
    struct statvfs space;
    return has_own_scratch() && statvfs("/tmp", &space) == 0 && (space.f_blocks - space.f_bfree) * space.f_frsize >= SPACE;
}

/* What a descriptor that may only be read can change. */
static int shared(void) { return openat(dir, "shared", O_RDONLY | O_CLOEXEC); }
static int leave_mode(void) { return fchmod(shared(), 0604) == 0; }
static int see_mode(void) {
    struct stat it;
    return fstatat(dir, "shared", &it, 0) == 0 && (it.st_mode & 0777) == 0604;
}
static int leave_time(void) { return futimens(shared(), (struct timespec[]){{ODD, 0}, {ODD, 0}}) == 0; }
static int see_time(void) {
    struct stat it;
    return fstatat(dir, "shared", &it, 0) == 0 && it.st_mtime == ODD;
}
static int leave_flags(void) {
    int file = shared(), flags = FS_NODUMP_FL;
    return ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
}
static int see_flags(void) {
    int file = shared(), flags = 0;
    return ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_NODUMP_FL);
}
static int leave_attribute(void) { return fsetxattr(shared(), "user." NAME, "1", 1, 0) == 0; }
static int see_attribute(void) { return fgetxattr(shared(), "user." NAME, NULL, 0) > 0; }

static time_t since(void) { return atol(getenv("TRACES_SINCE")); }

/* Everybody may write to a device, and thereby set its times to the present. */
static int see_device_time(void) {
    struct stat it;
    return stat("/dev/full", &it) == 0 && (it.st_mtime >= since() || it.st_atime >= since());
}
static int leave_device_time(void) {
    int device = open("/dev/full", O_RDWR | O_CLOEXEC);
    return (utimensat(AT_FDCWD, "/dev/full", NULL, 0) == 0) | (futimens(device, NULL) == 0);
}

static int see_access_time(void) {
    struct stat it;
    return stat(getenv("TRACES_UNREAD"), &it) == 0 && it.st_atime >= since();
}
static int leave_access_time(void) {
    char byte;
    return read(open(getenv("TRACES_UNREAD"), O_RDONLY), &byte, 1) == 1 && see_access_time();
}

/* Objects with a name or a number. */

static int leave_memory(void) { return shmget(KEY, 4096, IPC_CREAT | 0666) >= 0; }
static int see_memory(void) { return shmget(KEY, 0, 0) >= 0; }
static int leave_semaphore(void) { return semget(KEY, 1, IPC_CREAT | 0666) >= 0; }
static int see_semaphore(void) { return semget(KEY, 0, 0) >= 0; }
static int leave_messages(void) { return msgget(KEY, IPC_CREAT | 0666) >= 0; }
static int see_messages(void) { return msgget(KEY, 0) >= 0; }
static int leave_named_semaphore(void) { return sem_open("/" NAME, O_CREAT, 0666, 1) != SEM_FAILED; }
static int see_named_semaphore(void) { return sem_open("/" NAME, 0) != SEM_FAILED; }
static int leave_queue(void) {
    /* The limits of the C library's default may exceed those of a user. */
    struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 8};
    return syscall(SYS_mq_open, NAME, O_CREAT | O_RDWR, 0666, &small) >= 0;
}
static int see_queue(void) { return syscall(SYS_mq_open, NAME, O_RDONLY, 0, NULL) >= 0; }
static int leave_key(void) {
    /* Of the user, and of the session. */
    return (syscall(SYS_add_key, "user", NAME, "1", 1, -4) >= 0) | (syscall(SYS_add_key, "user", NAME, "1", 1, -3) >= 0);
}
static int see_key(void) {
    char keys[1 << 16];
    ssize_t length = read(open("/proc/keys", O_RDONLY | O_CLOEXEC), keys, sizeof keys);
    /* KEYCTL_SEARCH */
    return (length > 0 && memmem(keys, length, NAME, strlen(NAME))) || syscall(SYS_keyctl, 10, -4, "user", NAME, 0) >= 0;
}

/* The network. */

static struct sockaddr_un named(const char *name, socklen_t *length, int is_abstract) {
    struct sockaddr_un it = {.sun_family = AF_UNIX};
    snprintf(it.sun_path + is_abstract, sizeof it.sun_path - is_abstract, "%s", name);
    *length = offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(name);
    return it;
}
static int listens(int family, const void *at, socklen_t length) {
    int s = socket(family, SOCK_STREAM, 0);
    return s >= 0 && bind(s, at, length) == 0 && listen(s, 8) == 0;
}
static int connects(int family, const void *to, socklen_t length) {
    int s = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int is_connected = s >= 0 && connect(s, to, length) == 0;
    close(s);
    return is_connected;
}
static int with_name(int does(int, const void *, socklen_t), const char *name, int is_abstract) {
    socklen_t length;
    struct sockaddr_un it = named(name, &length, is_abstract);
    return does(AF_UNIX, &it, length);
}
static int with_port(int does(int, const void *, socklen_t)) {
    struct sockaddr_in it = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return does(AF_INET, &it, sizeof it);
}
static int leave_abstract(void) { return with_name(listens, NAME, 1); }
static int see_abstract(void) { return with_name(connects, NAME, 1); }
static int leave_socket(void) { return with_name(listens, scratch(NAME "-socket"), 0); }
static int see_socket(void) { return with_name(connects, scratch(NAME "-socket"), 0); }
static int leave_listener(void) { return with_port(listens); }
static int see_listener(void) { return with_port(connects); }

/* Ends a connection to its own seat from this side, which keeps it in TIME_WAIT. */
static int leave_time_wait(void) {
    struct sockaddr_in seat = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    inet_pton(AF_INET, host, &seat.sin_addr);
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(s, (struct sockaddr *)&seat, sizeof seat) != 0 || shutdown(s, SHUT_WR) != 0)
        return 0;
    char rest[512];
    while (read(s, rest, sizeof rest) > 0)
        ;
    return close(s) == 0;
}
static int see_time_wait(void) {
    char line[512];
    int state, found = 0;
    FILE *connections = fopen("/proc/net/tcp", "re");
    while (connections && fgets(line, sizeof line, connections))
        found |= sscanf(line, "%*d: %*s %*s %x", &state) == 1 && state == 6;
    return found;
}
/* The counter of connections that were accepted. */
static int see_count(void) {
    char line[1024];
    int found = 0;
    long accepted = 0;
    FILE *counters = fopen("/proc/net/snmp", "re");
    while (counters && fgets(line, sizeof line, counters))
        found |= sscanf(line, "Tcp: %*d %*d %*d %*d %*d %ld", &accepted) == 1 && accepted > 0;
    return found;
}

/* Processes. */

/* The name of a process. The kernel's names are at most 15 bytes long. */
static const char *process_name(int is_stopped) {
    static char name[16];
    snprintf(name, sizeof name, "%s-%s", is_stopped ? "stops" : "runs", getenv("TRACES_TAG"));
    return name;
}
static int see_process(int is_stopped) {
    const char *name = process_name(is_stopped);
    char comm[64], path[300];
    int found = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *one; all && !found && (one = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/comm", one->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = file < 0 ? 0 : read(file, comm, sizeof comm);
        if (file >= 0)
            close(file);
        found = length == (ssize_t)strlen(name) + 1 && memcmp(comm, name, strlen(name)) == 0;
    }
    if (all)
        closedir(all);
    return found;
}

/* Leaves a process that has left this one's session, ignores all signals that it may ignore, and runs for a minute. */
static int leave_one_process(int is_stopped) {
    pid_t child = fork();
    if (child == 0) {
        setsid();
        pid_t daemon = fork();
        if (daemon != 0)
            _exit(daemon < 0);
        prctl(PR_SET_NAME, process_name(is_stopped));
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_IGN);
        /* Timers and watches live as long as their process. */
        struct itimerspec each = {{1, 0}, {1, 0}};
        int timer = timerfd_create(CLOCK_MONOTONIC, 0), watch = inotify_init();
        timerfd_settime(timer, 0, &each, NULL);
        inotify_add_watch(watch, "/usr", IN_ALL_EVENTS);
        setitimer(ITIMER_REAL, &(struct itimerval){{1, 0}, {1, 0}}, NULL);
        if (is_stopped)
            raise(SIGSTOP);
        for (int second = 0; second < 60; second++)
            sleep(1);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0)
        return 0;
    for (int tries = 0; tries < 2000 && !see_process(is_stopped); tries++)
        usleep(1000);
    return 1;
}
static int leave_process(void) { return leave_one_process(0); }
static int see_running(void) { return see_process(0); }
static int leave_stopped(void) { return leave_one_process(1); }
static int see_stopped(void) { return see_process(1); }

/* Locks, on a file that every game of the bot may read. */

static int leave_lock(void) { return flock(openat(dir, "shared", O_RDONLY), LOCK_EX | LOCK_NB) == 0; }
static int see_lock(void) {
    int file = shared(), is_refused = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return is_refused;
}
static struct flock part(short type, off_t at) { return (struct flock){.l_type = type, .l_start = at, .l_len = 1}; }
static int leave_record_lock(void) {
    struct flock lock = part(F_RDLCK, 0);
    return fcntl(openat(dir, "shared", O_RDONLY), F_SETLK, &lock) == 0;
}
static int see_part(int command, off_t at) {
    struct flock lock = part(F_WRLCK, at);
    return fcntl(shared(), command, &lock) == 0 && lock.l_type != F_UNLCK;
}
static int see_record_lock(void) { return see_part(F_GETLK, 0); }
static int leave_descriptor_lock(void) {
    struct flock lock = part(F_RDLCK, 1);
    return fcntl(openat(dir, "shared", O_RDONLY), F_OFD_SETLK, &lock) == 0;
}
static int see_descriptor_lock(void) { return see_part(F_OFD_GETLK, 1); }
static int leave_lease(void) { return fcntl(openat(dir, "shared", O_RDONLY), F_SETLEASE, F_RDLCK) == 0; }
static int see_lease(void) { return fcntl(shared(), F_GETLEASE) == F_RDLCK; }

/* Properties of a process, which its children inherit. */

static int leave_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_SIGPENDING, &limit);
    limit.rlim_cur = ODD;
    return setrlimit(RLIMIT_SIGPENDING, &limit) == 0;
}
static int see_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_SIGPENDING, &limit) == 0 && limit.rlim_cur == ODD;
}
static int leave_umask(void) { return umask(0123) != 0123; }
static int see_umask(void) {
    mode_t mask = umask(0);
    umask(mask);
    return mask == 0123;
}
/* The process that has started the program keeps its priority and its cores. */
static pid_t starter;
static int see_priority(void) { return getpriority(PRIO_PROCESS, 0) != getpriority(PRIO_PROCESS, starter); }
static int leave_priority(void) { return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1) == 0 && see_priority(); }
static int leave_scheduler(void) { return sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}) == 0; }
static int see_scheduler(void) { return sched_getscheduler(0) == SCHED_BATCH; }
/* Moves to the last core, if there are several. */
static int leave_cores(void) {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    if (CPU_COUNT(&all) == 1)
        return 0;
    CPU_ZERO(&one);
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&one) == 0; cpu--)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}
static int see_cores(void) {
    cpu_set_t own, other;
    return sched_getaffinity(0, sizeof own, &own) == 0 && sched_getaffinity(starter, sizeof other, &other) == 0 &&
           !CPU_EQUAL(&own, &other);
}
static int leave_personality(void) { return personality(personality(~0u) | ADDR_NO_RANDOMIZE) >= 0; }
static int see_personality(void) { return (personality(~0u) & ADDR_NO_RANDOMIZE) != 0; }
static int leave_slack(void) { return prctl(PR_SET_TIMERSLACK, 77777) == 0; }
static int see_slack(void) { return prctl(PR_GET_TIMERSLACK) == 77777; }
static int leave_score(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    return write(file, "777", 3) == 3;
}
static int see_score(void) {
    char score[8] = "";
    return read(open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC), score, 7) > 0 && atoi(score) == 777;
}
static int leave_user(void) { return (setresuid(1, 1, 1) == 0) | (setresgid(1, 1, 1) == 0); }
static int see_user(void) { return getuid() == 1 || getgid() == 1; }
static int leave_host_name(void) { return (sethostname(NAME, 5) == 0) | (setdomainname(NAME, 5) == 0); }
static int see_host_name(void) {
    char name[256] = "";
    return (gethostname(name, sizeof name) == 0 && strcmp(name, "gothe") == 0) ||
           (getdomainname(name, sizeof name) == 0 && strcmp(name, "gothe") == 0);
}
static int leave_variable(void) { return setenv("GOTHELLO_TRACE", "1", 1) == 0; }
static int see_variable(void) { return getenv("GOTHELLO_TRACE") != NULL; }
static int leave_place(void) { return chdir("/usr") == 0; }
static int see_place(void) {
    char place[4096];
    return getcwd(place, sizeof place) && strcmp(place, "/usr") == 0;
}

static const struct {
    const char *name;
    int (*leave)(void), (*see)(void);
} TRACES[] = {
    {"scratch-file", leave_scratch, see_scratch},
    {"home-file", leave_home, see_home},
    {"tmp-file", leave_tmp, see_tmp},
    {"var-tmp-file", leave_var_tmp, see_var_tmp},
    {"shm-file", leave_shm, see_shm},
    {"own-file", leave_own, see_own},
    {"fifo", leave_pipe, see_pipe},
    {"scratch-space", leave_space, see_space},
    {"file-mode", leave_mode, see_mode},
    {"file-time", leave_time, see_time},
    {"file-flags", leave_flags, see_flags},
    {"file-attribute", leave_attribute, see_attribute},
    {"device-time", leave_device_time, see_device_time},
    {"access-time", leave_access_time, see_access_time},
    {"sysv-memory", leave_memory, see_memory},
    {"sysv-semaphore", leave_semaphore, see_semaphore},
    {"sysv-messages", leave_messages, see_messages},
    {"posix-semaphore", leave_named_semaphore, see_named_semaphore},
    {"posix-queue", leave_queue, see_queue},
    {"key", leave_key, see_key},
    {"abstract-socket", leave_abstract, see_abstract},
    {"path-socket", leave_socket, see_socket},
    {"listener", leave_listener, see_listener},
    {"time-wait", leave_time_wait, see_time_wait},
    {"network-counter", leave_time_wait, see_count},
    {"process", leave_process, see_running},
    {"stopped-process", leave_stopped, see_stopped},
    {"flock", leave_lock, see_lock},
    {"record-lock", leave_record_lock, see_record_lock},
    {"descriptor-lock", leave_descriptor_lock, see_descriptor_lock},
    {"lease", leave_lease, see_lease},
    {"limit", leave_limit, see_limit},
    {"umask", leave_umask, see_umask},
    {"priority", leave_priority, see_priority},
    {"scheduler", leave_scheduler, see_scheduler},
    {"cores", leave_cores, see_cores},
    {"personality", leave_personality, see_personality},
    {"timer-slack", leave_slack, see_slack},
    {"oom-score", leave_score, see_score},
    {"user-id", leave_user, see_user},
    {"host-name", leave_host_name, see_host_name},
    {"variable", leave_variable, see_variable},
    {"directory", leave_place, see_place},
};
enum { NUMBER = sizeof TRACES / sizeof *TRACES };

static void look(const char *when) {
    for (int i = 0; i < NUMBER; i++)
        fprintf(stderr, "%s: %s %s\n", when, TRACES[i].see() ? "found" : "absent", TRACES[i].name);
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    host = argv[2];
    port = argv[3];
    starter = getppid();
    dir = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    look("first");
    for (int i = 0; i < NUMBER; i++) {
        errno = 0;
        int is_left = TRACES[i].leave();
        fprintf(stderr, "%s %s (%s)\n", is_left ? "left" : "refused", TRACES[i].name, strerror(errno));
    }
    /* A process can see all of its own locks as its own, so another process looks. */
    pid_t other = fork();
    if (other == 0) {
        look("then");
        _exit(0);
    }
    waitpid(other, NULL, 0);
    if (strcmp(argv[1], "black") == 0)
        memset(mmap(NULL, HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, HELD);
    if (fchdir(dir) != 0)
        return 1;
    execl("./probe", "probe", "none", argv[1], host, port, NULL);
    return 1;
}
