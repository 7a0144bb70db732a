//! What the text report says about failures.

use super::*;
use crate::drill::script::NeededClocks;

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
fn what_is_needed_depends_on_the_time_control() {
    for (control, untried) in [("60+1", 2), ("10:5x30", 2), ("0:1x30", 2), ("1/move", 2), ("1/move+9bank", 2), ("9", 0)]
    {
        let control: SideControl = control.parse().expect("a control");
        let mut heron = TriedPlayer { control, trials: all_musts(), ..player("heron", "") };
        assert_eq!(heron.untried_musts(), untried, "{control}");
        // `clock-uneven` counts only for controls with a main time.
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
