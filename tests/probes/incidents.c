/* Tries what public incidents of sandboxes, judges and containers did, each once and on decoys.
 *
 *     incidents try DIRECTORY PORT PROCESS NAME KEY PROGRAM...    tries every incident, and becomes PROGRAM
 *     incidents decoy KEY    holds shared memory of System V with this key until stdin is closed
 *
 * DIRECTORY has the files `secret` and `results.json`, the directory `dir` with the file `inside`, and the socket `socket`; PORT
 * is a TCP listener on the loopback, PROCESS a process, NAME an abstract socket. The test has made all of them, and everybody may
 * use them. For each incident, the program prints "reached ID" or "refused ID" to stderr. Arguments of calls are invalid wherever a
 * valid one could do harm; such a call is refused if its error is EPERM, which the kernel gives for no invalid argument.
 * `tests/it/confinement/incidents` says what each incident was. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *decoys, *name;
static int port, decoy, key;

static const long NO = -1, BAD = -4096;

/* A path below the decoys, or below the scratch space. */
static const char *at(const char *dir, const char *rest) {
    static char paths[8][4096];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", dir, rest);
    return path;
}

static const char *scratch(const char *rest) {
    const char *dir = getenv("TMPDIR");
    return at(dir ? dir : "/tmp", rest);
}

static int opens(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static int creates(const char *path) {
    int made = opens(path, O_CREAT | O_EXCL | O_WRONLY);
    if (made)
        unlink(path);
    return made;
}

/* Whether anything other than confinement answers the call. */
static int calls(long number, long a, long b, long c, long d, long e) {
    return syscall(number, a, b, c, d, e) != -1 || errno != EPERM;
}

static int has_text(const char *path, const char *text) {
    char data[65536];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, data, sizeof data - 1);
    if (file >= 0)
        close(file);
    if (length < 0)
        return 0;
    int found = memmem(data, length, text, strlen(text)) != NULL;
    errno = found ? 0 : ENODATA;
    return found;
}

static int of_process(int pid, const char *file, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    return opens(path, flags);
}

/* The process that started this program. */
static int keeper;

/* A file of that process, or of the first process. */
static int of_keeper(const char *file, int flags) { return of_process(keeper, file, flags) || of_process(1, file, flags); }

static int makes_socket(int family, int type, int protocol) {
    int s = socket(family, type | SOCK_CLOEXEC, protocol);
    if (s >= 0)
        close(s);
    return s >= 0;
}

static int connects(int family, const struct sockaddr *to, socklen_t length) {
    int s = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int done = s >= 0 && connect(s, to, length) == 0;
    int why = errno;
    if (s >= 0)
        close(s);
    errno = why;
    return done;
}

static int dials(const char *host) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &to.sin_addr);
    return connects(AF_INET, (struct sockaddr *)&to, sizeof to);
}

/* The kernel's answer to a request over netlink, which needs a capability. */
static int asks(int protocol, unsigned short type) {
    struct {
        struct nlmsghdr head;
        char body[64];
    } request = {.head = {.nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK, .nlmsg_seq = 1}};
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[512];
    } answer = {0};
    int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (s < 0)
        return 0;
    if (send(s, &request, sizeof request, 0) < 0 || recv(s, &answer, sizeof answer, 0) < (ssize_t)sizeof answer.head)
        return 0;
    errno = answer.head.nlmsg_type == NLMSG_ERROR ? -answer.error.error : 0;
    return errno != EPERM && errno != EACCES && errno != EOPNOTSUPP;
}

/* runc, Docker, containerd, CRI-O, BuildKit, Kubernetes. */

static int overwrite_keeper(void) { return of_keeper("exe", O_RDONLY); }

static int leaked_files(void) {
    char cwd[4096];
    for (int file = 3; file < 1024; file++)
        if (fcntl(file, F_GETFD) >= 0)
            return 1;
    /* A working directory outside the root has such a path. */
    if (syscall(SYS_getcwd, cwd, sizeof cwd) > 0 && cwd[0] != '/')
        return 1;
    errno = EBADF;
    return 0;
}

static int files_while_joining(void) {
    for (int file = 0; file < 16; file++) {
        char path[32];
        snprintf(path, sizeof path, "fd/%d", file);
        if (of_keeper(path, O_RDONLY))
            return 1;
    }
    return of_keeper("mem", O_RDONLY);
}

