//! Every report format, with outcomes of all kinds and hostile text.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::base::sanitise::{is_unprintable, sanitised};
use crate::drill::diagnosis::{Cause, Diagnosis, SourcePlace};
use crate::drill::readiness::{ReadinessVerdict, SkipReason, Trial, TrialStatus, TriedPlayer, UntriedPlayer};
use crate::drill::script::{
    BotSeat, BoutEnd, BoutFacts, Level, NeededClocks, Plan, ProcessExit, ProcessFacts, Refusal, RivalKind, SCENARIOS,
    Scenario, Speaker, Transcript, TrialFailure,
};
use crate::game::{Ruleset, Side};
use crate::referee::record::{Ply, TryKind};
use crate::referee::time_control::{SideControl, TimeControl};
use crate::results::quoting::{fenced, markdown, message, property, wrapped};

/// A scenario of the given `level` that is never played.
const fn idle(id: &'static str, level: Level) -> Scenario {
    let Scenario { rules, clocks, needs_moves, games, same_seed, judge, .. } = &SCENARIOS[0];
    Scenario {
        id,
        level,
        does: "plays",
        about: "plays on",
        rules: *rules,
        clocks: *clocks,
        needs_moves: *needs_moves,
        games: *games,
        same_seed: *same_seed,
        plan: |_| Plan::plain(TimeControl::Unlimited, RivalKind::Random),
        judge: *judge,
    }
}

static MUST: Scenario = idle("clock", Level::Must);
static OTHER_MUST: Scenario = idle("clock-uneven", Level::Must);
static SHOULD: Scenario = idle("draw", Level::Should);
static INFO: Scenario = idle("names", Level::Info);

/// The facts of a bout in which everything that the bot can write is `text`.
fn facts(side: Side, text: &str) -> BoutFacts {
    let mut transcript = Transcript::default();
    transcript.add(Duration::from_millis(34), Speaker::Bot, text.as_bytes());
    transcript.add(Duration::from_millis(40), Speaker::Arena, b"291 no\r\n");
    let refusal =
        Refusal { ply: 0, text: text.to_owned(), why: text.to_owned(), kind: TryKind::Illegal, forged: false };
    BoutFacts {
        plies: vec![ply(Side::Black, "c3")],
        refusals: vec![refusal],
        end: BoutEnd::Crashed(text.to_owned()),
        said_after_end: vec![text.to_owned()],
        process: Some(ProcessFacts {
            exit: Some(ProcessExit::Status(1)),
            left_after: None,
            stdout: text.to_owned(),
            stderr: text.to_owned(),
            stderr_bytes: 5,
            usage: None,
        }),
        transcript,
        ..BoutFacts::not_begun(side, Ruleset::Gothello, TimeControl::Unlimited)
    }
}

fn ply(side: Side, played: &str) -> Ply {
    Ply::untimed(side, played.parse().expect("a move"))
}

fn trial(scenario: &'static Scenario, side: Side, status: TrialStatus, text: &str) -> Trial {
    let is_played = status != TrialStatus::Skip;
    Trial {
        scenario,
        side: side.into(),
        status,
        failure: (status != TrialStatus::Pass && is_played).then_some(TrialFailure::Crashed),
        skipped: (!is_played).then_some(SkipReason::Interrupted),
        summary: if status == TrialStatus::Pass { String::new() } else { text.to_owned() },
        flaky: text.contains("FLAKY"),
        took: Duration::from_millis(1234),
        games: if is_played { vec![facts(side, text)] } else { Vec::new() },
        decisive: 0,
        second: None,
        diagnoses: Vec::new(),
        transcript_file: is_played.then(|| format!("results/class.check/heron/{}.{side}.txt", scenario.id)),
    }
}

fn diagnosed(mut trial: Trial, text: &str) -> Trial {
    trial.diagnoses = vec![Diagnosis {
        cause: Cause::ClockNameError,
        title: text.to_owned(),
        text: text.to_owned(),
        evidence: vec![text.to_owned()],
        fix: text.to_owned(),
        place: Some(SourcePlace { file: text.to_owned(), line: Some(141) }),
    }];
    trial
}

