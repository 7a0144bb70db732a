//! Runs that are played again and compared byte by byte with recorded output of the program: journals, logs, tables,
//! the lines between referee and bots, and the grades of a class.
//!
//! Each file in `tests/data/golden` contains one run as sections, one for each file and for each output. Only values
//! that depend on the machine and the time of day are masked, as `#`: durations, memory, the date, the site, digests of
//! programs, checksums of lines that contain any of these, and the versions of program and journal. For a long text,
//! the file contains its beginning and the digest of the whole text.
//!
//! To record the runs again after an intended change, set `GOTHELLO_ARENA_RECORD_GOLDEN=1` and run `cargo test --test
//! it golden::`; then review the changes of the files like code.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Output;

use gothello_arena::base::hex::hex;
use gothello_arena::game::Ruleset;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::course::grade::{make_bot_of, plant_checks_with};
use crate::harness::arena::{Arena, program, random_and_greedy, text};
use crate::harness::waiting::{accepted, connected};

/// The variable that makes the tests write the files rather than compare with them.
const RECORD: &str = "GOTHELLO_ARENA_RECORD_GOLDEN";

/// The maximum number of bytes of a text in the files.
const MOST: usize = 1 << 10;

/// The output of a run, section by section.
#[derive(Default)]
struct Golden(String);

impl Golden {
    /// Adds the section `name`. Carriage returns become visible, and so does the lack of a newline at the end.
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
        assert_eq!(self.0.len(), before.len(), "{name}: one ends before the other");
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

    /// Adds the files of the results directory `out`, each under its name with `prefix` before it.
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

/// A journal without its records, which are the same as in the logs in `out`.
fn masked_journal(journal: &str, out: &Path) -> String {
    journal.split_inclusive('\n').map(|line| masked_line(line, out)).collect()
}

fn masked_line(line: &str, out: &Path) -> String {
    let value: Value = serde_json::from_str(line).expect("JSON");
    let mut line = line.to_owned();
    if let Some(record) = value["game"]["record"].as_str() {
        let id = value["game"]["id"].as_str().expect("an id");
        assert_eq!(fs::read_to_string(out.join("games").join(format!("{id}.log"))).expect("a log"), record);
        let quoted = serde_json::to_string(record).expect("JSON");
        line = line.replace(&quoted, "\"#\"");
    }
    if value["header"].is_object() {
        let program = format!("\"program\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let format = format!("\"format\":{},", value["header"]["format"]);
        assert!(line.contains(&program), "{line}");
        line = line.replacen(&program, "\"program\":\"#\"", 1).replacen(&format, "\"format\":#,", 1);
        let players = line.rfind("\"players\":[").expect("players");
        line = format!("{}{}", &line[..players], without_digests(&line[players..]));
    }
    let sum = value["sum"].as_str().expect("a checksum");
    line.replace(&format!("\"sum\":\"{sum}\"}}"), "\"sum\":\"#\"}")
}

/// `text` without its SHA-256 digests, and without the temporary directory at the beginning of paths.
fn without_digests(text: &str) -> String {
    let masked = |word: &str| {
        if word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return "#".to_owned();
        }
        let in_temporary = word.split_once("/.tmp").and_then(|(_, rest)| rest.split_once('/'));
        in_temporary.map_or_else(|| word.to_owned(), |(_, path)| format!("#/{path}"))
    };
    text.split('"').map(masked).collect::<Vec<_>>().join("\"")
}

/// A game log without the values that depend on the machine and the time.
fn masked_log(log: &str) -> String {
    const TAGS: [&str; 7] = ["Site", "Date", "BlackDigest", "WhiteDigest", "BlackUsage", "WhiteUsage", "Lateness"];
    let line = |line: &str| {
        let tag = TAGS.into_iter().find(|tag| line.starts_with(&format!("[{tag} \"")));
        tag.map_or_else(|| without_times(line), |tag| format!("[{tag} \"#\"]\n"))
    };
    log.split_inclusive('\n').map(line).collect()
}

/// Moves without the times in their comments.
fn without_times(moves: &str) -> String {
    let mut parts = moves.split("[%");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (clock, rest) = part.split_once(']').expect("a command ends");
        let (name, _) = clock.split_once(' ').expect("a command has a value");
        let _ = write!(masked, "[%{name} #]{rest}");
    }
    masked
}

/// results.csv without the resources that bots used.
fn masked_results(csv: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut is_figure: Vec<bool> = Vec::new();
    for row in reader.records() {
        let row = row.expect("a row");
        if is_figure.is_empty() {
            let figures = ["_seconds", "_memory", "_processes", "_written"];
            is_figure = row.iter().map(|column| figures.iter().any(|end| column.ends_with(end))).collect();
            writer.write_record(&row).expect("written");
            continue;
        }
        let cells = row.iter().zip(&is_figure).map(|(cell, figure)| if *figure { "#" } else { cell });
        writer.write_record(cells).expect("written");
    }
    text(&writer.into_inner().expect("written"))
}

/// JSON without the resources that bots used, the lateness of the arena, and the duration of a check.
fn without_figures(json: &str) -> String {
    const KEYS: [&str; 11] = [
        "user_seconds",
        "system_seconds",
        "wall_seconds",
        "cpu_seconds_per_game",
        "cpu_share",
        "late_seconds",
        "latest_seconds",
        "peak_memory",
        "processes",
        "written",
        "execution_time",
    ];
    let line = |line: &str| {
        let found = KEYS.into_iter().find(|key| line.trim_start().starts_with(&format!("\"{key}\": ")));
        let Some(key) = found else { return line.to_owned() };
        let (before, _) = line.split_once(key).expect("there");
        format!("{before}{key}\": #{}\n", if line.trim_end().ends_with(',') { "," } else { "" })
    };
    json.split_inclusive('\n').map(line).collect()
}