static int root_of_keeper(void) { return of_keeper("root/etc/shadow", O_RDONLY) || of_keeper("cwd/", O_RDONLY); }

static int false_proc(void) {
    struct statfs of;
    if (statfs("/proc", &of) != 0 || of.f_type != 0x9fa0)
        return 1;
    return calls(SYS_mount, (long)"none", (long)"/proc/gothello-incident", (long)"tmpfs", 0, 0);
}

static int exchange_in_own_dir(void) { return syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "two", 2) == 0; }

static int exchange_in_scratch(void) {
    mkdir(scratch("sub"), 0700);
    if (symlink(decoys, scratch("way")) != 0 || syscall(SYS_renameat2, AT_FDCWD, scratch("sub"), AT_FDCWD, scratch("way"), 2) != 0)
        return 0;
    return opens(scratch("sub/secret"), O_RDONLY);
}

static int exchange_file(void) {
    int file = open(scratch("plain"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 || symlink(at(decoys, "results.json"), scratch("other")) != 0)
        return 0;
    close(file);
    return syscall(SYS_renameat2, AT_FDCWD, scratch("plain"), AT_FDCWD, scratch("other"), 2) == 0 &&
           opens(scratch("plain"), O_RDWR);
}

static int masked_settings(void) { return opens("/proc/sysrq-trigger", O_WRONLY) || opens("/proc/sys/kernel/shmmax", O_WRONLY); }

static int core_pattern(void) { return opens("/proc/sys/kernel/core_pattern", O_WRONLY); }

static int kernel_settings(void) {
    return opens("/proc/sys/kernel/modprobe", O_WRONLY) || opens("/proc/sys/vm/panic_on_oom", O_WRONLY);
}

static int false_null(void) {
    struct stat null;
    if (stat("/dev/null", &null) != 0 || !S_ISCHR(null.st_mode) || null.st_rdev != makedev(1, 3))
        return 1;
    if (symlink("/proc/sys/kernel/core_pattern", "/dev/gothello-incident") != 0)
        return 0;
    unlink("/dev/gothello-incident");
    return 1;
}

static int console(void) { return opens("/dev/console", O_WRONLY); }

static int labels(void) { return opens("/proc/self/attr/current", O_WRONLY) || opens("/proc/self/attr/exec", O_WRONLY); }

static int release_agent(void) {
    return opens("/sys/fs/cgroup/memory/release_agent", O_WRONLY) || opens("/sys/fs/cgroup/cgroup.procs", O_WRONLY) ||
           syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWCGROUP) == 0;
}

static int old_proc_files(void) {
    return opens("/proc/irq/default_smp_affinity", O_WRONLY) || opens("/proc/latency_stats", O_WRONLY) ||
           opens("/proc/timer_stats", O_WRONLY) || opens("/proc/scsi/scsi", O_WRONLY);
}

static int abstract_socket(void) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path + 1, name, sizeof to.sun_path - 2);
    return connects(AF_UNIX, (struct sockaddr *)&to, sizeof(sa_family_t) + 1 + strlen(name));
}

static int unix_socket(const char *path) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path, path, sizeof to.sun_path - 1);
    return connects(AF_UNIX, (struct sockaddr *)&to, sizeof to);
}

/* A socket like that of a container engine, and the usual places of such sockets. */
static int engine_socket(void) {
    return unix_socket(at(decoys, "socket")) || unix_socket("/var/run/docker.sock") || unix_socket("/run/containerd/containerd.sock");
}

static int dots(void) { return opens(at("/tmp/../../../../..", at(decoys, "secret") + 1), O_RDONLY); }

static int handles(void) { return calls(SYS_open_by_handle_at, NO, BAD, 0, 0, 0); }

/* Links in the scratch space that a program which works there later could follow. */

static int write_by_link(void) {
    unlink(scratch("out"));
    return symlink(at(decoys, "secret"), scratch("out")) == 0 && opens(scratch("out"), O_WRONLY | O_TRUNC);
}

static int own_by_link(void) {
    unlink(scratch("run"));
    return symlink(at(decoys, "results.json"), scratch("run")) == 0 && chown(scratch("run"), getuid(), getgid()) == 0;
}

static int read_by_link(void) {
    unlink(scratch("output.txt"));
    return symlink(at(decoys, "secret"), scratch("output.txt")) == 0 && opens(scratch("output.txt"), O_RDONLY);
}