/// A player with trials of every status, two of them diagnosed, in which all untrusted text is `text`.
fn player(name: &str, text: &str) -> TriedPlayer {
    use TrialStatus as S;
    let trials = vec![
        trial(&MUST, Side::Black, S::Pass, text),
        diagnosed(trial(&MUST, Side::White, S::Fail, text), text),
        diagnosed(trial(&OTHER_MUST, Side::Black, S::Timeout, text), text),
        trial(&OTHER_MUST, Side::White, S::Skip, text),
        trial(&SHOULD, Side::Black, S::Pass, text),
        trial(&SHOULD, Side::White, S::Warn, text),
        trial(&INFO, Side::Black, S::Info, text),
        trial(&INFO, Side::White, S::Pass, text),
    ];
    TriedPlayer {
        player: name.to_owned(),
        command: text.to_owned(),
        sides: BotSeat::all(2).collect(),
        dir: Some("bots/heron".to_owned()),
        digest: Some("1a2b3c4d5e6f7a8b9c0d".to_owned()),
        broken: None,
        control: CONTROL,
        trials,
        took: Duration::from_secs(38),
    }
}

/// A class with one player that was drilled, one that cannot be started, and one that was not drilled.
fn class(text: &str) -> Readiness {
    let broken = TriedPlayer { broken: Some(text.to_owned()), trials: Vec::new(), ..player("finch", text) };
    Readiness {
        ruleset: Ruleset::Gothello,
        isolation: "A".to_owned(),
        players: vec![player("heron", text), broken],
        untried: vec![UntriedPlayer { player: "wren".to_owned(), why: text.to_owned(), is_void: true }],
    }
}

/// The clock of an ordinary game.
const CONTROL: SideControl = SideControl::sudden_death(Duration::from_secs(10));

/// Every MUST check for that clock, passed.
fn all_musts() -> Vec<Trial> {
    let is_meant = |scenario: &&Scenario| scenario.is_meant_for(CONTROL, 2);
    let musts = SCENARIOS.iter().filter(|scenario| scenario.level == Level::Must).filter(is_meant);
    musts.flat_map(|scenario| Side::BOTH.map(|side| trial(scenario, side, TrialStatus::Pass, ""))).collect()
}

/// Text from an attacker who tries to break out of a report.
fn hostile() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "\x1b[2J",
        "\x1b]0;title\x07",
        "\0",
        "\r\n",
        "\n",
        "\r",
        "]]>",
        "<!--",
        "</failure>",
        "&amp;",
        "::error title=x::y",
        "::stop-commands::x",
        "\n::set-output::",
        "##[error]x",
        "##vso[task]",
        "###",
        "%0A",
        "%25",
        "%",
        ",",
        ":",
        "`",
        "```",
        "````\n",
        "|",
        "\n|",
        "\u{202e}",
        "\u{2028}",
        "\u{feff}",
        "\u{fffe}",
        "\u{fffd}",
        "\n    not ok 1 - x",
        "\nok 9",
        "\n1..1",
        "# SKIP",
        "# TODO",
        "\n  ...",
        "\n  ---",
        "\"",
        "'",
        "\\",
        "\\n",
        "- a: b",
        "<img src=x>",
        "[x](http://y)",
        "$x$",
        "@all",
        "~~~",
        " ",
        "c3",
        "7 c3",
        "a very ordinary word",
        "ä",
        "漢字",
        "🙂",
        "\t",
    ];
    let piece = prop_oneof![3 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,90}"];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Whether a CI server would find a command in `text`.
fn commands_ci(text: &str) -> bool {
    let begins = |line: &str| line.trim_start().strip_prefix("::").is_some_and(|rest| rest.contains("::"));
    has_bracket_command(text) || text.lines().any(begins)
}

/// Whether `text` contains a bracketed command such as `##[name]` or `##vso[name]`.
fn has_bracket_command(text: &str) -> bool {
    let begins = |rest: &str| rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).starts_with('[');
    text.match_indices("##").any(|(at, _)| begins(&text[at + 2..])) || text.contains("###[")
}

/// Whether a terminal shows `text` literally.
fn is_tame(text: &str) -> bool {
    text.chars().all(|letter| letter == '\n' || !is_unprintable(letter))
}