/// Tables without their numbers and without their widths.
fn without_numbers(table: &str) -> String {
    let mut masked = String::new();
    for letter in table.chars() {
        let letter = match letter {
            '0'..='9' | '.' => '#',
            letter => letter,
        };
        if !(matches!(letter, '#' | ' ' | '-') && masked.ends_with(letter)) {
            masked.push(letter);
        }
    }
    masked
}

/// Lines of the protocol without the remaining seconds.
fn without_seconds(lines: &str) -> String {
    let words: Vec<&str> = lines.split(' ').collect();
    let is_time = |at: usize| words.get(at + 1).is_some_and(|next| matches!(*next, "secs" | "(secs)"));
    let masked = words.iter().enumerate().map(|(at, word)| if is_time(at) { "#" } else { *word });
    masked.collect::<Vec<_>>().join(" ")
}

/// An arena with a link to the program, so that bots can start it with the same words on every machine.
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

/// Four players of different strength.
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

/// Each rule set for two, played over stdin and stdout, with everything that the referee reads and writes.
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

/// Passes bytes between a bot and the arena, and returns what each of them sent.
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

/// Passes on every byte until `from` ends, and returns them all.
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

/// The class of [`the_grades_of_a_class_are_the_same_bytes`].
const CLASS: &str = r#"
isolation = "off"
time = "1m"
[[player]]
name = "Strong One"
dir = "bots/strong_one"
command = ["./play", "{side}", "{host}", "{port}"]
[[player]]
name = "weak"
dir = "bots/weak"
command = ["./play", "{side}", "{host}", "{port}"]
[[player]]
name = "greedy"
builtin = "greedy"
"#;

const RUBRIC: &str = r#"
title = "Test"
total = 60
[play]
games = 4
max_games = 4
seed = 5
[[item]]
id = "protocol"
points = 20
check = { level = "must" }
[[item]]
id = "no-forfeits"
points = 10
forfeits = { full = 0, zero = 5 }
[[item]]
id = "beats-random"
points = 30
against = "random"
score = { full = 0.9, zero = 0.5, confidence = 0.6, doubt = "none" }
[[item]]
id = "writeup"
points = 0
manual = true
"#;

/// A worksheet of Moodle, half filled in.
const SHEET: &str = "\u{feff}Identifier,\"Full name\",Status,Grade,\"Maximum grade\",\"Last modified (grade)\",\"Feedback comments\"\r\n\
    Participant 10,\"Strong One\",\"Submitted for grading - \",,60.00,-,\r\n\
    Participant 11,weak,\"Submitted for grading - \",1.50,60.00,-,\"see me\"\r\n";

/// The roster that `import` would have written for the submissions of the class.
fn roster() -> Value {
    let submission = |(name, slug, participant): (&str, &str, &str)| {
        json!({
            "player": name, "slug": slug, "state": "ready", "late": false, "layout": "moodle-folders", "full_name": name,
            "participant": participant, "username": null, "email": null, "team": null, "submitted": ["bot.zip"],
            "folder": format!("{name}_{participant}_assignsubmission_file_"), "submission_sha256": "", "files": [],
            "files_sha256": "",
        })
    };
    let submissions = [("Strong One", "strong_one", "10"), ("weak", "weak", "11")].map(submission);
    json!({ "format": 1, "program": "", "class_toml_sha256": "", "submissions": submissions })
}

#[test]
fn the_grades_of_a_class_are_the_same_bytes() {
    let arena = arena(CLASS);
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    fs::write(arena.path().join("sheet.csv"), SHEET).expect("written");
    fs::write(arena.path().join("import.json"), roster().to_string()).expect("written");
    for (slug, plays) in [("strong_one", "greedy"), ("weak", "random")] {
        make_bot_of(&arena, slug, "../../arena", plays);
    }
    plant_checks_with(&arena, std::time::Duration::from_mins(1));
    let words = ["grade", "class.toml", "--rubric", "rubric.toml", "--worksheet", "sheet.csv", "--concurrency", "1"];
    let mut golden = Golden::default();
    golden.add("grade", &printed(&arena.output(&words)));
    let grades = arena.path().join("grades");
    for name in ["grades.csv", "audit.json", "moodle.csv"] {
        golden.add(name, &fs::read_to_string(grades.join(name)).expect("written"));
    }
    for slug in ["strong_one", "weak"] {
        let read = |path: PathBuf| fs::read_to_string(grades.join(path)).expect("written");
        let gradescope = read(Path::new("gradescope").join(slug).join("results.json"));
        golden.add(&format!("gradescope/{slug}/results.json"), &without_measured(&without_figures(&gradescope)));
        let page = read(Path::new("feedback").join(format!("{slug}.md")));
        golden.add(&format!("feedback/{slug}.md"), &without_measured(&masked_log(&page)));
        golden.add_results(&grades.join("run").join(slug).join("random"), &format!("run/{slug}/"));
    }
    golden.check("grades");
}

/// A page without the sentences about the time and the memory that the bot used.
fn without_measured(page: &str) -> String {
    let (from, to) = ("Your bot took ", " of memory in a game");
    let mut parts = page.split(from);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(to).expect("the sentences end");
        masked += from;
        masked += "#";
        masked += to;
        masked += rest;
    }
    masked
}
