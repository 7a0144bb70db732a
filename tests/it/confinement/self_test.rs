//! The self-test of each tier: each action succeeds if nothing prevents it, and a tier whose confinement is incomplete
//! is not used.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Command, Output, Stdio};

use seccompiler::{BpfProgram, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use serde_json::{Value, json};

use crate::confinement::probes::{User, Way};
use crate::harness::arena::{Arena, program, text};
use crate::harness::restricted::{answering, filtered, without_namespaces};
use crate::harness::waiting::InTime as _;

/// The result of each action in each tier. A tier that does not start has no results.
type Results = BTreeMap<String, BTreeMap<String, String>>;

/// The results that `doctor` prints when `act` runs it.
fn results(act: impl FnOnce(&mut Command) -> Output) -> Results {
    let mut doctor = Command::new(program());
    let output = act(doctor.args(["doctor", "--json"]).current_dir("/"));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let word = |row: &Value, key: &str| row[key].as_str().expect("text").to_owned();
    let rows = |tier: &Value| {
        let rows = tier["self_test"].as_array().expect("a list").iter();
        rows.map(|row| {
            // A tier works only if each of its rows holds.
            assert!(row["holds"] == true || tier["works"] == false, "{tier}");
            (word(row, "action"), word(row, "result"))
        })
        .collect()
    };
    told["tiers"].as_array().expect("a list").iter().map(|tier| (word(tier, "tier"), rows(tier))).collect()
}

/// The actions that succeeded in the tier `tier` but must not.
fn reached<'r>(results: &'r Results, tier: &str) -> Vec<&'r str> {
    results[tier].iter().filter(|(_, result)| *result == "REACHED").map(|(action, _)| action.as_str()).collect()
}

#[test]
fn in_every_tier_every_action_comes_out_as_it_must() {
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let found = results(|doctor| way.act(doctor, |doctor| doctor.output_in_time().expect("it starts")));
        let rows = &found[way.tier];
        assert_eq!(rows.len(), 18, "{way:?}: {found:?}");
        for (action, result) in rows {
            let expected: &[&str] = match action.as_str() {
                "own_seat" | "own_scratch" => &["works"],
                "see_process" if way.tier == "C" => &["possible"],
                // The machine may lack the means for these actions.
                "vsock" | "outside" => &["refused", "untried"],
                "processes" => &["stopped"],
                _ => &["refused"],
            };
            assert!(expected.contains(&result.as_str()), "{way:?}: {action}: {result}");
        }
    }
}

/// A filter that makes the kernel claim to carry out `call` if `rules` hold for its arguments, but do nothing.
fn idle(call: i64, rules: Vec<SeccompRule>) -> BpfProgram {
    answering(BTreeMap::from([(call, rules)]), 0)
}

/// Runs `doctor` under the filter `kernel`.
fn with_idle(kernel: &BpfProgram, way: Way) -> Results {
    let doctor = |doctor: &mut Command| way.act(doctor, |doctor| doctor.output_in_time().expect("it starts"));
    filtered(kernel, || results(doctor))
}

#[test]
fn a_tier_without_landlock_rules_is_not_used_if_it_needs_them() {
    for way in Way::all("C") {
        let found = with_idle(&idle(nix::libc::SYS_landlock_restrict_self, Vec::new()), way);
        for action in ["read_tournament", "read_rival", "read_journal", "write_elsewhere", "other_seat"] {
            assert!(reached(&found, "C").contains(&action), "{way:?}: {action}: {found:?}");
        }
    }
}

#[test]
fn a_tier_without_a_filter_of_calls_is_not_used() {
    // On this kernel, the test cannot install its own filter that hides namespaces, but `doctor` tries every tier
    // anyway.
    for way in ["A", "B"].into_iter().flat_map(Way::all) {
        let found = with_idle(&idle(nix::libc::SYS_seccomp, Vec::new()), way);
        assert!(reached(&found, "C").contains(&"named_socket"), "{way:?}: {found:?}");
        // The machine may lack vsock.
        assert!(["REACHED", "untried"].contains(&found[way.tier]["vsock"].as_str()), "{way:?}: {found:?}");
    }
}

#[test]
fn a_tier_without_a_root_of_its_own_is_not_used() {
    // The host's root stays mounted over the bot's own. Landlock would still keep the bot out of it.
    for way in ["A", "B"].into_iter().flat_map(Way::all).filter_map(Way::without_landlock) {
        let found = with_idle(&idle(nix::libc::SYS_umount2, Vec::new()), way);
        for action in ["read_tournament", "read_rival", "read_journal"] {
            assert!(reached(&found, way.tier).contains(&action), "{way:?}: {action}: {found:?}");
        }
    }
}

