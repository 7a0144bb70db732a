//! Every report format, with outcomes of all kinds and hostile text.

mod blocks;
mod hostile;
mod verdicts;

use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::base::sanitise::is_unprintable;
use crate::drill::diagnosis::{Cause, Diagnosis, SourcePlace};
use crate::drill::readiness::{SkipReason, Trial, TrialStatus, TriedPlayer, UntriedPlayer};
use crate::drill::script::{
    BotSeat, BoutEnd, BoutFacts, Level, Plan, ProcessExit, ProcessFacts, Refusal, RivalKind, SCENARIOS, Scenario,
    Speaker, Transcript, TrialFailure,
};
use crate::game::{Ruleset, Side};
use crate::referee::record::{Ply, TryKind};
use crate::referee::time_control::{SideControl, TimeControl};
use crate::results::quoting::markdown;

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

fn written(readiness: &Readiness, format: ReadinessFormat, strict: bool) -> String {
    super::readiness(readiness, format, strict, Style::PLAIN)
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
