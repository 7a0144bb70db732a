//! The public incidents that `tests/probes/incidents.c` repeats. docs/reference/confinement-incidents.md contains the
//! same table.

use super::Control::{After, Elsewhere, Fixed, Open, Planted, Rare};
use super::Incident;

const fn cve(id: &'static str, what: &'static str) -> Incident {
    Incident { id, what, source: "", control: Open }
}

const fn public(id: &'static str, source: &'static str, what: &'static str) -> Incident {
    Incident { id, what, source, control: Open }
}

const JUDGE0: &str = "https://tantosec.com/blog/judge0/";
const ISOLATE: &str = "https://github.com/ioi/isolate/blob/master/NEWS";
const GRADESCOPE: &str = "https://github.com/saligrama/securescope";

/// Every incident, in the order in which the program tries them; the incidents that it does not try itself come last.
pub(crate) const INCIDENTS: &[Incident] = &[
    // runc, Docker, containerd, CRI-O, BuildKit, Kubernetes.
    cve("CVE-2019-5736", "a container reached the runtime's own binary through `/proc/PID/exe` and overwrote it"),
    cve("CVE-2024-21626", "runc leaked a descriptor of the host's file system, which became the working directory"),
    cve("CVE-2016-9962", "a process that joined a container could be traced, and its open files used, from inside"),
    cve("CVE-2019-16884", "an image put its own mount in place of `/proc`, so the AppArmor profile never took effect"),
    cve("CVE-2021-30465", "entries of a shared volume were exchanged for links while they were being mounted"),
    cve("CVE-2019-19921", "a race over a shared volume gave runc a false `/proc`, so the real one stayed unprotected"),
    cve("CVE-2023-27561", "the same race came back, up to runc 1.1.4, so settings in `/proc` stayed unprotected"),
    cve("CVE-2025-31133", "a link in place of `/dev/null` made runc mount one of the host's settings, writable"),
    cve("CVE-2025-52565", "a link in place of a terminal made runc mount a setting, writable, at `/dev/console`"),
    cve("CVE-2025-52881", "a racing container redirected runc's writes of security labels to other files in `/proc`"),
    public(
        "systemd#7914",
        "https://github.com/systemd/systemd/issues/7914",
        "a service left its own view of the file system through `/proc/PID/root` of another process",
    ),
    cve("CVE-2015-3630", "writable files in `/proc` changed the host's settings"),
    cve("CVE-2018-15664", "a directory was exchanged for a link while `docker cp` copied from it"),
    cve("CVE-2020-15257", "containers with the host's network reached an abstract socket of containerd"),
    cve("CVE-2022-0811", "a pod smuggled `kernel.core_pattern` past CRI-O, and the host ran a program of its choice"),
    cve("CVE-2022-23648", "a path with `..` among an image's volumes copied the host's files into the container"),
    cve(
        "CVE-2024-23652",
        "BuildKit was led outside the container when it removed mount points, and deleted a file there",
    ),
    cve("CVE-2021-25741", "a subpath of a volume was exchanged for a link to one of the host's files"),
    cve("CVE-2020-8558", "neighbours sent raw packets to services that listened only on the loopback interface"),
    public(
        "SerenityOS#15996",
        "https://github.com/SerenityOS/serenity/issues/15996",
        "a program that could only read a file wrote to it by a hard link in another directory",
    ),
    public(
        "docker-socket",
        "https://cheatsheetseries.owasp.org/cheatsheets/Docker_Security_Cheat_Sheet.html",
        "the socket of a container engine was reachable from inside a container",
    ),
    public(
        "shocker",
        "https://github.com/gabrtv/shocker",
        "`open_by_handle_at` opened the host's files from inside a container",
    ),
    // The kernel, from inside containers.
    cve("CVE-2022-0492", "a new user and cgroup namespace allowed setting the host's `release_agent`"),
    Incident {
        control: Fixed,
        ..cve("CVE-2022-0847", "Dirty Pipe: a pipe wrote to the cached pages of read-only files")
    },
    Incident {
        control: Fixed,
        ..cve("CVE-2016-5195", "Dirty COW: a race wrote to private mappings of read-only files")
    },
    cve("CVE-2022-0185", "`fsopen` and `fsconfig` overflowed a kernel buffer"),
    cve("CVE-2023-2640", "on Ubuntu, an overlay in a user namespace kept capabilities on files"),
    Incident {
        control: Rare,
        ..cve("CVE-2023-0386", "an overlay copied a set-user-id file out of a `nosuid` mount, such as FUSE")
    },
    cve("CVE-2018-18955", "a map of user ids with more than five ranges granted rights outside its namespace"),
    cve("CVE-2013-1858", "a new user namespace that shared its root with its parent granted root's rights"),
    cve("CVE-2021-22555", "packet filter tables overflowed a kernel buffer, from a network namespace"),
    cve("CVE-2024-1086", "nf_tables verdicts were freed twice, from a network namespace"),
    cve("CVE-2022-2588", "a traffic filter stayed linked after it was freed"),
    cve("CVE-2020-14386", "packet sockets wrote outside their memory"),
    cve("CVE-2017-7308", "packet socket rings overflowed, because the sizes of their blocks were not checked"),
    Incident { control: Rare, ..cve("CVE-2017-6074", "DCCP sockets freed memory twice") },
    cve("CVE-2010-3904", "RDS sockets wrote to kernel addresses"),
    cve("CVE-2021-43267", "TIPC sockets overflowed a kernel buffer"),
    cve("CVE-2019-8912", "sockets of the kernel's crypto API used memory after it was freed"),
    cve("CVE-2024-50264", "vsock sockets used memory after it was freed"),
    cve("CVE-2016-0728", "a keyring's reference counter overflowed"),
    cve("CVE-2021-3490", "a loaded BPF program read and wrote kernel memory"),
    cve("CVE-2022-29582", "io_uring used memory after it was freed"),
    cve(
        "CVE-2013-2094",
        "`perf_event_open` kept an index in a variable of the wrong type, and so checked only a part of it",
    ),
    cve("CVE-2021-4034", "a set-user-id program that was started without arguments granted root's rights"),
    cve("CVE-2019-13272", "`PTRACE_TRACEME` made a privileged parent trace its child with the parent's rights"),
    // Flatpak, bubblewrap, snapd, and filters of system calls.
    Incident {
        control: Rare,
        ..cve("CVE-2017-5226", "a sandboxed program typed commands into its terminal (`TIOCSTI`)")
    },
    Incident {
        control: Rare,
        ..cve("CVE-2019-10063", "`TIOCSTI` with high bits set passed the filter that refused it")
    },
    Incident { control: Rare, ..cve("CVE-2023-28100", "`TIOCLINUX` pasted commands into a virtual console") },
    cve("CVE-2021-41133", "new mount system calls, unknown to a filter, replaced the files that identified a sandbox"),
    Incident {
        control: Rare,
        ..cve("CVE-2009-0835", "a filter took 32-bit system calls for the 64-bit calls that have the same numbers")
    },
    // Judges and graders.
    public("CVE-2024-28185", JUDGE0, "judge0 wrote its script to a link in the sandbox, and so to a host file"),
    public("CVE-2024-28189", JUDGE0, "judge0 changed the owner of a file to which a link in the sandbox led"),
    public("CVE-2024-29021", JUDGE0, "a submission connected to judge0's own database"),
    public(
        "judge0#564",
        "https://github.com/judge0/judge0/issues/564",
        "a child process of a submission printed the environment of the sandbox",
    ),
    public(
        "go-judge#176",
        "https://github.com/criyle/go-judge/issues/176",
        "go-judge followed a link in place of an output file, and could show the host's files",
    ),
    Incident {
        control: After,
        ..public(
            "DMOJ#318",
            "https://github.com/DMOJ/judge-server/issues/318",
            "code that ran during compilation left a process in its own session that outlived the judging",
        )
    },
    public(
        "DMOJ#281",
        "https://github.com/DMOJ/judge-server/pull/281",
        "a rule for one language would have let submissions read other users' terminals",
    ),
    public(
        "DMOJ-bb31e7a",
        "https://github.com/DMOJ/judge-server/commit/bb31e7a2",
        "submissions could open files for writing",
    ),
    public(
        "OpenBot#551",
        "https://github.com/CopilotKit/OpenBot/issues/551",
        "an agent's shell read the environment of neighbouring processes in `/proc`",
    ),
    public(
        "DMOJ#926",
        "https://github.com/DMOJ/judge-server/pull/926",
        "during compilation, the system call that sets file times was not checked",
    ),
    public("isolate-2.6-shm", ISOLATE, "sandboxes shared `/dev/shm`, a channel between submissions"),
    public("isolate-2.6-uring", ISOLATE, "io_uring could make vsock sockets that the filter would have refused"),
    Incident {
        control: Rare,
        ..public(
            "moby#53551",
            "https://github.com/moby/moby/pull/53551",
            "the 32-bit call `socketcall` made vsock sockets past Docker's filter",
        )
    },
    public(
        "userchroot#13",
        "https://github.com/bloomberg/userchroot/issues/13",
        "System V shared memory outside a chroot was reachable from inside",
    ),
    public(
        "isolate-057c58c",
        "https://github.com/ioi/isolate/commit/057c58c",
        "a submission could leave links, pipes or device files in its output",
    ),
    public("isolate-2.5", ISOLATE, "a check of directory rules revealed whether hidden directories exist"),
    public(
        "OpenShell#664",
        "https://github.com/NVIDIA/OpenShell/issues/664",
        "one missing path in the policy silently disabled Landlock for all directories",
    ),
    public(
        "OpenShell#578",
        "https://github.com/NVIDIA/OpenShell/issues/578",
        "the filter allowed tracing neighbours, loading modules, and renaming the machine",
    ),
    public(
        "OpenShell#112",
        "https://github.com/NVIDIA/OpenShell/issues/112",
        "secrets were in the environment of the sandboxed program",
    ),
    public(
        "NemoClaw#1739",
        "https://github.com/NVIDIA/NemoClaw/issues/1739",
        "the working directory was writable although the policy said that it was not",
    ),
    public(
        "inflexa#88",
        "https://github.com/inflexa-ai/inflexa/issues/88",
        "a sandboxed program could read a secret in the environment of the first process, in `/proc`",
    ),
    public(
        "sandlock#246",
        "https://github.com/multikernel/sandlock/issues/246",
        "`/proc/self` belonged to the supervisor and showed its environment",
    ),
    public(
        "Byte-Heist#36",
        "https://github.com/Byte-Heist/Byte-Heist/issues/36",
        "through `/proc`, a program communicated directly with its runner, past the judge",
    ),
    public("Gradescope-results", GRADESCOPE, "a submission made its own results replace those of the grader"),
    public("Gradescope-tests", GRADESCOPE, "a submission read the hidden tests and sent them away"),
    public(
        "gradema",
        "https://gradema.readthedocs.io/en/latest/develop/assignment/security.html",
        "a submission could remove the results, or the grader's permission to write them",
    ),
    public(
        "nbgrader#978",
        "https://github.com/jupyter/nbgrader/issues/978",
        "students could reach other students' submissions by guessing directory names",
    ),
    public(
        "PrairieLearn#5184",
        "https://github.com/PrairieLearn/PrairieLearn/pull/5184",
        "student code ran in the process of the grader, and could reach into its memory",
    ),
    public(
        "LemonLime#64",
        "https://github.com/Project-LemonLime/Project_LemonLime/issues/64",
        "a submission found the path of the answers from its working directory",
    ),
    public(
        "code-executor#15",
        "https://github.com/csivitu/code-executor/issues/15",
        "a submission could find and read the test cases in its container",
    ),
    public(
        "kjudge#82",
        "https://github.com/natsukagami/kjudge/issues/82",
        "submissions were compiled outside the sandbox, and could include `/etc/shadow`",
    ),
    public(
        "Sharif-Judge#5",
        "https://github.com/mjnaderi/Sharif-Judge/issues/5",
        "a submission stole a judge's test cases over the network",
    ),
    public(
        "project-lemon#11",
        "https://github.com/zhipeng-jia/project-lemon/issues/11",
        "a submission could attach a debugger to the judge, or kill other programs",
    ),
    Incident {
        control: Planted,
        ..public(
            "OpenShell#2750",
            "https://github.com/NVIDIA/OpenShell/issues/2750",
            "the privileged supervisor ran tools, such as `ip`, from the image of the sandboxed program",
        )
    },
    Incident {
        control: Elsewhere,
        ..public(
            "aurora#11",
            "https://github.com/pushkar8723/aurora/issues/11",
            "a submission that kept forking took down the whole server",
        )
    },
];