/* In place of a directory that is removed after the game. */
static int remove_by_link(void) {
    mkdir(scratch("deep"), 0700);
    unlink(scratch("deep/dir"));
    return symlink(at(decoys, "dir"), scratch("deep/dir")) == 0 && unlink(scratch("deep/dir/inside")) == 0;
}

static int hard_link(void) {
    int made = link(at(decoys, "secret"), scratch("hard")) == 0;
    return made && (opens(scratch("hard"), O_RDONLY) || opens(scratch("hard"), O_WRONLY));
}

/* The kernel, from inside containers. */

static int new_namespaces(int which) { return syscall(SYS_unshare, which) == 0; }

static int tables_of_packets(void) {
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    char table[96] = {0};
    int done = s >= 0 && (setsockopt(s, 0, 64, table, sizeof table) == 0 || (errno != EPERM && errno != ENOPROTOOPT));
    return done || new_namespaces(CLONE_NEWUSER | CLONE_NEWNET);
}

static int netfilter(void) { return asks(NETLINK_NETFILTER, 0xa00); }

static int traffic_filters(void) { return asks(NETLINK_ROUTE, 44); }

static int packets(void) { return makes_socket(AF_PACKET, SOCK_RAW, 0); }

static int packet_rings(void) { return makes_socket(AF_PACKET, SOCK_DGRAM, 0); }

static int raw_packets(void) { return makes_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }

static int vsock(void) { return makes_socket(AF_VSOCK, SOCK_STREAM, 0) || makes_socket(AF_VSOCK, SOCK_SEQPACKET, 0); }

/* The kernel may lack these families, which gives another error. */
static int of_family(int family) { return makes_socket(family, SOCK_SEQPACKET, 0) || errno != EPERM; }

static int rds(void) { return of_family(21); }

static int tipc(void) { return of_family(AF_TIPC); }

static int crypto_sockets(void) { return of_family(AF_ALG); }

static int dccp(void) { return makes_socket(AF_INET, 6, 33); }

static int keyring(void) { return syscall(SYS_keyctl, 1, "gothello-incident") >= 0; }

static int load_bpf(void) { return calls(SYS_bpf, 5, BAD, 0, 0, 0); }

static int rings(void) {
    char parameters[120] = {0};
    int ring = syscall(SYS_io_uring_setup, 1, parameters);
    return ring >= 0;
}

static int perf(void) { return calls(SYS_perf_event_open, BAD, 0, 0, NO, ~0L); }

/* With the ring's file, a request could make a socket that no filter of system calls sees. */
static int ring_requests(void) { return calls(SYS_io_uring_enter, NO, 0, 0, 0, 0) || calls(SYS_io_uring_register, NO, 0, 0, 0, 0); }

static int file_system_context(void) { return calls(SYS_fsopen, BAD, ~0L, 0, 0, 0); }

static int overlay(void) {
    return calls(SYS_mount, (long)"none", (long)"/gothello-incident", (long)"overlay", 0, 0) ||
           new_namespaces(CLONE_NEWUSER | CLONE_NEWNS);
}

static int fuse(void) { return opens("/dev/fuse", O_RDWR); }

static int user_maps(void) { return opens("/proc/self/uid_map", O_WRONLY) || new_namespaces(CLONE_NEWUSER); }

static int shared_root(void) { return calls(SYS_clone, CLONE_NEWUSER | CLONE_FS, 0, 0, 0, 0); }

static int new_privileges(void) {
    struct statvfs usr;
    int hides = statvfs("/usr", &usr) == 0 && (usr.f_flag & ST_NOSUID);
    errno = EACCES;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 && !hides;
}

static int trace_me(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0; }