#[test]
fn a_tier_without_limits_of_the_kernel_is_not_used() {
    // The third argument is the new limit, if there is one.
    let is_set = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0).expect("valid");
    let is_set = SeccompRule::new(vec![is_set]).expect("valid");
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let found = with_idle(&idle(nix::libc::SYS_prlimit64, vec![is_set.clone()]), way);
        assert_eq!(reached(&found, way.tier), ["memory", "open_files"], "{way:?}: {found:?}");
    }
}

/// A run falls back as if the tier did not work at all, and fails if falling back is not allowed.
#[test]
fn a_run_does_not_use_a_tier_with_a_breach() {
    let Some(way) = Way::all("C").into_iter().next() else { return };
    let run = |isolation: &str| {
        let arena = Arena::new(&format!(
            "isolation = \"{isolation}\"\n[[player]]\nname = \"bad\"\ncommand = [\"true\", \"{{port}}\"]\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
        ));
        for path in [arena.path(), &arena.path().join("class.toml")] {
            way.user.give(path);
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let act = || without_namespaces(|| command.output_in_time().expect("the program starts"));
        filtered(&idle(nix::libc::SYS_landlock_restrict_self, Vec::new()), act)
    };
    let breach = "tier C: the self-test failed: a bot could read the tournament file, ";
    let fallen = run("auto");
    let said = text(&fallen.stderr);
    assert!(said.contains("bots are not confined") && said.contains(breach), "{said}");
    assert_eq!(fallen.status.code(), Some(0), "{said}");
    let refused = run("require");
    assert!(text(&refused.stderr).contains(breach), "{}", text(&refused.stderr));
    assert_eq!(refused.status.code(), Some(1));
}

/// Without confinement, the test program reports that each action has succeeded. This shows that every row of the table
/// can fail: no row passes merely because its action could never have succeeded.
#[test]
fn nothing_but_confinement_makes_a_action_fail() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name);
    for name in ["tournament", "rival", "journal"] {
        fs::write(path(name), "secret").expect("written");
    }
    fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).expect("set");
    let seats = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    let [seat, other] = seats.each_ref().map(|seat| seat.local_addr().expect("bound").port());
    let mark = format!("gothello-mark-{seat}");
    let name = SocketAddr::from_abstract_name(&mark).expect("a name");
    let _abstract_socket = UnixListener::bind_addr(&name).expect("bound");
    let _socket = UnixListener::bind(path("socket")).expect("bound");
    let mut neighbour = Command::new(program());
    neighbour.args(["confine", "neighbour", &mark]).env("GOTHELLO_ARENA_MARK", &mark).stdin(Stdio::piped());
    let neighbour = neighbour.start().expect("it starts");
    let order = json!({
        "places": {
            "tournament": path("tournament"), "rival": path("rival"), "journal": path("journal"),
            "other_seat": other, "abstract_socket": mark, "socket": path("socket"),
            "process": neighbour.id(), "mark": mark,
        },
        "seat": seat, "open_files": 64, "too_much_memory": 64 << 20, "processes": 4,
        "patience": { "secs": 0, "nanos": 1_000_000 },
    });
    let mut test = Command::new(program());
    test.args(["confine", "test", &order.to_string()]).env("TMPDIR", dir.path());
    let output = test.output_in_time().expect("it starts");
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines.len(), 18, "{}", text(&output.stderr));
    for line in lines {
        // The machine may have neither a vsock nor a route to other machines, and may forbid tracing.
        if !["vsock", "outside", "trace"].contains(&line["action"].as_str().expect("a name")) {
            assert_eq!(line["outcome"], "done", "{line}");
        }
    }
}

/// The directories above the test program belong to root, and the user who runs the program must be able to enter them.
#[test]
fn a_strict_umask_takes_no_tier_away() {
    for way in Way::all("A") {
        let mut doctor = Command::new("sh");
        doctor.args(["-c", "umask 077 && exec \"$0\" doctor"]).arg(program()).current_dir("/");
        let output = way.act(&mut doctor, |doctor| doctor.output_in_time().expect("it starts"));
        let said = text(&output.stdout);
        assert!(said.contains("bots are confined by tier A"), "{said}");
    }
}

/// Bots with their own user id must be able to run the test program, wherever the arena is installed.
#[test]
fn the_self_test_needs_no_access_to_the_arenas_own_directory() {
    for way in ["A", "C"].into_iter().flat_map(Way::all).filter(|way| way.user == User::Same && way.gives_users()) {
        let dir = tempfile::tempdir().expect("a directory");
        let hidden = dir.path().join("arena");
        fs::copy(program(), &hidden).expect("copied");
        fs::set_permissions(&hidden, Permissions::from_mode(0o700)).expect("set");
        let mut doctor = Command::new(&hidden);
        doctor.arg("doctor").current_dir("/");
        let output = way.act(&mut doctor, |doctor| doctor.output_in_time().expect("it starts"));
        let said = text(&output.stdout);
        assert!(said.contains(&format!("bots are confined by tier {}", way.tier)), "{said}");
    }
}
