//! Games and builds on a machine that is short of memory, processes or disk space, in every tier: no player loses
//! because of the shortage. A bot that only fakes the signs of a shortage, or causes the shortage, loses as usual.

use std::fs;
use std::process::Output;

use crate::confinement::probes::{Memory, Way, compiled};
use crate::harness::arena::{Arena, text};
use crate::harness::hardship::{ShortGroup, SmallDisk, without_kills};
use crate::harness::waiting::InTime as _;

/// The ways to run the arena in these tiers. A way that uses control groups is followed by the same way with hidden
/// control groups.
fn ways(tiers: &[&'static str]) -> Vec<Way> {
    let found: Vec<Way> = tiers.iter().flat_map(|tier| Way::all(tier)).collect();
    let counted: Vec<Way> = found.iter().copied().filter(|way| way.memory == Memory::Counted).collect();
    found.into_iter().chain(counted.into_iter().filter_map(Way::watched)).collect()
}

/// A tournament of `greedy` and of the players `bots`, each with its keys and its command; their directory contains
/// `bot.py`.
fn field(bots: &[(&str, &str, &str)], script: &str) -> Arena {
    let players = bots.iter().map(|(name, keys, command)| {
        format!("[[player]]\nname = \"{name}\"\ndir = \"bot\"\ntransport = \"stdio\"\n{keys}\ncommand = [{command}]\n")
    });
    let arena = Arena::new(&format!(
        "isolation = \"auto\"\nvoid_retries = 0\nconcurrency = 1\ntime = \"60s\"\nhello_timeout = \"60s\"\n\
         quit_timeout = \"300ms\"\n{}[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
        players.collect::<String>()
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::write(arena.path().join("bot/bot.py"), script).expect("written");
    arena
}

/// Makes the user of `way` the owner of the tournament's files.
fn give(way: Way, arena: &Arena) {
    for path in ["", "class.toml", "bot", "bot/bot.py"] {
        way.user.give(&arena.path().join(path));
    }
}

fn words(way: Way) -> [&'static str; 6] {
    ["run", "class.toml", "--out", "out", "--isolation", way.isolation()]
}

/// Runs the tournament in the way `way`, with `TMPDIR` on `disk` if there is one.
fn run(way: Way, arena: &Arena, disk: Option<&SmallDisk>) -> Output {
    let mut command = arena.command(&words(way));
    if let Some(disk) = disk {
        command.env("TMPDIR", disk.path());
    }
    way.act(&mut command, |command| command.output_in_time().expect("the program starts"))
}

/// Checks how all games ended.
#[track_caller]
fn assert_all(arena: &Arena, output: &Output, (code, endings): (i32, &[&str]), context: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{context}: {stderr}");
    let rows = arena.results();
    assert!(!rows.is_empty(), "{context}: {stderr}");
    assert!(rows.iter().all(|row| endings.contains(&&*row["termination"])), "{context}: {rows:?}\n{stderr}");
}

/// Says hello, and then needs more memory than is available.
const HUNGRY: &str = "import os, sys
print('0.9.1 player ' + os.environ['GOTHELLO_SIDE'], flush=True)
sys.stdin.readline()
held = []
while len(held) < 40:
    held.append(bytearray(32 << 20))
";

#[test]
fn a_bot_behind_a_launcher_is_excused_when_the_kernel_kills_it_for_lack_of_memory() {
    for way in ways(&["A", "B", "C"]) {
        let Some(group) = ShortGroup::of_memory(260 << 20) else { return };
        let shell = ("shell", "", "\"sh\", \"-c\", \"python3 bot.py; exit $?\"");
        let launcher = "import subprocess, sys; sys.exit(1 if subprocess.call([sys.executable, 'bot.py']) else 0)";
        let python = ("python", "", &*format!("\"python3\", \"-c\", \"{launcher}\""));
        let arena = field(&[shell, python], HUNGRY);
        give(way, &arena);
        let Some(output) = group.output(way, &mut arena.command(&words(way))) else { continue };
        assert_all(&arena, &output, (5, &["void"]), &format!("{way:?}"));
        assert!(text(&output.stderr).contains("out of memory"), "{way:?}: {}", text(&output.stderr));
    }
}

#[test]
fn without_confinement_a_bot_that_the_kernel_kills_is_excused_if_a_shell_tells_so() {
    let Some(group) = ShortGroup::of_memory(260 << 20) else { return };
    let way = Way::all("D")[0];
    let shell = ("shell", "", "\"sh\", \"-c\", \"python3 bot.py; exit $?\"");
    let arena = field(&[shell, ("direct", "", "\"python3\", \"bot.py\"")], HUNGRY);
    let Some(output) = group.output(way, &mut arena.command(&words(way))) else { return };
    assert_all(&arena, &output, (5, &["void"]), "D");
}

/// Says hello, and then keeps all the memory that it can get.
const HOLDING: &str = "import os, signal, sys
print('0.9.1 player ' + os.environ['GOTHELLO_SIDE'], flush=True)
sys.stdin.readline()
held = []
try:
    while len(held) < 40:
        held.append(bytearray(32 << 20))
except MemoryError:
    signal.pause()
";

#[test]
fn a_bot_that_exceeds_its_own_memory_is_not_excused() {
    for way in ways(&["A", "B", "C"]) {
        // A bot that ends as soon as it gets no more memory may end before the arena measures its memory again.
        for (program, ends) in [(HOLDING, &["limit memory"] as &[&str]), (HUNGRY, &["limit memory", "crash"])] {
            let arena =
                field(&[("hog", "memory = \"100 MiB\"", "\"sh\", \"-c\", \"python3 bot.py; exit $?\"")], program);
            give(way, &arena);
            let output = run(way, &arena, None);
            assert_all(&arena, &output, (0, ends), &format!("{way:?}"));
        }
    }
}

/// The signs of a shortage that any bot can fake.
const FAKES: [&str; 5] = [
    "kill -9 $$",
    "exit 137",
    "sh -c 'kill -9 $$'; exit 1",
    "echo 'sh: 1: Cannot fork' >&2; exit 2",
    "echo 'write error: No space left on device' >&2; exit 1",
];

#[test]
fn a_bot_that_fakes_the_signs_of_a_shortage_loses() {
    let hello = "echo 0.9.1 player $GOTHELLO_SIDE; read granted; [ $GOTHELLO_SIDE = black ] || read move";
    let commands = FAKES.map(|fake| format!("\"sh\", \"-c\", \"{hello}; {fake}\""));
    let names = ["killed", "code", "child", "fork", "space"];
    let bots: Vec<(&str, &str, &str)> =
        names.into_iter().zip(&commands).map(|(name, words)| (name, "", &**words)).collect();
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let _turn = without_kills();
        let arena = field(&bots, "");
        give(way, &arena);
        let output = run(way, &arena, None);
        assert_all(&arena, &output, (0, &["crash"]), &format!("{way:?}"));
    }
}

/// Says hello, starts processes until it cannot start any more, and then complains.
const FORKING: &str = "import os, sys, time
print('0.9.1 player ' + os.environ['GOTHELLO_SIDE'], flush=True)
for _ in range(1 if os.environ['GOTHELLO_SIDE'] == 'black' else 2):
    sys.stdin.readline()
while True:
    try:
        child = os.fork()
    except OSError as error:
        sys.exit(f'cannot fork: {error}')
    if child == 0:
        os.closerange(0, 3)
        time.sleep(600)
        os._exit(0)
";

#[test]
fn a_bot_is_excused_that_gets_few_processes_and_not_if_it_has_taken_them_itself() {
    for (most, code, ending) in [(50, 5, "void"), (170, 0, "crash")] {
        for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
            let Some(group) = ShortGroup::of_processes(most) else { return };
            let arena = field(&[("forks", "", "\"python3\", \"bot.py\"")], FORKING);
            give(way, &arena);
            let Some(output) = group.output(way, &mut arena.command(&words(way))) else { continue };
            assert_all(&arena, &output, (code, &[ending]), &format!("{way:?}, {most}"));
        }
    }
}

#[test]
fn a_bot_that_takes_all_processes_at_once_and_ends_before_anybody_looks_is_not_excused() {
    let (_dir, burst) = compiled("burst");
    for way in ["A", "B"].into_iter().flat_map(Way::all) {
        let Some(group) = ShortGroup::of_processes(170) else { return };
        let arena = field(&[("bursts", "", "\"./burst\"")], "");
        fs::copy(&burst, arena.path().join("bot/burst")).expect("copied");
        give(way, &arena);
        way.user.give(&arena.path().join("bot/burst"));
        let Some(output) = group.output(way, &mut arena.command(&words(way))) else { continue };
        assert_all(&arena, &output, (0, &["crash"]), &format!("{way:?}"));
    }
}

/// Says hello, writes a few megabytes into its scratch space, and resigns.
const WRITING: &str = "import os, sys
side = os.environ['GOTHELLO_SIDE']
print('0.9.1 player ' + side, flush=True)
for _ in range(1 if side == 'black' else 2):
    sys.stdin.readline()
for number in range(6):
    with open(os.environ['TMPDIR'] + f'/{number}', 'wb') as file:
        file.write(os.urandom(1 << 20))
print('resign', flush=True)
sys.stdin.read()
";

#[test]
fn a_bot_that_finds_the_disk_full_is_excused_unless_it_has_filled_the_disk_itself() {
    let Some(disk) = SmallDisk::new("3m") else { return };
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        // With namespaces, the scratch space is not on the disk.
        let is_on_disk = ["C", "D"].contains(&way.tier);
        // A bot that fills its own scratch space may fail before the arena notices that the space is full.
        let (excused, own) = if is_on_disk {
            ((5, &["void"][..]), (0, &["crash"][..]))
        } else {
            ((0, &["resignation"][..]), (0, &["limit scratch", "crash"][..]))
        };
        for (keys, expected) in [("", excused), ("scratch = \"4 MiB\"", own)] {
            let arena = field(&[("writes", keys, "\"python3\", \"bot.py\"")], WRITING);
            give(way, &arena);
            let output = run(way, &arena, Some(&disk));
            assert_all(&arena, &output, expected, &format!("{way:?}, {keys}"));
        }
    }
}

