/* Tries everything that a bot without its own namespaces could do to the host.
 *
 *     escape reach DIRECTORY PROCESS     tries every way once on decoys: a file and a socket in DIRECTORY, and PROCESS
 *     escape hop                         keeps forking and exiting, for at most 5 s and 100,000 times
 *
 * For every attempt, it prints "reached WHAT" or "refused WHAT" to stderr. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Since Linux 6.6. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static void tell(int reached, const char *what) {
    fprintf(stderr, "%s %s (%s)\n", reached ? "reached" : "refused", what, reached ? "yes" : strerror(errno));
}

static void tell_socket(int domain, int type, int protocol, const char *what) {
    tell(socket(domain, type, protocol) >= 0, what);
}

/* Whether `act` succeeds in a child. The bot itself leads a session, so it cannot leave its group in any case. */
static int succeeds_in_a_child(int (*act)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(act() ? 0 : errno);
    waitpid(child, &status, 0);
    errno = WEXITSTATUS(status);
    return child > 0 && errno == 0;
}

static int begin_session(void) { return setsid() >= 0; }

static int lead_group(void) { return setpgid(0, 0) == 0; }

/* Changes of a file that require only its name, or a descriptor for reading. The decoy is readable by everybody, and belongs to
 * the arena's user, as does the program `probe`. */
static void change_file(const char *path) {
    const long own = open("probe", O_RDONLY);
    const struct {
        const char *what;
        long number, args[5];
    } CALLS[] = {
#ifdef SYS_chmod
        {"chmod", SYS_chmod, {(long)path, 0600}},
        {"chown", SYS_chown, {(long)path, getuid(), getgid()}},
        {"lchown", SYS_lchown, {(long)path, getuid(), getgid()}},
        {"utime", SYS_utime, {(long)path, 0}},
        {"utimes", SYS_utimes, {(long)path, 0}},
        {"futimesat", SYS_futimesat, {AT_FDCWD, (long)path, 0}},
#endif
        {"fchmodat", SYS_fchmodat, {AT_FDCWD, (long)path, 0600}},
        {"fchmodat2", SYS_fchmodat2, {AT_FDCWD, (long)path, 0600, 0}},
        {"fchownat", SYS_fchownat, {AT_FDCWD, (long)path, getuid(), getgid(), 0}},
        {"utimensat", SYS_utimensat, {AT_FDCWD, (long)path, 0, 0}},
        {"setxattr", SYS_setxattr, {(long)path, (long)"user.probe", (long)"x", 1, 0}},
        {"lsetxattr", SYS_lsetxattr, {(long)path, (long)"user.probe", (long)"x", 1, 0}},
        {"removexattr", SYS_removexattr, {(long)path, (long)"user.there"}},
        {"lremovexattr", SYS_lremovexattr, {(long)path, (long)"user.there"}},
        {"fchown", SYS_fchown, {own, getuid(), getgid()}},
        {"fsetxattr", SYS_fsetxattr, {own, (long)"user.probe", (long)"x", 1, 0}},
        {"fremovexattr", SYS_fremovexattr, {own, (long)"user.there"}},
    };
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        const long *a = CALLS[i].args;
        long answer = syscall(CALLS[i].number, a[0], a[1], a[2], a[3], a[4]);
        /* Another error, such as that of a file system without attributes, does not show that anything refuses the call. */
        tell(answer == 0 || (errno != EPERM && errno != EACCES), CALLS[i].what);
    }
}