/// The test points of a TAP document: whether each is `ok`, and its directive. An indented line is part of a subtest; a
/// YAML block belongs to the point before it.
fn points(tap: &str, indent: &str) -> Vec<(bool, Option<String>)> {
    let (mut points, mut planned, mut in_yaml) = (Vec::new(), None, false);
    for line in tap.lines() {
        let Some(line) = line.strip_prefix(indent) else { continue };
        match line {
            "  ---" => in_yaml = true,
            "  ..." => in_yaml = false,
            _ if in_yaml => {
                let (key, value) = line.trim_start().trim_start_matches("- ").split_once(':').expect("a key");
                assert!(key.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
                let value = value.trim();
                assert!(!value.starts_with('"') || serde_json::from_str::<String>(value).is_ok(), "{line}");
            }
            _ if line.starts_with("1..") => {
                assert_eq!(planned, None, "two plans");
                planned = line[3..].parse::<usize>().ok();
            }
            _ if line.starts_with("ok ") || line.starts_with("not ok ") => {
                let rest = line.trim_start_matches("not ").trim_start_matches("ok ");
                let (number, described) = rest.split_once(" - ").expect("a description");
                assert_eq!(number.parse::<usize>().ok(), Some(points.len() + 1));
                let directive =
                    described.replace("\\#", "").split_once(" # ").map(|(_, directive)| directive.to_owned());
                points.push((line.starts_with("ok "), directive));
            }
            _ => assert!(
                line.starts_with("# ") || line.starts_with("TAP version 14") || line.starts_with("    "),
                "{line}"
            ),
        }
    }
    assert_eq!(planned, Some(points.len()), "{tap}");
    points
}

fn written(readiness: &Readiness, format: ReadinessFormat, strict: bool) -> String {
    super::readiness(readiness, format, strict, Style::PLAIN)
}

/// The number of code blocks in the Markdown `text`, and the lines outside code blocks.
fn unfenced(text: &str) -> (usize, Vec<&str>) {
    let (mut blocks, mut outside, mut fence) = (0, Vec::new(), None);
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open && line.len() == ticks => fence = None,
            Some(_) => {}
            None if ticks >= 3 => {
                fence = Some(ticks);
                blocks += 1;
            }
            None => outside.push(line),
        }
    }
    assert_eq!(fence, None, "a fence is left open:\n{text}");
    (blocks, outside)
}