/// A tournament of two built-in players and a student whose build is the shell script `build`, and whose bot leaves
/// every game.
fn building(build: &str) -> Arena {
    let arena = Arena::new(
        "isolation = \"auto\"\nvoid_retries = 2\n[[player]]\nname = \"student\"\ndir = \"bot\"\ntransport = \"stdio\"\n\
         build = [\"sh\", \"bot.py\"]\ncommand = [\"true\"]\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
         [[player]]\nname = \"random\"\nbuiltin = \"random\"\n",
    );
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::write(arena.path().join("bot/bot.py"), format!("{build}\necho done > done\n")).expect("written");
    arena
}

/// Checks that only the student's games are void, that they are not retried needlessly, and that the same command plays
/// them once the resource is available.
#[track_caller]
fn assert_open_and_then_complete(way: Way, arena: &Arena, spoiled: &Output, why: &str) {
    let stderr = text(&spoiled.stderr);
    assert_eq!(spoiled.status.code(), Some(5), "{way:?}: {stderr}");
    let line =
        stderr.lines().find(|line| line.starts_with("warning: player `student` could not be prepared: its build "));
    assert!(line.is_some_and(|line| line.contains(why)), "{way:?}: {stderr}");
    assert!(!stderr.contains("it will be played again"), "{way:?}: {stderr}");
    let rows = arena.results();
    for row in &rows {
        let is_void = [&row["black"], &row["white"]].contains(&&"student".to_owned());
        assert_eq!(row["termination"], if is_void { "void" } else { "normal" }, "{way:?}: {rows:?}");
    }
    let whole = run(way, arena, None);
    assert_all(arena, &whole, (0, &["no show", "normal"]), &format!("{way:?}"));
}