/* The file `book` in the program's directory, which it may read and not write. */
static int is_changed(void) {
    char now[4] = {0};
    int file = open("book", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : pread(file, now, 3, 0);
    if (file >= 0)
        close(file);
    errno = EROFS;
    return length == 3 && memcmp(now, "boo", 3) != 0;
}

static int dirty_pipe(void) {
    int file = open("book", O_RDONLY | O_CLOEXEC), ends[2];
    static char fill[4096];
    if (file < 0 || pipe(ends) != 0)
        return 0;
    int size = fcntl(ends[1], F_GETPIPE_SZ);
    for (int left = size; left > 0; left -= (int)sizeof fill)
        if (write(ends[1], fill, sizeof fill) < 0)
            break;
    for (int left = size; left > 0; left -= (int)sizeof fill)
        if (read(ends[0], fill, sizeof fill) < 0)
            break;
    loff_t from = 0;
    if (splice(file, &from, ends[1], NULL, 1, 0) == 1 && write(ends[1], "XX", 2) < 0)
        return 0;
    return is_changed();
}

static void *cow;

static void *forget(void *unused) {
    for (int i = 0; i < 2000; i++)
        madvise(cow, 4096, MADV_DONTNEED);
    return unused;
}

static int dirty_cow(void) {
    int file = open("book", O_RDONLY | O_CLOEXEC), memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (file < 0 || memory < 0)
        return 0;
    cow = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    pthread_t thread;
    if (cow == MAP_FAILED || pthread_create(&thread, NULL, forget, NULL) != 0)
        return 0;
    for (int i = 0; i < 2000; i++)
        if (pwrite(memory, "X", 1, (off_t)(uintptr_t)cow) < 0)
            break;
    pthread_join(thread, NULL);
    return is_changed();
}

/* Flatpak, bubblewrap, snapd. */

static int to_terminal(unsigned long request) {
    char letter = 0;
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
    for (int file = 0; file < 3; file++)
        if (syscall(SYS_ioctl, file, request, &letter) == 0)
            return 1;
    return tty >= 0 && syscall(SYS_ioctl, tty, request, &letter) == 0;
}

static int type_ahead(void) { return to_terminal(TIOCSTI); }

static int type_ahead_with_high_bits(void) { return to_terminal(TIOCSTI | 1UL << 32); }

static int paste(void) { return to_terminal(TIOCLINUX); }

static int new_mount_calls(void) {
    return calls(SYS_open_tree, NO, BAD, ~0L, 0, 0) || calls(SYS_move_mount, NO, BAD, NO, BAD, ~0L) ||
           calls(SYS_mount_setattr, NO, BAD, ~0L, BAD, 0) || syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS;
}

/* A call by the interface for 32-bit programs, whose numbers differ. */
static long old_call(long number, long a, long b) {
    long answer = -ENOSYS;
#ifdef __x86_64__
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(a), "c"(b), "d"(0L) : "memory", "r8", "r9", "r10", "r11");
#else
    (void)number, (void)a, (void)b;
#endif
    errno = answer < 0 ? (int)-answer : 0;
    return answer;
}

static int other_interface(void) { return old_call(20, 0, 0) == getpid(); }

static int vsock_by_other_interface(void) {
    if (old_call(359, AF_VSOCK, SOCK_STREAM) >= 0)
        return 1;
#ifdef MAP_32BIT
    /* `socketcall` reads its arguments from memory, which a filter of system calls cannot do. */
    uint32_t *arguments = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (arguments == MAP_FAILED)
        return 0;
    arguments[0] = AF_VSOCK;
    arguments[1] = SOCK_STREAM;
    return old_call(102, 1, (long)(uintptr_t)arguments) >= 0;
#else
    return 0;
#endif
}

/* Judges and graders. */

static int internal_services(void) {
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
    return dials("127.0.0.1") || dials("0.0.0.0") || dials("127.0.0.2") || connects(AF_INET6, (struct sockaddr *)&to, sizeof to);
}

/* The kernel only looks for a route: nothing is sent. */
static int outside(void) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return s >= 0 && connect(s, (struct sockaddr *)&to, sizeof to) == 0;
}

static const char SECRET[] = "GOTHELLO_INCIDENT_SECRET";

static int environment(void) {
    errno = ENODATA;
    return getenv(SECRET) != NULL;
}

static int environment_of_child(void) { return system("env | grep -q GOTHELLO_INCIDENT_SECRET") == 0; }

static int environment_in_proc(void) { return has_text("/proc/self/environ", SECRET) || has_text("/proc/thread-self/environ", SECRET); }

static int environment_of_keeper(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", keeper);
    return has_text(path, SECRET) || has_text("/proc/1/environ", SECRET) || of_process(keeper, "environ", O_RDONLY);
}

static int files_of_keeper(void) {
    for (int file = 0; file < 16; file++) {
        char path[32];
        snprintf(path, sizeof path, "fd/%d", file);
        if (of_process(keeper, path, O_WRONLY))
            return 1;
    }
    return 0;
}

static int memory_of_keeper(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)&keeper, 1};
    return of_process(keeper, "mem", O_RDWR) || process_vm_readv(keeper, &here, 1, &there, 1, 0) > 0;
}

