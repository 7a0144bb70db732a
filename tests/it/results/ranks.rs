//! The options of `standings`: anchors, omitted forfeits, and further tables in every format.

use serde_json::Value;

use crate::cli::command_line::{arena, text};

/// The fields in the column `name` of a CSV text.
fn column<'c>(csv: &'c str, name: &str) -> Vec<&'c str> {
    let mut lines = csv.lines();
    let place = lines.next().unwrap().split(',').position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
    lines.map(|line| line.split(',').nth(place).unwrap()).collect()
}

/// A CSV file with the games of two separate pairs, ada and bea, and cyd and dov. Each player wins one game.
fn apart() -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    let games = "first,second,first_score\nada,bea,1\nbea,ada,1\ncyd,dov,1\ndov,cyd,1\n";
    std::fs::write(file.path(), games).unwrap();
    file
}

fn said(args: &[&str]) -> String {
    let file = apart();
    let path = file.path().to_str().unwrap();
    let output = arena(&[&["standings", path], args].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_note_on_the_zero_is_right_for_fields_that_are_not_connected() {
    let said = |args: &[&str]| said(&[args, &["--explain"]].concat());
    assert!(said(&[]).contains("0 is the mean of all players; "));
    let own = "Each group of players connected by games has its own 0, the mean of its largest component; ";
    assert!(said(&["--no-prior"]).contains(own));
    let set = "ada is set to 1500.00; players that are not connected to an anchor by games have their own zero; ";
    let anchored = said(&["--no-prior", "--anchor", "ada=1500"]);
    assert!(anchored.contains(set), "{anchored}");
    let line = |name: &str| anchored.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("bea").contains("1500.0") && line("cyd").contains(" 0.0? "), "{anchored}");
    let both = said(&["--no-prior", "--anchor", "ada=1500", "--anchor", "cyd=1700~20"]);
    assert!(both.contains("ada is set to 1500.00, cyd is held near 1700.00 (sd 20.00); "), "{both}");
    assert!(both.contains("relative to the anchors"), "{both}");
}

#[test]
fn an_unknown_anchor_stays_on_one_line() {
    let file = apart();
    let output = arena(&["standings", file.path().to_str().unwrap(), "--anchor", "no\n\u{1b}body=3"]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("no player is named `no\\n\\u{1b}body`") && !error.contains('\u{1b}'), "{error}");
}

#[test]
fn the_options_are_parsed_with_care() {
    let refused = |args: &[&str]| {
        let file = apart();
        let output = arena(&[&["standings", file.path().to_str().unwrap()], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        text(&output.stderr)
    };
    for anchor in ["ada=1500~0", "ada=1500~-3", "ada=1500~x", "ada=~3", "=3~3"] {
        assert!(refused(&["--anchor", anchor]).contains("`greedy=1500~30` for a loose anchor"), "{anchor}");
    }
    assert!(refused(&["--anchor", "ada=1", "--anchor", "ada=2"]).contains("`ada` has two ratings"));
    let unknown = refused(&["--without-forfeits=time,slow"]);
    assert!(unknown.contains("`slow` is not a kind of forfeit (choose from time, illegal,"), "{unknown}");
    assert!(refused(&["--show", "rank"]).contains("ranks"));
    let kinds = said(&["--without-forfeits=time,no-show,limit"]);
    assert!(kinds.contains("Without forfeits by time, no show, limit memory, limit cpu,"), "{kinds}");
    assert!(said(&["--without-forfeits"]).contains("Without forfeits: 0 games left out"));
}

#[test]
fn every_extra_table_is_in_every_format() {
    let all = "ranks,head-to-head,fit,los";
    let table = said(&["--show", all]);
    for title in ["Chance in % of being the strongest", "Head to head", "Fit: 2 pairings", "Likelihood in %"] {
        assert!(table.contains(title), "{title}: {table}");
    }
    assert!(table.lines().filter(|line| line.contains("  ")).all(|line| line.chars().count() <= 100), "{table}");
    let markdown = said(&["--show", all, "--format", "markdown"]);
    assert!(
        markdown.contains("Head to head: the player's actual and predicted points")
            && markdown.contains("| opponent |"),
        "{markdown}"
    );
    let csv = said(&["--show", all, "--format", "csv"]);
    for name in
        ["first_probability", "rank_worst", "fit_p_value", "score_against_ada", "expected_against_ada", "performance"]
    {
        column(&csv, name);
    }
    let json: Value = serde_json::from_str(&said(&["--show", all, "--format", "json"])).unwrap();
    let ada = json.as_array().unwrap().iter().find(|player| player["player"] == "ada").unwrap();
    assert_eq!((&ada["head_to_head"]["bea"]["games"], &ada["fit"]["pairings"]), (&2.into(), &2.into()));
    // Two pairings determine two rating differences, and the colours are balanced, so no degrees of freedom are left.
    assert_eq!(ada["fit"]["p_value"], Value::Null);
    assert!(!table.contains("predict worst"), "{table}");
    let without = said(&["--show", "ranks", "--no-prior"]);
    assert!(without.contains("Ranks cannot be estimated: without a prior"), "{without}");
}
