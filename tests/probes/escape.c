/* Tries what a bot without its own namespaces could do to the host.
 *
 *     escape reach DIRECTORY PROCESS     tries every way once on decoys: a file and a socket in DIRECTORY, and PROCESS
 *     escape hop                         keeps forking and exiting, for at most 5 s and 100,000 times
 *
 * For every attempt, it prints "reached WHAT" or "refused WHAT" to stderr. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void tell(int reached, const char *what) {
    fprintf(stderr, "%s %s (%s)\n", reached ? "reached" : "refused", what, reached ? "yes" : strerror(errno));
}

static void tell_socket(int domain, int type, int protocol, const char *what) {
    tell(socket(domain, type, protocol) >= 0, what);
}

static void reach(const char *directory, pid_t decoy) {
    char path[4096];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", directory);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    tell(s >= 0 && connect(s, (struct sockaddr *)&name, sizeof name) == 0, "the socket with a path");
    int pair[2];
    tell(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "a socket that sends by name");
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
    int shared = shmget(IPC_PRIVATE, 4096, 0600);
    tell(shared >= 0, "memory that outlives it");
    if (shared >= 0)
        shmctl(shared, IPC_RMID, 0);
    tell(setsid() >= 0 || setpgid(0, 0) == 0, "another group");
    snprintf(path, sizeof path, "%s/file", directory);
    tell(chmod(path, 0600) == 0, "the file's mode");
    tell(setpriority(PRIO_PROCESS, decoy, 19) == 0, "the process's priority");
    struct rlimit limit = {.rlim_cur = 10, .rlim_max = 10};
    tell(prlimit(decoy, RLIMIT_NOFILE, &limit, 0) == 0, "the process's limits");
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    tell(sched_setaffinity(decoy, sizeof cpus, &cpus) == 0, "the process's cores");
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
