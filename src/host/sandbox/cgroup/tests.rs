//! Tests that check which groups the arena finds, divides and removes, in directories that look like the kernel's.

use super::*;

const MOUNTS: &str = "22 1 0:21 / /sys rw - sysfs sysfs rw\n\
    30 22 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
    36 22 0:33 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
    42 22 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

fn place(version: CgroupVersion, cgroup: &str, mountinfo: &str) -> Option<(String, String)> {
    let shown = |path: PathBuf| path.display().to_string();
    Place::parse(version.hierarchy(), cgroup, mountinfo).map(|place| (shown(place.top), shown(place.own)))
}

#[test]
fn this_process_finds_its_group_in_each_hierarchy() {
    let cgroup = "4:memory:/user/one\n1:cpu:/\n0::/two\n";
    let found = |version| place(version, cgroup, MOUNTS).expect("there");
    assert_eq!(
        found(CgroupVersion::One),
        ("/sys/fs/cgroup/memory".to_owned(), "/sys/fs/cgroup/memory/user/one".to_owned())
    );
    assert_eq!(
        found(CgroupVersion::Two),
        ("/sys/fs/cgroup/unified".to_owned(), "/sys/fs/cgroup/unified/two".to_owned())
    );
}

#[test]
fn a_container_sees_a_part_of_the_hierarchy() {
    let mounts = "36 22 0:33 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    let own = |cgroup| place(CgroupVersion::One, cgroup, mounts).map(|(_, own)| own);
    assert_eq!(own("4:memory:/docker/abc/x\n").as_deref(), Some("/sys/fs/cgroup/memory/x"));
    assert_eq!(own("4:memory:/docker/abc\n").as_deref(), Some("/sys/fs/cgroup/memory/"));
    // The group is outside the mounted part of the tree, and so is not visible.
    assert_eq!(own("4:memory:/docker/other\n"), None);
    assert_eq!(own("4:cpu:/docker/abc\n"), None);
}

/// Creates a directory that looks like a group of version 2, contains `processes`, and passes on the controllers
/// `passes_on`.
fn group(dir: &Path, processes: &str, passes_on: &str) {
    fs::create_dir_all(dir).expect("made");
    for (file, text) in
        [("cgroup.procs", processes), ("cgroup.controllers", "cpu memory pids"), ("cgroup.subtree_control", passes_on)]
    {
        fs::write(dir.join(file), text).expect("written");
    }
}

#[test]
fn a_group_is_divided_where_no_other_process_is_in_the_way() {
    let top = tempfile::tempdir().expect("a directory");
    let (slice, own) = (top.path().join("slice"), top.path().join("slice/scope"));
    let place = Place { top: top.path().to_owned(), own: own.clone() };
    let me = std::process::id();
    group(top.path(), "", "cpu memory");
    group(&slice, "", "cpu");
    group(&own, &format!("{me}\n"), "");
    assert_eq!(bases(&place, CgroupVersion::Two), [own.clone(), top.path().to_owned()]);
    // The group also contains another process, such as the shell that started the arena.
    group(&own, &format!("7\n{me}\n"), "");
    assert_eq!(bases(&place, CgroupVersion::Two), [top.path()]);
    group(&slice, "", "memory");
    assert_eq!(bases(&place, CgroupVersion::Two), [slice, top.path().to_owned()]);
    assert_eq!(bases(&place, CgroupVersion::One), [own]);
}

#[test]
fn what_a_killed_arena_left_is_removed_and_what_a_living_one_has_stays() {
    let base = tempfile::tempdir().expect("a directory");
    let (left, _) = make_dir(base.path()).expect("made");
    fs::create_dir(left.join("3")).expect("made");
    let (living, _lock) = make_dir(base.path()).expect("made");
    let (foreign, busy) = (base.path().join("other"), base.path().join("gothello-busy"));
    fs::create_dir(&foreign).expect("made");
    // A group with processes cannot be removed, just as a directory with files cannot.
    fs::create_dir_all(busy.join("1/full")).expect("made");
    sweep(base.path());
    assert!(!left.exists());
    assert!([living, foreign, busy.join("1/full")].iter().all(|dir| dir.exists()));
}

#[test]
fn two_arenas_have_directories_of_their_own() {
    let base = tempfile::tempdir().expect("a directory");
    let ((one, _one), (two, _two)) = (make_dir(base.path()).expect("made"), make_dir(base.path()).expect("made"));
    assert_ne!(one, two);
}

#[test]
fn arenas_that_come_and_go_at_the_same_time_leave_each_others_groups_alone() {
    let base = tempfile::tempdir().expect("a directory");
    let come_and_go = || {
        for _ in 0..500 {
            sweep(base.path());
            let (dir, _lock) = make_dir(base.path()).expect("made");
            for group in ["0", "1"] {
                fs::create_dir(dir.join(group)).expect("the arena's directory is there");
                std::thread::yield_now();
                fs::remove_dir(dir.join(group)).expect("the group is there");
            }
            fs::remove_dir(&dir).expect("nobody else removes it");
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(come_and_go))));
}
