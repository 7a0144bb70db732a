//! The tournament file: what is read from it, and what is said about a wrong one.

use std::fs;
use std::path::Path;

use gothello_arena::tournament::{CLASS_TOML, Tournament};

/// Two players, to go behind keys at the top.
const TWO: &str = "\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"greedy\"\n";

/// What is said about `text`, a line each.
fn complaints(text: &str) -> Vec<String> {
    match Tournament::parse(text, "test") {
        Ok(_) => Vec::new(),
        Err(problems) => problems.display(Path::new("t.toml")).to_string().lines().map(str::to_owned).collect(),
    }
}

#[test]
fn every_file_that_comes_with_the_arena_is_right() {
    let files: Vec<_> = fs::read_dir("tournaments").unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if let Err(problems) = Tournament::parse(&text, "test") {
            panic!("{}", problems.display(&file));
        }
    }
    assert_eq!(CLASS_TOML, fs::read_to_string("tournaments/class.toml").unwrap());
}

#[test]
fn probe() {
    for text in [
        format!(
            "time = \"ten\"\nruonds = 3\nrounds = 0\nseed = -4\nendings = \"compatibel\"\nlisten = \"x\"\nillegal_tries = \"many\"\noutput_cap = \"3 kilos\"{TWO}"
        ),
        format!(
            "tmie = 5\nblack_time = 60\nrounds = 1.5{TWO}[[player]]\nname = \"a\"\nremote = true\ntoken = 5\n[[player]]\nname = \"A!\"\n"
        ),
        format!(
            "time = 60s\nrounds = = 2\nendings = \"{TWO}[[player]\nname = \"x\"\n[[player]]\ntoken = hushhush\n token hushhush"
        ),
        "[player]\nname=\"a\"".to_owned(),
        String::new(),
        "[[players]]\nname=\"a\"".to_owned(),
        "\u{feff}ä = 1\n\"\\u0000\\u001b[31m\" = 2\na.b.c = 1\nname=1\nname=2\n".to_owned(),
        format!("player = [{{ name = \"x\", command = [\"a\", \"{{sied}}\", 3] }}, 5]"),
        format!(
            "{TWO}[[player]]\nname = \"x\"\ntransport = \"stdio\"\ncommand = [\"a\", \"{{port}} {{sied}}\"]\nenv = {{ GOTHELLO_SIDE = \"x\", B = 3, C = \"\\t{{server}}\" }}\n depth = 3\n[player.env2]\na=1\n"
        ),
    ] {
        println!("-----\n{text}\n--");
        for line in complaints(&text) {
            println!("{line}");
        }
    }
}