static int signal_others(void) { return kill(decoy, SIGTERM) == 0; }

static int proc_of_others(void) {
    return of_process(decoy, "environ", O_RDONLY) || of_process(decoy, "fd/0", O_RDONLY) || of_process(decoy, "maps", O_RDONLY);
}

static int terminals(void) { return opens("/dev/pts/ptmx", O_RDWR) || opens("/dev/ptmx", O_RDWR) || opens("/dev/tty0", O_RDONLY); }

static int own_dir(void) { return creates("new") || opens("one", O_WRONLY); }

static int own_program(void) {
    /* A running program cannot be written to, but it could be replaced. */
    return rename("incidents", "replaced") == 0 || opens("run.sh", O_WRONLY | O_APPEND);
}

static int public_dirs(void) { return creates("/var/tmp/gothello-incident") || creates(at(decoys, "dir/new")); }

static int times(void) { return utimensat(AT_FDCWD, at(decoys, "secret"), NULL, 0) == 0; }

static int modes(void) { return chmod(at(decoys, "results.json"), 0400) == 0 || rename(at(decoys, "results.json"), at(decoys, "dir/r")) == 0; }

static int results(void) { return opens(at(decoys, "results.json"), O_WRONLY) || opens("../out/journal.jsonl", O_WRONLY | O_APPEND); }

static int answers(void) { return opens(at(decoys, "secret"), O_RDONLY); }

static int answers_nearby(void) {
    return opens("../class.toml", O_RDONLY) || opens("../out/journal.jsonl", O_RDONLY) || opens("../rival/secret", O_RDONLY);
}

static int look_around(void) {
    DIR *above = opendir("..");
    int seen = 0;
    for (struct dirent *entry; above && (entry = readdir(above));)
        seen += strcmp(entry->d_name, "rival") == 0 || strcmp(entry->d_name, "class.toml") == 0;
    return seen > 0;
}

static int guess_names(void) { return opens(at(decoys, "dir"), O_RDONLY | O_DIRECTORY) || opens("../rival", O_RDONLY | O_DIRECTORY); }

static int passwords(void) { return opens("/etc/shadow", O_RDONLY); }

static int shared_memory_files(void) { return opens(at("/dev/shm", name), O_RDONLY); }

static int shared_memory(void) { return shmget(key, 0, 0) >= 0; }

static int device_files(void) { return mknod(scratch("device"), S_IFCHR | 0600, makedev(1, 1)) == 0; }

static int existence(void) {
    struct stat file;
    return stat(at(decoys, "secret"), &file) == 0;
}

static int dangerous_calls(void) {
    return ptrace(PTRACE_SEIZE, decoy, 0, 0) == 0 || calls(SYS_init_module, BAD, 0, BAD, 0, 0) ||
           calls(SYS_kexec_load, 0, 0, 0, ~0L, 0) || calls(SYS_sethostname, BAD, 1, 0, 0, 0);
}