#[test]
fn a_build_that_finds_the_disk_full_is_void() {
    let Some(disk) = SmallDisk::new("5m") else { return };
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let arena = building("head -c 6000000 /dev/urandom > out.bin || exit 1");
        give(way, &arena);
        let spoiled = run(way, &arena, Some(&disk));
        assert_open_and_then_complete(way, &arena, &spoiled, "disk");
    }
}

#[test]
fn a_build_whose_compiler_the_kernel_kills_for_lack_of_memory_is_void() {
    for way in ways(&["A", "B", "C", "D"]) {
        let Some(group) = ShortGroup::of_memory(260 << 20) else { return };
        let arena = building("python3 -c 'x = bytearray(350 << 20)' || exit $?");
        give(way, &arena);
        let Some(spoiled) = group.output(way, &mut arena.command(&words(way))) else { continue };
        assert_open_and_then_complete(way, &arena, &spoiled, "memory");
    }
}

#[test]
fn a_build_that_gets_no_process_is_void() {
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let Some(group) = ShortGroup::of_processes(40) else { return };
        // Without confinement, the processes that a build leaves behind would leave the arena itself without a thread.
        let many =
            "trap 'kill $all; wait' EXIT; i=0; while [ $i -lt 60 ]; do sleep 600 & all=\"$all $!\"; i=$((i + 1)); done";
        let arena = building(many);
        give(way, &arena);
        let Some(spoiled) = group.output(way, &mut arena.command(&words(way))) else { continue };
        assert_open_and_then_complete(way, &arena, &spoiled, "process");
    }
}

#[test]
fn a_build_that_fakes_the_signs_of_a_shortage_has_failed() {
    for way in ["A", "D"].into_iter().flat_map(Way::all) {
        for fake in FAKES {
            let _turn = without_kills();
            let arena = building(fake);
            give(way, &arena);
            let output = run(way, &arena, None);
            assert_all(&arena, &output, (0, &["not started", "normal"]), &format!("{way:?}, {fake}"));
        }
    }
}
