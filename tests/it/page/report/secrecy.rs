//! What a page must not contain, and what it must not run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::{Page, between, played, report, report_in};
use crate::cli::command_line::text;
use crate::harness::arena::{Arena, random_and_greedy};
use crate::house::json::{fits, strict};

#[test]
fn the_page_may_run_its_own_script_and_nothing_else() {
    let page = report(&played(), &["out"]);
    let policy = between(&page.html, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    let digest = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    let style = between(&page.html, "<style>", "</style>");
    let script = page.html.rsplit_once("<script>").expect("a script").1.split_once("</script>").expect("its end").0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(
        policy.contains(&format!("script-src {};", digest(script)))
            && policy.contains(&format!("style-src {};", digest(style)))
    );
    assert!(!policy.contains("unsafe") && !policy.contains("connect-src"), "{policy}");
    assert_eq!(page.html.matches("<script").count(), 2);
    // The icon is the only link, and the page contains it.
    let icon = format!("<link rel=\"icon\" href=\"{}\">", between(&page.html, "<link rel=\"icon\" href=\"", "\">"));
    let data = "<link rel=\"icon\" href=\"data:image/png;base64,";
    assert!(icon.starts_with(data) && !icon[data.len()..].contains(['<', ':', ' ']), "{icon}");
    let foreign = page.html.replace("\"http://www.w3.org/2000/svg\"", "").replace(&icon, "");
    for word in ["://", " src=", " style=", "url(", "<iframe", "<object", "<link", "@import"] {
        assert!(!foreign.contains(word), "{word}");
    }
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let attributes =
        document.descendants().flat_map(|node| node.attributes().map(|attribute| attribute.name().to_owned()));
    assert!(!attributes.into_iter().any(|name| name.starts_with("on")));
}

/// Writes the logs of a foreign run with players called `names`, and with `reason` as the reason for a forfeit.
fn foreign_logs(dir: &Path, names: &[&str], reason: &str) {
    let games = dir.join("out/games");
    fs::create_dir_all(&games).expect("made");
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    for (index, pair) in names.chunks(2).enumerate() {
        let [black, white] = [pair[0], pair[pair.len() - 1]].map(quoted);
        let log = format!(
            "[Black \"{black}\"]\n[White \"{white} 2\"]\n[Result \"0-1\"]\n[Termination \"illegal\"]\n[Reason \"{}\"]\n\n\
             1. c3 d3 0-1\n",
            quoted(reason)
        );
        fs::write(games.join(format!("{index}.log")), log).expect("written");
    }
}

#[test]
fn hostile_names_and_reasons_stay_text() {
    let names = [
        "<script>alert(1)</script>",
        "</script><svg onload=alert(1)>",
        "--><img src=x onerror=alert(1)>",
        "\"' onmouseover=alert(1) x='",
        "javascript:alert(1)",
        "&lt;b&gt; &amp; &#x3c;",
        "\u{202e}gnp.exe",
        "]]>{{7*7}}${7*7}",
    ];
    let dir = TempDir::new().expect("a directory");
    foreign_logs(dir.path(), &names, "</pre><script>alert(2)</script>\u{2028}\u{1b}[31m");
    let output = report_in(dir.path(), &["out", "--private", "--title", "</title><script>alert(3)</script>"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = Page::read(&dir.path().join("out/report.html"));
    assert_eq!(page.html.matches("<script").count(), 2);
    assert!(!page.html.contains("<img") && !page.html.contains("<svg onload"));
    assert!(!page.html.contains(['\u{202e}', '\u{2028}', '\u{1b}']));
    let shown = page.names();
    for name in names {
        let name = name.replace('\u{202e}', "\\u{202e}");
        assert!(shown.iter().any(|shown| shown.starts_with(&name)), "{name}");
        assert!(page.text_of("standings").contains(&name), "{name}");
    }
    let whys: BTreeSet<&str> = page.games().iter().filter_map(|game| game[12]["why"].as_str()).collect();
    assert_eq!(whys.into_iter().collect::<Vec<_>>(), ["</pre><script>alert(2)</script>\\u{2028}\\u{1b}[31m"]);
}

#[test]
fn what_players_claimed_is_on_a_page_only_if_it_is_public_or_the_page_is_private() {
    let dir = TempDir::new().expect("a directory");
    let games = dir.path().join("out/games");
    fs::create_dir_all(&games).expect("made");
    for (tag, args, is_shown) in [
        ("", &["out"][..], false),
        ("[Thoughts \"private\"]\n", &["out"], false),
        ("[Thoughts \"public\"]\n", &["out"], true),
        ("", &["out", "--private"], true),
    ] {
        let log = format!(
            "[Black \"ada\"]\n[White \"bob\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n{tag}\n1. c3 {{[%emt 0:00:00.5] [%eval +3 W0.7 D4 N1000]}} \
             d3 {{[%eval -2.5]}} 0-1\n"
        );
        fs::write(games.join("1.log"), log).expect("written");
        let output = report_in(dir.path(), args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let page = Page::read(&dir.path().join("out/report.html"));
        let said = page.games()[0].get(12).and_then(|extras| extras["say"].as_str());
        assert_eq!(said, is_shown.then_some("3:70,-2.5"), "{tag} {args:?}");
        let ada = page.text_of("p=ada");
        let score = "The Brier score of its claimed chances is 0.090";
        assert_eq!(ada.contains(score) && ada.contains("2,000 nodes per second"), is_shown, "{ada}");
        assert_eq!(page.body().contains("Claims"), is_shown);
    }
}

#[test]
fn a_public_page_does_not_say_what_only_its_maker_should_know() {
    let arena = played();
    let public = report(&arena, &["out"]);
    let all = format!("{}{}", public.html, public.data);
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    for word in ["was</b>", "/bin/sh", "exit 3", "exited with", &arena.path().display().to_string()] {
        assert!(!all.contains(word), "{word}");
    }
    assert!(machine.len() < 5 || !all.contains(&machine));
    assert!(!all.contains(arena.record("r1-bob_smith-says_no").digests.white.as_deref().expect("a digest")));
    let private = report(&arena, &["out", "--private"]);
    let forfeit = private.games().iter().find(|game| private.id(game) == "r1-bob_smith-says_no").expect("the game");
    assert_eq!(forfeit[12]["err"][1].as_str(), Some("Bob Smith <b>was</b> here"));
    assert!(forfeit[12]["why"].as_str().expect("a reason").contains("exited with"));
    assert!(private.text_of("p=says_no").contains("Bob Smith <b>was</b> here"));
    assert!(private.text_of("players").contains("Resources used"));
}

#[test]
fn an_anonymous_page_has_no_name_of_a_player_anywhere() {
    let arena = played();
    let args = ["out", "--anonymous", "--private", "--title", "The rise of BOB SMITH"];
    let page = report(&arena, &args);
    let static_part = page.body();
    let all = format!("{static_part}{}", page.data).to_lowercase();
    for name in ["bob smith", "bob_smith", "says-no", "says_no"] {
        assert!(!all.contains(name), "{name}");
    }
    assert!(!page.names().contains(&"random"));
    let aliases = fs::read_to_string(arena.out().join("aliases.json")).expect("a file");
    let aliases = fits(&strict("aliases"), &aliases);
    let bob = aliases["aliases"]["Bob Smith"].as_str().expect("an alias");
    assert!(page.names().contains(&bob) && page.data["title"] == format!("The rise of {bob}"));
    // The same players get the same aliases again, even if the file of aliases is lost.
    assert_eq!(report(&arena, &args).html, page.html);
    fs::remove_file(arena.out().join("aliases.json")).expect("removed");
    assert_eq!(report(&arena, &args).html, page.html);
    fs::write(arena.out().join("aliases.json"), "{").expect("written");
    let output = arena.output(&["report", "out", "--anonymous"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("aliases.json"), "{}", text(&output.stderr));
}

#[test]
fn a_page_knows_where_the_logs_are_unless_names_are_made_up() {
    let arena = Arena::new(concat!("rounds = 1\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    assert_eq!(report(&arena, &["out"]).data["logs"], json!("games/"));
    assert_eq!(report(&arena, &["out", "--private"]).data["logs"], json!("out/games/"));
    assert_eq!(report(&arena, &["out", "--anonymous"]).data.get("logs"), None);
}
