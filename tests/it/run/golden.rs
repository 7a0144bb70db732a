//! Runs that are played again and compared byte by byte with recorded output of the program: journals, logs, tables,
//! the lines between referee and bots, and the grades of a class.
//!
//! Each file in `tests/data/golden` contains one run as sections, one for each file and for each output. Only values
//! that depend on the machine and the time of day are masked, as `#`: durations, memory, the date, the site, digests of
//! programs, checksums of lines that contain any of these, and the versions of program and journal. Of a long text, the
//! file contains only the beginning and the digest of the whole text.
//!
//! To record the runs again after an intended change, set `GOTHELLO_ARENA_RECORD_GOLDEN=1` and run `cargo test --test
//! it golden::`; then review the changes to the files like code.

mod grades;
mod masks;

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;

use gothello_arena::base::hex::hex;
use gothello_arena::game::Ruleset;
use sha2::{Digest as _, Sha256};

use masks::{masked_journal, masked_log, masked_results, without_figures, without_numbers, without_seconds};

use crate::harness::arena::{Arena, program, random_and_greedy, text};
use crate::harness::waiting::{accepted, connected};

/// The environment variable that makes the tests write the files instead of comparing with them.
const RECORD: &str = "GOTHELLO_ARENA_RECORD_GOLDEN";

/// The maximum length, in bytes, of a text that is stored whole.
const MOST: usize = 1 << 10;

/// The output of a run, section by section.
#[derive(Default)]
struct Golden(String);

impl Golden {
    /// Adds the section `name`. Carriage returns and a missing newline at the end are made visible.
    fn add(&mut self, name: &str, content: &str) {
        let _ = writeln!(self.0, "==== {name}");
        let shown = content.replace('\r', "\\r");
        if shown.len() <= MOST {
            self.0 += &shown;
        } else {
            let end = shown[..shown.floor_char_boundary(MOST)].rfind('\n').map_or(0, |end| end + 1);
            self.0 += &shown[..end];
            let digest = hex(&Sha256::digest(shown.as_bytes()));
            let _ = writeln!(self.0, "---- {} bytes, SHA-256 {digest}", shown.len());
            return;
        }
        if !content.is_empty() && !content.ends_with('\n') {
            self.0 += "\n---- without a newline\n";
        }
    }

    /// Compares everything with the file `name`, or writes the file if requested.
    fn check(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden").join(format!("{name}.txt"));
        if std::env::var_os(RECORD).is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, &self.0).expect("written");
            return;
        }
        let before = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut section = "";
        for (now, before) in self.0.lines().zip(before.lines()) {
            if let Some(name) = before.strip_prefix("==== ") {
                section = name;
            }
            assert!(now == before, "{name}, {section}:\nnow    {now}\nbefore {before}");
        }
        assert_eq!(self.0.len(), before.len(), "{name}: one text ends before the other");
    }

    /// Adds the output of commands about the results of `arena`.
    fn add_printed(&mut self, arena: &Arena) {
        let out = "out";
        for format in ["table", "markdown", "csv", "json"] {
            for show in ["ranks,head-to-head,fit,los", "usage,workers"] {
                let output = arena.output(&["standings", out, "--format", format, "--show", show]);
                let printed = printed(&output);
                let masked = match format {
                    "json" => without_figures(&printed),
                    _ if show.starts_with("ranks") => printed,
                    _ => without_numbers(&printed),
                };
                self.add(&format!("standings --format {format} --show {show}"), &masked);
            }
        }
        let rebuilt = arena.output(&["rebuild", "--check", out]);
        assert!(rebuilt.status.success(), "{}", text(&rebuilt.stderr));
        self.add("replay --check", &printed(&arena.output(&["replay", "--check", out])));
    }

    /// Adds the files of the results directory `out`, each under its name preceded by `prefix`.
    fn add_results(&mut self, out: &Path, prefix: &str) {
        let read = |name: &Path| fs::read_to_string(out.join(name)).expect("read");
        self.add(&format!("{prefix}journal.jsonl"), &masked_journal(&read(Path::new("journal.jsonl")), out));
        for path in names(&out.join("games")) {
            let name = Path::new("games").join(path);
            self.add(&format!("{prefix}{}", name.display()), &masked_log(&read(&name)));
        }
        self.add(&format!("{prefix}results.csv"), &masked_results(&read(Path::new("results.csv"))));
        self.add(&format!("{prefix}standings.csv"), &read(Path::new("standings.csv")));
    }
}

/// The names in `dir`, sorted.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The output of a program, which must have succeeded.
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// An arena with a link to the program, so that a bot's command is the same on every machine.
fn arena(toml: &str) -> Arena {
    let arena = Arena::new(toml);
    std::os::unix::fs::symlink(program(), arena.path().join("arena")).expect("linked");
    fs::create_dir(arena.path().join("bot")).expect("made");
    arena
}

/// Plays the tournament `toml`, and adds everything that it wrote.
fn played(toml: &str) -> (Arena, Golden) {
    let arena = arena(toml);
    let run = arena.run(&["--quiet"]);
    let mut golden = Golden::default();
    golden.add("run", &printed(&run));
    golden.add_results(&arena.out(), "");
    (arena, golden)
}