/* Leaves a process that has closed everything, ignores signals, and is in its own session if that is allowed. */
static int stay(void) {
    if (fork() == 0) {
        setsid();
        signal(SIGHUP, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        for (int file = 0; file < 3; file++)
            close(file);
        sleep(60);
        _exit(0);
    }
    /* The test looks for the process after the game. */
    errno = 0;
    return 0;
}

static const struct {
    const char *id;
    int (*reach)(void);
} INCIDENTS[] = {
    {"CVE-2019-5736", overwrite_keeper},
    {"CVE-2024-21626", leaked_files},
    {"CVE-2016-9962", files_while_joining},
    {"CVE-2019-16884", false_proc},
    {"CVE-2021-30465", exchange_in_own_dir},
    {"CVE-2019-19921", masked_settings},
    {"CVE-2023-27561", kernel_settings},
    {"CVE-2025-31133", false_null},
    {"CVE-2025-52565", console},
    {"CVE-2025-52881", labels},
    {"systemd#7914", root_of_keeper},
    {"CVE-2015-3630", old_proc_files},
    {"CVE-2018-15664", exchange_in_scratch},
    {"CVE-2020-15257", abstract_socket},
    {"CVE-2022-0811", core_pattern},
    {"CVE-2022-23648", dots},
    {"CVE-2024-23652", remove_by_link},
    {"CVE-2021-25741", exchange_file},
    {"CVE-2020-8558", raw_packets},
    {"SerenityOS#15996", hard_link},
    {"docker-socket", engine_socket},
    {"shocker", handles},
    {"CVE-2022-0492", release_agent},
    {"CVE-2022-0847", dirty_pipe},
    {"CVE-2016-5195", dirty_cow},
    {"CVE-2022-0185", file_system_context},
    {"CVE-2023-2640", overlay},
    {"CVE-2023-0386", fuse},
    {"CVE-2018-18955", user_maps},
    {"CVE-2013-1858", shared_root},
    {"CVE-2021-22555", tables_of_packets},
    {"CVE-2024-1086", netfilter},
    {"CVE-2022-2588", traffic_filters},
    {"CVE-2020-14386", packets},
    {"CVE-2017-7308", packet_rings},
    {"CVE-2017-6074", dccp},
    {"CVE-2010-3904", rds},
    {"CVE-2021-43267", tipc},
    {"CVE-2019-8912", crypto_sockets},
    {"CVE-2024-50264", vsock},
    {"CVE-2016-0728", keyring},
    {"CVE-2021-3490", load_bpf},
    {"CVE-2022-29582", rings},
    {"CVE-2013-2094", perf},
    {"CVE-2021-4034", new_privileges},
    {"CVE-2019-13272", trace_me},
    {"CVE-2017-5226", type_ahead},
    {"CVE-2019-10063", type_ahead_with_high_bits},
    {"CVE-2023-28100", paste},
    {"CVE-2021-41133", new_mount_calls},
    {"CVE-2009-0835", other_interface},
    {"CVE-2024-28185", write_by_link},
    {"CVE-2024-28189", own_by_link},
    {"CVE-2024-29021", internal_services},
    {"judge0#564", environment_of_child},
    {"go-judge#176", read_by_link},
    {"DMOJ#318", stay},
    {"DMOJ#281", terminals},
    {"DMOJ-bb31e7a", own_program},
    {"OpenBot#551", proc_of_others},
    {"DMOJ#926", times},
    {"isolate-2.6-shm", shared_memory_files},
    {"isolate-2.6-uring", ring_requests},
    {"moby#53551", vsock_by_other_interface},
    {"userchroot#13", shared_memory},
    {"isolate-057c58c", device_files},
    {"isolate-2.5", existence},
    {"OpenShell#664", public_dirs},
    {"OpenShell#578", dangerous_calls},
    {"OpenShell#112", environment},
    {"NemoClaw#1739", own_dir},
    {"inflexa#88", environment_of_keeper},
    {"sandlock#246", environment_in_proc},
    {"Byte-Heist#36", files_of_keeper},
    {"Gradescope-results", results},
    {"Gradescope-tests", answers},
    {"gradema", modes},
    {"nbgrader#978", guess_names},
    {"PrairieLearn#5184", memory_of_keeper},
    {"LemonLime#64", answers_nearby},
    {"code-executor#15", look_around},
    {"kjudge#82", passwords},
    {"Sharif-Judge#5", outside},
    {"project-lemon#11", signal_others},
};

/* Tries each incident in a process of its own, which nothing that happens to it outlives. */
static void try_all(void) {
    keeper = getppid();
    for (size_t i = 0; i < sizeof INCIDENTS / sizeof *INCIDENTS; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            alarm(5);
            errno = 0;
            int reached = INCIDENTS[i].reach();
            _exit(reached ? 254 : errno & 127);
        }
        waitpid(child, &status, 0);
        int reached = child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 254);
        const char *why = WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : strsignal(WTERMSIG(status));
        fprintf(stderr, "%s %s (%s)\n", reached ? "reached" : "refused", INCIDENTS[i].id, reached ? "yes" : why);
    }
}

int main(int argc, char **argv) {
    if (argc > 7 && strcmp(argv[1], "try") == 0) {
        decoys = argv[2];
        port = atoi(argv[3]);
        decoy = atoi(argv[4]);
        name = argv[5];
        key = atoi(argv[6]);
        try_all();
        execv(argv[7], argv + 7);
        return 1;
    } else if (argc == 3 && strcmp(argv[1], "decoy") == 0) {
        char byte;
        int memory = shmget(atoi(argv[2]), 4096, IPC_CREAT | 0666);
        printf("ready\n");
        fflush(stdout);
        if (memory < 0 || read(0, &byte, 1) < 0)
            return 1;
        shmctl(memory, IPC_RMID, NULL);
    } else {
        return 2;
    }
    return 0;
}