/// How often `wanted` occurs in `line` without a backslash before it.
fn bare(line: &str, wanted: char) -> usize {
    let mut escaped = false;
    let is_bare = |letter: char| {
        let counts = letter == wanted && !escaped;
        escaped = letter == '\\' && !escaped;
        counts
    };
    line.chars().map(is_bare).filter(|counts| *counts).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn text_is_tame_and_80_columns_wide_whatever_a_bot_writes(text in hostile()) {
        let shown = written(&class(&text), ReadinessFormat::Text, false);
        prop_assert!(is_tame(&shown) && !commands_ci(&shown), "{shown}");
        for line in shown.lines() {
            // Escapes at the beginning of a line make it longer.
            let escaped = 6 * line.matches("\\u{").count();
            prop_assert!(line.chars().count() <= 80 + escaped || line.contains("Transcript: "), "{line}");
        }
        for head in ["  PASS  ", "  FAIL  ", "  WARN  ", "  INFO  ", "  SKIP  ", "  verdict: not ready", "  verdict: broken"] {
            prop_assert_eq!(shown.lines().filter(|line| line.starts_with(head)).count(), 1, "{}", head);
        }
    }

    #[test]
    fn tap_has_the_same_points_whatever_a_bot_writes(text in hostile(), strict in any::<bool>()) {
        let shown = written(&class(&text), ReadinessFormat::Tap, strict);
        prop_assert!(is_tame(&shown) && !commands_ci(&shown), "{shown}");
        let oks = |points: &[(bool, Option<String>)]| points.iter().map(|(ok, _)| *ok).collect::<Vec<_>>();
        let directive = |point: &(bool, Option<String>), word: &str| {
            point.1.as_ref().is_some_and(|directive| directive.starts_with(word))
        };
        let outer = points(&shown, "");
        prop_assert_eq!(oks(&outer), [false, false, true]);
        prop_assert!(directive(&outer[2], "SKIP"));
        let (subtest, _) = shown.split_once("\nnot ok 1").expect("the first point");
        let inner = points(subtest, "    ");
        prop_assert_eq!(oks(&inner), [true, false, false, true, true, false, false, true]);
        prop_assert_eq!(inner[1].1.as_deref(), Some("D01"));
        prop_assert!(directive(&inner[3], "SKIP"));
        prop_assert_eq!(directive(&inner[5], "TODO"), !strict);
        prop_assert!(directive(&inner[6], "TODO"));
    }

    #[test]
    fn junit_is_xml_with_the_same_cases_whatever_a_bot_writes(text in hostile(), strict in any::<bool>()) {
        let xml = written(&class(&text), ReadinessFormat::Junit, strict);
        prop_assert!(is_tame(&xml) && !commands_ci(&xml), "{xml}");
        let document = roxmltree::Document::parse(&xml).expect("XML");
        let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        let failures = 2 + usize::from(strict);
        prop_assert_eq!(count("testsuite"), 3);
        prop_assert_eq!(count("testcase"), 10);
        prop_assert_eq!((count("failure"), count("error"), count("skipped")), (failures, 1, 2));
        let root = document.root_element();
        prop_assert_eq!(root.attribute("tests"), Some("10"));
        prop_assert_eq!(root.attribute("failures"), Some(if strict { "3" } else { "2" }));
        let failure = document.descendants().find(|node| node.has_tag_name("failure")).expect("a failure");
        // XML cannot represent U+FFFE and U+FFFF, and XML parsers read a tab or a line break in an attribute as a blank.
        let said = sanitised(&text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
        let told = failure.attribute("message").expect("a message").replace("\\u{23}", "#").replace("\\u{3a}", ":");
        prop_assert_eq!(told, said.replace("\\u{23}", "#").replace("\\u{3a}", ":"));
    }

    #[test]
    fn json_says_what_happened_whatever_a_bot_writes(text in hostile()) {
        let json = written(&class(&text), ReadinessFormat::Json, false);
        prop_assert!(is_tame(&json) && !commands_ci(&json), "{json}");
        let value: Value = serde_json::from_str(&json).expect("JSON");
        let trials = value["players"][0]["scenarios"].as_array().expect("trials");
        let statuses: Vec<&str> = trials.iter().filter_map(|trial| trial["status"].as_str()).collect();
        prop_assert_eq!(statuses, ["pass", "fail", "timeout", "skip", "pass", "warn", "info", "pass"]);
        let summary = trials[1]["summary"].as_str().expect("a summary").replace("\\u{23}", "#").replace("\\u{3a}", ":");
        prop_assert_eq!(summary, sanitised(&text).replace("\\u{23}", "#").replace("\\u{3a}", ":"));
    }

    #[test]
    fn every_line_of_annotations_is_one_command(text in hostile()) {
        let lines = annotations(&class(&text));
        prop_assert!(is_tame(&lines) && !has_bracket_command(&lines), "{lines}");
        let heads: Vec<&str> = lines.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
        prop_assert_eq!(heads, ["::error", "::error", "::warning"]);
        for line in lines.lines() {
            // A command is `::name properties::message`.
            let (head, message) = line.trim_start_matches("::").split_once("::").expect("a message");
            let (_, properties) = head.split_once(' ').expect("properties");
            for property in properties.split(',') {
                let (key, value) = property.split_once('=').expect("a value");
                prop_assert!(["title", "file", "line"].contains(&key), "{line}");
                prop_assert!(!value.contains(':'), "{line}");
            }
            for part in line.split('%').skip(1) {
                prop_assert!(["25", "0A", "0D", "3A", "2C"].iter().any(|code| part.starts_with(code)), "{message}");
            }
        }
    }

    #[test]
    fn the_summary_has_the_same_tables_and_blocks_whatever_a_bot_writes(text in hostile()) {
        let summary = step_summary(&class(&text), 900 * 1024);
        prop_assert!(is_tame(&summary), "{summary}");
        let (blocks, outside) = unfenced(&summary);
        prop_assert_eq!(blocks, 2, "{}", summary);
        let rows: Vec<&str> = outside.iter().copied().filter(|line| line.starts_with('|')).collect();
        prop_assert_eq!(rows.iter().map(|row| bare(row, '|')).collect::<Vec<_>>(), [5, 5, 5, 5, 5, 6, 6, 6, 6]);
        for line in outside {
            let html = bare(line, '<') - line.matches("<br>").count();
            let folded = 3 * usize::from(line.starts_with("<details>")) + usize::from(line == "</details>");
            prop_assert_eq!(html, folded, "{}", line);
            prop_assert_eq!(bare(line, '`') + bare(line, '[') + bare(line, '$') + bare(line, '@'), 0, "{}", line);
        }
    }

    #[test]
    fn a_transcript_file_is_tame_whatever_a_bot_writes(text in hostile()) {
        let player = player("heron", &text);
        for trial in &player.trials {
            let file = trial_file(&player, trial);
            prop_assert_eq!(file.is_none(), trial.status == TrialStatus::Skip);
            prop_assert!(is_tame(&file.unwrap_or_default()));
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_run_of_backticks(text in "[`a\n]{0,40}") {
        let block = fenced(&text);
        let (blocks, outside) = unfenced(&block);
        prop_assert_eq!((blocks, outside.len()), (1, 0));
    }

    #[test]
    fn a_workflow_command_gives_its_text_back(text in any::<String>()) {
        let unescaped = |text: &str| {
            let text = text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",");
            text.replace("%25", "%")
        };
        for escaped in [property(&text), message(&text)] {
            prop_assert!(!escaped.contains(['\r', '\n']));
            prop_assert_eq!(unescaped(&escaped), &*text);
        }
        prop_assert!(!property(&text).contains([':', ',']));
    }

    #[test]
    fn wrapping_keeps_every_letter(text in ".{0,300}") {
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        let lines = wrapped("  x  ", &text);
        prop_assert_eq!(letters(lines.strip_prefix("  x").expect("the beginning")), letters(&text));
        prop_assert!(lines.split('\n').all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn a_cut_summary_is_whole_and_says_what_is_missing(most in 0_usize..6000) {
        let summary = step_summary(&class("it ended"), most);
        prop_assert!(summary.len() <= most, "{} > {most}", summary.len());
        unfenced(&summary);
        let whole = step_summary(&class("it ended"), usize::MAX);
        prop_assert!(summary == whole || most < 100 || summary.contains("left out"), "{summary}");
    }
}

/// A class without hostile text.
fn example() -> Readiness {
    let why = |mut trial: Trial| {
        trial.summary = "It ended right after `101 10 10`, with status 1.".to_owned();
        trial.diagnoses = vec![Diagnosis {
            cause: Cause::ClockNameError,
            title: "an old copy of gthclient.py".to_owned(),
            text: "Your gthclient.py is an old copy with a bug that only shows with clocks.".to_owned(),
            evidence: vec!["NameError: name 'white_time_control' is not defined".to_owned()],
            fix: "write `self.my_time = self.white_time_control`, and the same two lines below.".to_owned(),
            place: Some(SourcePlace { file: "gthclient.py".to_owned(), line: Some(141) }),
        }];
        trial
    };
    let mut heron = player("heron", "It plays.");
    heron.command = "python3 gthplayer.py {side} {host} {server}".to_owned();
    heron.trials = vec![
        why(trial(&MUST, Side::Black, TrialStatus::Fail, "")),
        why(trial(&MUST, Side::White, TrialStatus::Fail, "")),
        why(trial(&OTHER_MUST, Side::Black, TrialStatus::Fail, "")),
        trial(&SHOULD, Side::Black, TrialStatus::Pass, ""),
        trial(&SHOULD, Side::White, TrialStatus::Warn, "It raised an exception on 203."),
        trial(&INFO, Side::Black, TrialStatus::Pass, ""),
        trial(&INFO, Side::White, TrialStatus::Skip, "It needs `plain`."),
    ];
    let mut kestrel = player("kestrel", "");
    kestrel.command = "./kestrel".to_owned();
    kestrel.trials = Side::BOTH.map(|side| trial(&MUST, side, TrialStatus::Pass, "")).into();
    Readiness {
        ruleset: Ruleset::Gothello,
        isolation: "A".to_owned(),
        players: vec![heron, kestrel],
        untried: vec![UntriedPlayer {
            player: "greedy".to_owned(),
            why: "it is a built-in bot".to_owned(),
            is_void: false,
        }],
    }
}

#[test]
fn a_student_reads_what_happened_why_and_what_to_do() {
    let expected = "\
bots are confined by tier A; 2 of 3 players tried
  greedy: not tried: it is a built-in bot

heron: python3 gthplayer.py {side} {host} {server}
  sha256 1a2b3c4d5e6f, 7 checks, 38.0 s
  PASS  draw (as black), names (as black)
  FAIL  clock (as black and as white); clock-uneven (as black)
        It ended right after `101 10 10`, with status 1.
        Why: Your gthclient.py is an old copy with a bug that only shows with
             clocks. (D01, gthclient.py:141)
        Seen: NameError: name 'white_time_control' is not defined
        Fix: write `self.my_time = self.white_time_control`, and the same two
             lines below.
        Transcript: results/class.check/heron/clock.black.txt
  WARN  draw (as white)
        It raised an exception on 203.
        Seen: stderr: It raised an exception on 203.
        Expected: the bot plays on.
        Transcript: results/class.check/heron/draw.white.txt
  SKIP  names (as white)
        It needs `plain`.
  verdict: not ready: 3 of 3 MUST checks fail; each failure costs a game in a
           tournament

kestrel: ./kestrel
  sha256 1a2b3c4d5e6f, 2 checks, 38.0 s
  PASS  clock
  verdict: open: all 2 MUST checks that were tried pass, and 26 were not tried;
           no warnings

summary: 0 ready, 1 open, 1 not ready, 1 not tried
";
    assert_eq!(written(&example(), ReadinessFormat::Text, false), expected);
    let coloured =
        super::readiness(&example(), ReadinessFormat::Text, false, Style { has_colours: true, has_discs: false });
    assert!(coloured.contains("\x1b[31mFAIL\x1b[0m"));
    for code in ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"] {
        assert!(coloured.contains(code), "{code:?}");
    }
}

#[test]
fn annotations_name_the_line_of_the_source_and_stop_at_ten() {
    let lines = annotations(&example());
    let first = lines.lines().next().unwrap();
    assert!(
        first.starts_with(
            "::error title=heron%3A clock (as black and as white); clock-uneven (as black) \
             (D01),file=bots/heron/gthclient.py,line=141::It ended right after"
        ),
        "{first}"
    );
    assert!(first.ends_with("%0ATranscript: results/class.check/heron/clock.black.txt"), "{first}");
    let mut many = example();
    for number in 0..12 {
        let failed = trial(&SHOULD, Side::Black, TrialStatus::Warn, &format!("warning {number}"));
        many.players[0].trials.insert(0, failed);
    }
    let lines = annotations(&many);
    assert_eq!(lines.lines().count(), 10);
    assert!(lines.starts_with("::error "), "errors come first: {lines}");
}

#[test]
fn a_verdict_says_what_failures_cost() {
    let told = |failures: &[TrialFailure]| {
        let failed = |failure: &TrialFailure| Trial {
            failure: Some(*failure),
            ..trial(&MUST, Side::Black, TrialStatus::Fail, "x")
        };
        let heron = TriedPlayer { trials: failures.iter().map(failed).collect(), ..player("heron", "") };
        let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
        written(&readiness, ReadinessFormat::Text, false).replace("\n          ", "")
    };
    for (failures, said) in [
        (&[TrialFailure::Crashed, TrialFailure::FlagFell][..], "fail; each failure costs a game in a tournament\n"),
        (
            &[TrialFailure::Illegal, TrialFailure::Illegal],
            "fail; none of them costs a game on its own; a refused line costs time",
        ),
        (
            &[TrialFailure::Illegal, TrialFailure::Absent],
            "fail; 1 of them costs a game in a tournament; a refused line costs time",
        ),
        (&[TrialFailure::SpokeAfterEnd], "fail; none of them costs a game on its own\n"),
    ] {
        assert!(told(failures).contains(said), "{}", told(failures));
    }
}

#[test]
fn refused_moves_without_a_cause_are_reported_once_and_an_exception_by_its_headline() {
    let mut heron = player("heron", "");
    let refused = |scenario, side, text: &str| Trial {
        failure: Some(TrialFailure::Illegal),
        ..trial(scenario, side, TrialStatus::Fail, text)
    };
    heron.trials = vec![
        refused(
            &MUST,
            Side::Black,
            "`3 a1` was refused: a1: the stone would have no liberty. 3 more lines were refused.",
        ),
        refused(&MUST, Side::White, "`4 ... b2` was refused: b2: there is a stone already."),
    ];
    let stderr = "java.lang.NullPointerException: no best move\n\tat Owl.think(Owl.java:119)\n\tat Owl.play(Owl.java:9)\n\tat Owl.main(Owl.java:3)\n";
    heron.trials.push(trial(&OTHER_MUST, Side::Black, TrialStatus::Fail, "It ended."));
    heron.trials[2].games[0].process.as_mut().unwrap().stderr = stderr.to_owned();
    let text =
        written(&Readiness { players: vec![heron], untried: Vec::new(), ..example() }, ReadinessFormat::Text, false);
    assert_eq!(text.matches("  FAIL  ").count(), 2, "{text}");
    assert!(text.contains("Seen: stderr: java.lang.NullPointerException: no best move\n"), "{text}");
    assert!(!text.contains("Owl.java"), "{text}");
}

#[test]
fn a_failed_build_is_a_block_that_begins_with_its_first_error() {
    let output = "bot.c:3:1: warning: unused\n".repeat(30);
    let errors = "bot.c:1:9: error: expected ';'\n\tint x\n".repeat(12);
    let broken = format!("its build failed: exited with code 1\n{output}{errors}");
    let heron = TriedPlayer { broken: Some(broken), trials: Vec::new(), ..player("heron", "") };
    let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
    let text = written(&readiness, ReadinessFormat::Text, false);
    let (_, block) = text.split_once("its build failed: exited with code 1\n").expect("the reason ends its line");
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines[..2], ["    bot.c:1:9: error: expected ';'", "            int x"]);
    assert_eq!((lines.len(), lines[10]), (11, "    ... and 44 more lines of output"), "{text}");
    let json = written(&readiness, ReadinessFormat::Json, false);
    assert!(!json.contains("\\\\n") && json.contains("error: expected ';'\\n"), "{json}");
    let xml = written(&readiness, ReadinessFormat::Junit, false);
    assert!(xml.contains("message=\"its build failed: exited with code 1\""), "{xml}");
}

#[test]
fn a_verdict_counts_the_checks_that_were_not_tried() {
    let mut skipped = example();
    let skip = |scenario, side| trial(scenario, side, TrialStatus::Skip, "It did not come.");
    skipped.players[0].trials.extend([skip(&OTHER_MUST, Side::White), skip(&MUST, Side::White)]);
    let text = written(&skipped, ReadinessFormat::Text, false);
    assert!(text.contains("not ready: 3 of 5 MUST checks fail, 2 were not tried; each"), "{text}");
    assert!(step_summary(&skipped, usize::MAX).contains("| 0 of 5, 2 not tried | 1 of 2 |"));
}

#[test]
fn a_bot_is_ready_only_if_every_must_check_was_tried() {
    let passed = |scenario, side| trial(scenario, side, TrialStatus::Pass, "");
    for (trials, said) in [
        (vec![passed(&SHOULD, Side::Black)], "open: of the MUST checks, 28 were not tried; no warnings"),
        (vec![passed(&MUST, Side::Black)], "open: the only MUST check that was tried passes, and 27 were not tried"),
        (all_musts().into_iter().skip(1).collect(), "open: all 27 MUST checks that were tried pass, and 1 was not"),
        (all_musts(), "ready: all 28 MUST checks pass; no warnings"),
    ] {
        let heron = TriedPlayer { trials, ..player("heron", "") };
        let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
        let text = written(&readiness, ReadinessFormat::Text, false).replace("\n          ", "");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn what_is_needed_depends_on_the_time_control() {
    for (control, untried) in [("60+1", 2), ("10:5x30", 2), ("0:1x30", 2), ("1/move", 2), ("1/move+9bank", 2), ("9", 0)]
    {
        let control: SideControl = control.parse().expect("a control");
        let mut heron = TriedPlayer { control, trials: all_musts(), ..player("heron", "") };
        assert_eq!(heron.untried_musts(), untried, "{control}");
        // `clock-uneven` has a main time, and counts for no other control.
        heron.trials.retain(|trial| trial.scenario.id != "clock-uneven");
        let is_needed = NeededClocks::MainTime.include(control);
        assert_eq!(heron.untried_musts(), if is_needed { untried + 2 } else { untried }, "{control}");
    }
}

#[test]
fn a_quotation_alone_makes_no_group_of_its_own() {
    let mut heron = player("heron", "");
    let warned =
        |side, said: &str| trial(&SHOULD, side, TrialStatus::Warn, &format!("It raised after `{said}`, early."));
    heron.trials = vec![warned(Side::Black, "325 draw"), warned(Side::White, "326 draw")];
    heron.trials.push(trial(&SHOULD, Side::Black, TrialStatus::Warn, "It stayed after `325 draw`, early."));
    let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
    let text = written(&readiness, ReadinessFormat::Text, false);
    assert_eq!(text.matches("  WARN  ").count(), 2, "{text}");
    assert!(text.contains("For example, draw.black: It raised after `325 draw`, early."), "{text}");
}

#[test]
fn the_end_of_stderr_replaces_a_cause_that_is_not_known() {
    let shown = |exit, stderr: &str, is_known: bool| {
        let mut failed = trial(&MUST, Side::Black, TrialStatus::Fail, "It ended.");
        let process = failed.games[0].process.as_mut().unwrap();
        (process.exit, process.stderr) = (exit, stderr.to_owned());
        let failed = if is_known { diagnosed(failed, "known") } else { failed };
        let heron = TriedPlayer { trials: vec![failed], ..player("heron", "") };
        let readiness = Readiness { players: vec![heron], untried: Vec::new(), ..example() };
        let text = written(&readiness, ReadinessFormat::Text, false);
        let seen = text.lines().filter_map(|line| line.trim().strip_prefix("Seen: stderr: ")).map(str::to_owned);
        let seen: Vec<String> = seen.collect();
        assert_eq!(annotations(&readiness).matches("%0ASeen: stderr: ").count(), seen.len());
        seen
    };
    let failed = Some(ProcessExit::Status(1));
    assert_eq!(shown(failed, "one\ntwo\n\nthree\nfour\n", false), ["two", "three", "four"]);
    assert_eq!(shown(Some(ProcessExit::Signal(11)), "core dumped", false), ["core dumped"]);
    assert_eq!(shown(failed, "one", true), [""; 0]);
    assert_eq!(shown(Some(ProcessExit::Status(0)), "one", false), [""; 0]);
    assert_eq!(shown(None, "one", false), [""; 0]);
}

#[test]
fn how_long_the_process_stayed_after_the_game_is_reported_if_it_is_known() {
    let mut player = player("heron", "");
    for (left_after, tells) in [(Some(Duration::from_millis(12)), true), (None, false)] {
        player.trials[0].games[0].process.as_mut().expect("started").left_after = left_after;
        let file = trial_file(&player, &player.trials[0]).unwrap();
        assert!(file.contains("the process ended with status 1"), "{file}");
        assert_eq!(file.contains(", 0.012 s after the game"), tells, "{file}");
        let heron = TriedPlayer { trials: vec![player.trials.remove(0)], ..self::player("heron", "") };
        let readiness = Readiness { players: vec![heron], ..example() };
        let json: Value = serde_json::from_str(&written(&readiness, ReadinessFormat::Json, false)).unwrap();
        let exit = &json["players"][0]["scenarios"][0]["exit"];
        assert_eq!((&exit["status"], exit["after_end_ms"].is_number()), (&Value::from(1), tells));
        player.trials = self::player("heron", "").trials;
    }
}

#[test]
fn strictness_is_the_same_in_every_report() {
    let mut warned = example();
    warned.players.remove(0);
    warned.players[0].trials.push(trial(&SHOULD, Side::Black, TrialStatus::Warn, "It raised an exception."));
    for strict in [false, true] {
        assert_eq!(warned.holds(strict), !strict);
        let tap = written(&warned, ReadinessFormat::Tap, strict);
        assert_eq!(tap.contains("\nnot ok 1 - kestrel"), strict, "{tap}");
        assert_eq!(tap.contains("# TODO warning"), !strict, "{tap}");
        let xml = written(&warned, ReadinessFormat::Junit, strict);
        assert_eq!(xml.contains("<failure"), strict, "{xml}");
        assert!(xml.contains("It raised an exception."), "{xml}");
    }
}

#[test]
fn a_transcript_file_marks_the_refused_point_on_the_true_board_and_the_wrong_byte() {
    let mut player = player("heron", "It plays.");
    let game = &mut player.trials[1].games[0];
    game.plies = vec![ply(Side::Black, "c3"), ply(Side::White, "b2"), ply(Side::Black, "d3")];
    game.refusals = vec![Refusal {
        ply: 3,
        text: "2 .. c3".to_owned(),
        why: "c3 is occupied".to_owned(),
        kind: TryKind::Illegal,
        forged: false,
    }];
    let file = trial_file(&player, &player.trials[1]).unwrap();
    assert!(file.contains("refused after ply 3: c3 is occupied\n  2 .. c3\n      ^\n"), "{file}");
    assert!(file.contains("\n3 . .[b]b .\n2 . w . . .\n"), "{file}");
    assert!(file.contains("the process ended with status 1\n"), "{file}");
    assert!(file.contains("    0.034s  bot    It plays."), "{file}");
}

#[test]
fn markdown_is_shown_as_it_was_written() {
    assert_eq!(markdown("a|b *c* <d> $e$"), "a\\|b \\*c\\* \\<d\\> \\$e\\$");
}

/// Changes `schema` so that no object may have fields that the schema does not describe.
fn refuse_unknown(schema: &mut Value) {
    if let Value::Object(object) = schema {
        object.values_mut().for_each(refuse_unknown);
        if object.contains_key("properties") {
            object.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    } else if let Value::Array(values) = schema {
        values.iter_mut().for_each(refuse_unknown);
    }
}

#[test]
fn the_json_conforms_to_its_schema() {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../../docs/reference/schemas/check.schema.json")).unwrap();
    refuse_unknown(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut all = class("<text>");
    all.players[0].trials[0].games[0].process = None;
    all.players[0].trials[4].games[0].process.as_mut().unwrap().exit = Some(ProcessExit::Signal(9));
    for readiness in [example(), all] {
        let json: Value = serde_json::from_str(&written(&readiness, ReadinessFormat::Json, false)).unwrap();
        let errors: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        for pointer in ["/format", "/players", "/players/0/verdict", "/players/0/scenarios/1/diagnoses/0/code"] {
            let mut bad = json.clone();
            *bad.pointer_mut(pointer).expect(pointer) = Value::Bool(true);
            assert!(!validator.is_valid(&bad), "{pointer}");
        }
        let mut bad = json.clone();
        bad["players"][0]["scenarios"][0]["surprise"] = Value::Null;
        assert!(!validator.is_valid(&bad), "every field is described");
    }
}

#[test]
fn a_bot_is_open_if_the_machine_has_spoiled_a_must() {
    let mut player = TriedPlayer { trials: all_musts(), ..player("heron", "heron") };
    assert_eq!(player.verdict(), ReadinessVerdict::Ready);
    player.trials[0].status = TrialStatus::Info;
    player.trials[0].games[0].end = BoutEnd::Void("no core".to_owned());
    assert_eq!((player.verdict(), player.counts(Level::Must).skipped), (ReadinessVerdict::Open, 1));
}
