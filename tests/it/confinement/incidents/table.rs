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
const GRADESCOPE: &str = "https://saligrama.io/blog/gradescope-autograder-security/";

/// Every incident, in the order in which the program tries them; the incidents that it does not try itself come last.
pub(crate) const INCIDENTS: &[Incident] = &[
    // runc, Docker, containerd, CRI-O, BuildKit, Kubernetes.
    cve("CVE-2019-5736", "a container reached the runtime's own binary through `/proc/PID/exe` and overwrote it"),
    cve("CVE-2024-21626", "runc leaked a descriptor of the host's file system, which became the working directory"),
    cve("CVE-2016-9962", "a process that joined a container could be traced, and its open files used, from inside"),
    cve("CVE-2019-16884", "an image put its own mount in place of `/proc`, so the protections never took effect"),
    cve("CVE-2021-30465", "entries of a shared volume were exchanged for links while they were being mounted"),
    cve("CVE-2019-19921", "masked settings in `/proc` stayed writable because of a race while it was being mounted"),
    cve("CVE-2023-27561", "the same race came back: settings such as `kernel.modprobe` were writable"),
    cve("CVE-2025-31133", "a link in place of `/dev/null` made runc mask a file with one of the host's settings"),
    cve("CVE-2025-52565", "a link in place of `/dev/console` led to a writable mount of a setting"),
    cve("CVE-2025-52881", "writes of security labels to `/proc/self/attr` were redirected to other settings"),
    cve("CVE-2015-3627", "the first process kept host files open, which were reachable through `/proc/1`"),
    cve("CVE-2015-3630", "writable files in `/proc` changed the host's settings"),
    cve("CVE-2018-15664", "a directory was exchanged for a link while `docker cp` copied from it"),
    cve("CVE-2020-15257", "containers with the host's network reached an abstract socket of containerd"),
    cve("CVE-2022-0811", "a container set `kernel.core_pattern`, and the host ran a program of its choice"),
    cve("CVE-2022-23648", "a path with `..` in an image copied the host's files into the container"),
    cve("CVE-2024-23652", "BuildKit followed a link when it cleaned up, and deleted the host's files"),
    cve("CVE-2021-25741", "a subpath of a volume was exchanged for a link to one of the host's files"),
    cve("CVE-2020-8558", "neighbours sent raw packets to services that listened only on the loopback interface"),
    public(
        "SerenityOS#15996",
        "https://github.com/SerenityOS/serenity/issues/15996",
        "a program from which a file was hidden made a hard link to the file and read the link",
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
    cve("CVE-2023-2640", "an overlay in a user namespace kept capabilities on files"),
    Incident { control: Rare, ..cve("CVE-2023-0386", "an overlay copied a set-user-id file out of a FUSE mount") },
    cve("CVE-2018-18955", "a map of user ids with many ranges granted rights outside its namespace"),
    cve("CVE-2013-1858", "a new user namespace that shared its root with its parent granted root's rights"),
    cve("CVE-2021-22555", "packet filter tables overflowed a kernel buffer, from a network namespace"),
    cve("CVE-2024-1086", "nf_tables verdicts were freed twice, from a network namespace"),
    cve("CVE-2022-2588", "a traffic filter stayed linked after it was freed"),
    cve("CVE-2020-14386", "packet sockets wrote outside their memory"),
    cve("CVE-2017-7308", "packet socket rings overflowed"),
    Incident { control: Rare, ..cve("CVE-2017-6074", "DCCP sockets used memory after it was freed") },
    cve("CVE-2010-3904", "RDS sockets wrote to kernel addresses"),
    cve("CVE-2021-43267", "TIPC sockets overflowed a kernel buffer"),
    cve("CVE-2019-8912", "sockets of the kernel's crypto API used memory after it was freed"),
    cve("CVE-2024-50264", "vsock sockets used memory after it was freed"),
    cve("CVE-2016-0728", "a keyring's reference counter overflowed"),
    cve("CVE-2021-3490", "a loaded BPF program read and wrote kernel memory"),
    cve("CVE-2022-29582", "io_uring used memory after it was freed"),
    cve("CVE-2013-2094", "`perf_event_open` used an index without checking it"),
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
        ..cve("CVE-2009-0835", "32-bit system calls passed a filter that recognised only 64-bit call numbers")
    },
    // Judges and graders.
    public("CVE-2024-28185", JUDGE0, "judge0 wrote its script to a link in the sandbox, and so to a host file"),
    public("CVE-2024-28189", JUDGE0, "judge0 changed the owner of a file to which a link in the sandbox led"),
    public("CVE-2024-29021", JUDGE0, "a submission connected to judge0's own database"),
    public(
        "judge0#564",
        "https://github.com/judge0/judge0/issues/564",
        "a child process of a submission printed the judge's environment",
    ),
    public(
        "go-judge#176",
        "https://github.com/criyle/go-judge/issues/176",
        "go-judge followed a link in place of an output file, and showed the host's files",
    ),
    Incident {
        control: After,
        ..public(
            "DMOJ#318",
            "https://github.com/DMOJ/judge-server/issues/318",
            "a submission left a process in its own session that outlived its judging",
        )
    },
    public(
        "DMOJ#281",
        "https://github.com/DMOJ/judge-server/pull/281",
        "a rule for one language would have let submissions read other users' terminals",
    ),
    public(
        "DMOJ#445",
        "https://github.com/DMOJ/judge-server/pull/445",
        "submissions could open files for writing, among them their own program",
    ),
    public(
        "DMOJ#910",
        "https://github.com/DMOJ/judge-server/pull/910",
        "submissions could read `/proc`, including its information about other processes",
    ),
    public(
        "DMOJ#926",
        "https://github.com/DMOJ/judge-server/pull/926",
        "the system call that sets file times was not checked",
    ),
    public("isolate-2.6-shm", ISOLATE, "sandboxes shared `/dev/shm`, a channel between submissions"),
    public("isolate-2.6-uring", ISOLATE, "io_uring made vsock sockets that the filter would have refused"),
    Incident {
        control: Rare,
        ..public("isolate-2.6-legacy", ISOLATE, "the filter did not cover the system calls of 32-bit programs")
    },
    public("isolate-2.4", ISOLATE, "kernel objects, such as shared memory, leaked between sandboxes"),
    public(
        "isolate-057c58c",
        "https://github.com/ioi/isolate/commit/057c58c",
        "a submission could leave device files or other special files in its output",
    ),
    public("isolate-2.5", ISOLATE, "a check of directory rules revealed whether hidden paths exist"),
    public(
        "OpenShell#803",
        "https://github.com/NVIDIA/OpenShell/issues/803",
        "Landlock was silently not enforced, and public directories were writable",
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
        "sandlock#11",
        "https://github.com/multikernel/sandlock/issues/11",
        "a sandboxed program read the files of its parent in `/proc`",
    ),
    public(
        "sandlock#246",
        "https://github.com/multikernel/sandlock/issues/246",
        "`/proc/self` belonged to the supervisor and showed its environment",
    ),
    public(
        "Byte-Heist#36",
        "https://github.com/Byte-Heist/Byte-Heist/issues/36",
        "a program wrote to its runner's open files through `/proc`, past the judge",
    ),
    public("Gradescope-results", GRADESCOPE, "a submission wrote its own results before the grader did"),
    public("Gradescope-tests", GRADESCOPE, "a submission read the hidden tests at their known path"),
    public(
        "gradema",
        "https://gradema.readthedocs.io/en/latest/develop/assignment/security.html",
        "a submission removed the results, or the grader's permission to write them",
    ),
    public(
        "nbgrader#978",
        "https://github.com/jupyter/nbgrader/issues/978",
        "students could reach other students' submissions by guessing directory names",
    ),
    public(
        "PrairieLearn#5184",
        "https://github.com/PrairieLearn/PrairieLearn/pull/5184",
        "student code reached into the memory of the grader",
    ),
    public(
        "LemonLime#64",
        "https://github.com/Project-LemonLime/Project_LemonLime/issues/64",
        "a submission found the answers by paths relative to its working directory",
    ),
    public(
        "code-executor#15",
        "https://github.com/csivitu/code-executor/issues/15",
        "a submission listed and read the test cases next to it",
    ),
    public(
        "kjudge#82",
        "https://github.com/natsukagami/kjudge/issues/82",
        "a submission included `/etc/shadow` in its sources",
    ),
    public(
        "Sharif-Judge#5",
        "https://github.com/mjnaderi/Sharif-Judge/issues/5",
        "a submission sent the test cases to another machine",
    ),
    public(
        "project-lemon#11",
        "https://github.com/zhipeng-jia/project-lemon/issues/11",
        "a submission could kill the judge and change other users' programs",
    ),
    Incident {
        control: Planted,
        ..public(
            "OpenShell#2750",
            "https://github.com/NVIDIA/OpenShell/issues/2750",
            "the privileged supervisor ran tools, such as `ip`, from the files of the sandboxed program",
        )
    },
    Incident {
        control: Elsewhere,
        ..public(
            "aurora#11",
            "https://github.com/pushkar8723/aurora/issues/11",
            "a submission that kept forking stopped the whole judge",
        )
    },
];