/// Four players of different strengths.
const FOUR: &str = concat!(
    random_and_greedy!(),
    r#"
    [[player]]
    name = "alpha, two"
    builtin = "alphabeta"
    depth = 2
    [[player]]
    name = "mcts"
    builtin = "mcts"
    playouts = 20
    error = 0.1
"#
);

#[test]
fn each_format_writes_the_same_bytes() {
    let two = random_and_greedy!();
    let gauntlet = format!("{FOUR}    challenger = true\n");
    for (name, keys, players) in [
        ("round-robin", "format = \"round-robin\"\nrounds = 1\nblack_time = \"1m\"\nwhite_time = \"2m\"", FOUR),
        ("gauntlet", "format = \"gauntlet\"\nopenings = { plies = 2 }\nadjudicate = { after_ply = 20 }", &gauntlet),
        ("swiss-one-leg", "format = \"swiss\"\nrounds = 3\ngames = 1\nendings = \"compatible\"", FOUR),
        ("swiss-two-legs", "format = \"swiss\"\nrounds = 2\ngames = 2", FOUR),
        ("knockout", "format = \"knockout\"\npairs = 1\nclock = \"cpu\"\ntime = \"1m\"", FOUR),
        (
            "sprt",
            "format = \"sprt\"\nelo0 = 0\nelo1 = 100\nmax_pairs = 4\nopenings = { plies = 3, balanced = true }",
            two,
        ),
    ] {
        let (arena, mut golden) = played(&format!("seed = 11\nconcurrency = 1\n{keys}\n{players}"));
        golden.add_printed(&arena);
        golden.check(name);
    }
}

/// Each rule set for two players, played over stdin and stdout, with everything that the referee reads and writes.
#[test]
fn each_rule_set_for_two_writes_the_same_bytes() {
    let player = r#"
concurrency = 1
quit_timeout = "1m"
[[player]]
name = "random"
dir = "bot"
transport = "stdio"
command = ["sh", "-c", "tee ../to-$0 | ../arena bot random --stdio --side $0 | tee ../from-$0", "{side}"]
[[player]]
name = "greedy"
builtin = "greedy"
"#;
    for ruleset in Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2) {
        let (arena, mut golden) = played(&format!("ruleset = \"{ruleset}\"\nseed = 7\n{player}"));
        for name in ["to-black", "from-black", "to-white", "from-white"] {
            golden.add(name, &fs::read_to_string(arena.path().join(name)).expect("recorded"));
        }
        golden.check(&format!("rules-{}", ruleset.name()));
    }
}

/// Passes bytes between a bot and the arena, and returns the bytes that each of them sent.
struct Relay(std::thread::JoinHandle<[Vec<u8>; 2]>);

impl Relay {
    /// A relay to the referee at `address`, and the port at which it waits for the bot.
    fn to(address: String) -> (Self, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let relay = move || {
            let bot = accepted(&listener, "the bot");
            let referee = connected(address);
            let [bot2, referee2] = [&bot, &referee].map(|stream| stream.try_clone().expect("cloned"));
            let from_bot = std::thread::spawn(move || passed_on(bot2, referee2));
            let from_referee = passed_on(referee, bot);
            [from_bot.join().expect("it ends"), from_referee]
        };
        (Self(std::thread::spawn(relay)), port)
    }
}

/// Passes on every byte until `from` ends, and returns all of them.
fn passed_on(mut from: TcpStream, mut to: TcpStream) -> Vec<u8> {
    let (mut all, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        all.extend(&chunk[..read]);
        if to.write_all(&chunk[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    all
}

/// A game over TCP with clocks, with the bytes of both connections in both directions.
#[test]
fn a_game_over_tcp_has_the_same_bytes() {
    let remote = |name: &str| format!("[[player]]\nname = \"{name}\"\nremote = true\nlisten = \"127.0.0.1:0\"\n");
    let arena = arena(&format!("seed = 5\nconcurrency = 1\ntime = \"1m\"\n{}{}", remote("ann"), remote("bob")));
    let mut running = arena.start(None);
    let mut golden = Golden::default();
    for _ in 0..2 {
        let lines = [running.hear("waiting for "), running.hear("waiting for ")];
        let sides = ["black", "white"];
        let seats = sides.map(|side| {
            let line =
                lines.iter().find(|line| line.contains(&format!("({side})"))).expect("both sides are waited for");
            let (relay, port) = Relay::to(crate::harness::arena::address(line).to_owned());
            (relay, crate::harness::arena::remote_bot(&format!("127.0.0.1:{port}"), side, None))
        });
        for ((relay, mut bot), side) in seats.into_iter().zip(sides) {
            let [from_bot, from_referee] = relay.0.join().expect("it ends");
            bot.wait().expect("it ends");
            golden.add(&format!("from {side}"), &text(&from_bot));
            golden.add(&format!("to {side}"), &without_seconds(&text(&from_referee)));
        }
    }
    let (code, rest) = running.end();
    assert_eq!(code, Some(0), "{rest}");
    golden.add_results(&arena.out(), "");
    golden.check("tcp");
}
