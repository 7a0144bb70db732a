//! Whatever text bots write, each report stays valid in its format.

use proptest::prelude::*;

use super::*;
use crate::base::sanitise::sanitised;
use crate::results::quoting::{fenced, message, property, wrapped};

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

/// How many times `wanted` occurs in `line` without a backslash before it.
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
        // XML cannot represent U+FFFE and U+FFFF, and XML parsers read a tab or a line break in an attribute as a
        // space.
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