/* Changes of another process that require only its id. */
static void change_process(pid_t decoy, uid_t user) {
    struct sched_param priority = {0};
    struct {
        unsigned size, policy;
        unsigned long long flags;
        int nice;
        unsigned priority;
        unsigned long long runtime, deadline, period;
    } attributes = {.size = 48, .policy = SCHED_BATCH, .nice = 19};
    tell(setpriority(PRIO_PROCESS, decoy, 19) == 0, "the process's priority");
    tell(getuid() == user && setpriority(PRIO_USER, 0, 19) == 0, "the priority of the arena's user");
    struct rlimit limit = {.rlim_cur = 10, .rlim_max = 10};
    tell(prlimit(decoy, RLIMIT_NOFILE, &limit, 0) == 0, "the process's limits");
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    tell(sched_setaffinity(decoy, sizeof cpus, &cpus) == 0, "the process's cores");
    tell(sched_setscheduler(decoy, SCHED_BATCH, &priority) == 0, "the process's scheduler");
    tell(sched_setparam(decoy, &priority) == 0, "the process's parameters");
    tell(syscall(SYS_sched_setattr, decoy, &attributes, 0) == 0, "the process's attributes");
    tell(syscall(SYS_ioprio_set, 1, decoy, 3 << 13) == 0, "the process's priority at the disk");
    unsigned long nodes = 1;
    tell(syscall(SYS_migrate_pages, decoy, 8, &nodes, &nodes) >= 0, "the node of the process's memory");
    tell(syscall(SYS_move_pages, decoy, 0, 0, 0, 0, 0) == 0, "the place of the process's memory");
}

static void reach(const char *directory, pid_t decoy) {
    char path[4096];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", directory);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    tell(s >= 0 && connect(s, (struct sockaddr *)&name, sizeof name) == 0, "the socket with a path");
    int pair[2];
    tell(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "a socket that sends by name");
    tell(socketpair(AF_UNIX, SOCK_RAW, 0, pair) == 0, "another socket that sends by name");
    tell_socket(AF_NETLINK, SOCK_RAW, 0, "netlink");
    tell_socket(AF_INET, SOCK_DGRAM, 0, "UDP");
    tell_socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0, "UDP 6");
    tell_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP, "raw packets");
    tell_socket(AF_INET, SOCK_STREAM, 262, "MPTCP");
    tell_socket(AF_VSOCK, SOCK_STREAM, 0, "vsock");
    s = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    tell(setsockopt(s, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on) == 0, "fast open by an option");
    tell(listen(s, 1) == 0, "a port to listen on");
    s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    tell(bind(s, (struct sockaddr *)&any, sizeof any) == 0, "a port");
    struct iovec piece = {"x", 1};
    struct msghdr message = {.msg_name = &any, .msg_namelen = sizeof any, .msg_iov = &piece, .msg_iovlen = 1};
    struct mmsghdr messages = {.msg_hdr = message};
    tell(sendmsg(s, &message, MSG_FASTOPEN | MSG_NOSIGNAL) >= 0 || errno != EPERM, "fast open by a message");
    tell(sendmmsg(s, &messages, 1, MSG_FASTOPEN | MSG_NOSIGNAL) >= 0 || errno != EPERM, "fast open by messages");
    int shared = shmget(IPC_PRIVATE, 4096, 0600);
    tell(shared >= 0, "memory that outlives it");
    if (shared >= 0)
        shmctl(shared, IPC_RMID, 0);
    tell(semget(IPC_PRIVATE, 1, 0600) >= 0, "semaphores that outlive it");
    tell(syscall(SYS_msgget, IPC_PRIVATE, 0600) >= 0, "messages that outlive it");
    tell(syscall(SYS_mq_open, "gothello-probe", O_CREAT | O_RDWR, 0600, 0) >= 0, "a queue with a name");
    tell(succeeds_in_a_child(begin_session), "another session");
    tell(succeeds_in_a_child(lead_group), "another group");
    snprintf(path, sizeof path, "%s/file", directory);
    change_file(path);
    struct stat file = {0};
    stat(path, &file);
    change_process(decoy, file.st_uid);
}

static void hop(void) {
    time_t end = time(NULL) + 5;
    for (int i = 0; i < 100000 && time(NULL) < end; i++) {
        pid_t child = fork();
        if (child != 0)
            _exit(0);
        setsid();
    }
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[1], "reach") == 0)
        reach(argv[2], atoi(argv[3]));
    else if (argc > 1 && strcmp(argv[1], "hop") == 0)
        hop();
    else
        return 2;
    return 0;
}
