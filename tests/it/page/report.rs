//! The command `report`: the contents of the page for every kind of input, and the information that the page must not
//! contain.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use gothello_arena::page::shown::game_code::{CodeBoard, decoded_moves, decoded_times};
use gothello_arena::referee::record::{GameRecord, LoggedGame};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::cli::command_line::text;
use crate::harness::arena::{Arena, program, random_and_greedy, with_void_games};
use crate::harness::waiting::InTime as _;
use crate::house::json::{fits, strict};

/// A tournament with wins, losses and forfeits.
const CLASS: &str = r#"
name = "Class of </script>"
rounds = 2
seed = 7
[[player]]
name = "Bob Smith"
builtin = "greedy"
[[player]]
name = "random"
builtin = "random"
[[player]]
name = "says-no"
command = ["/bin/sh", "-c", "echo 'Bob Smith <b>was</b> here' >&2; exit 3", "{port}"]
"#;

/// A page, split into its parts.
struct Page {
    html: String,
    data: Value,
}

impl Page {
    fn read(path: &Path) -> Self {
        let html = fs::read_to_string(path).expect("a page");
        let packed = between(&html, "<script type=\"application/octet-stream\" id=\"d\">", "</script>");
        let packed = BASE64_STANDARD.decode(packed).expect("base64");
        let mut json = String::new();
        GzDecoder::new(&*packed).read_to_string(&mut json).expect("gzip");
        let data = serde_json::from_str(&json).expect("JSON");
        Self { html, data }
    }

    /// The part of the page that is shown without its script, as XML.
    fn body(&self) -> String {
        let body = between(&self.html, "<body>", "<script type=");
        format!("<body>{body}</body>")
    }

    /// The text of the element with the id `id`.
    fn text_of(&self, id: &str) -> String {
        let body = self.body();
        let document = roxmltree::Document::parse(&body).expect("the markup is XML");
        let node = document.descendants().find(|node| node.attribute("id") == Some(id));
        let node = node.unwrap_or_else(|| panic!("no element has the id {id}"));
        node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
    }

    fn games(&self) -> &[Value] {
        self.data["games"].as_array().expect("games")
    }

    fn names(&self) -> Vec<&str> {
        self.data["players"]
            .as_array()
            .expect("players")
            .iter()
            .map(|player| player["n"].as_str().expect("a name"))
            .collect()
    }

    /// The player to which a game refers by `place`, its position in the list of players.
    fn player(&self, place: &Value) -> &Value {
        let place = place.as_u64().and_then(|place| usize::try_from(place).ok());
        &self.data["players"][place.expect("a place")]
    }

    fn id(&self, game: &Value) -> String {
        let slug = |side: usize| self.player(&game[side])["s"].as_str();
        let usual = || format!("r{}-{}-{}", game[2], slug(0).expect("a slug"), slug(1).expect("a slug"));
        game[10].as_str().map_or_else(usual, str::to_owned)
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

fn played() -> Arena {
    let arena = Arena::new(CLASS);
    let run = arena.run(&[]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    arena
}

/// Runs `report` with `args`, which must succeed.
fn report(arena: &Arena, args: &[&str]) -> Page {
    let output = arena.output(&[&["report"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let out = args.iter().position(|&arg| arg == "--out").map_or("out/report.html", |at| args[at + 1]);
    Page::read(&arena.path().join(out))
}

/// Runs `report` in the directory `dir`.
fn report_in(dir: &Path, args: &[&str]) -> Output {
    Command::new(program()).arg("report").args(args).current_dir(dir).output_in_time().expect("it starts")
}

#[test]
fn the_page_of_a_run_has_all_its_games_and_is_the_same_twice() {
    let arena = played();
    let page = report(&arena, &["out"]);
    assert_eq!(report(&arena, &["out", "--out", "again.html"]).html, page.html);
    assert_eq!((page.data["v"].as_u64(), page.data["size"].as_u64()), (Some(1), Some(5)));
    assert_eq!((page.data["soFar"].as_bool(), page.data["total"].as_u64()), (Some(false), Some(12)));
    assert_eq!(page.games().len(), 12);
    for game in page.games() {
        let record = arena.record(&page.id(game));
        let plies = decoded_moves(game[6].as_str().expect("moves")).expect("a code");
        assert!(plies.iter().map(|ply| ply.played.as_str()).eq(record.plies.iter().map(|ply| ply.played.as_str())));
        let mut position = record.ruleset.start();
        for (ply, coded) in record.plies.iter().zip(&plies) {
            position.play(ply.played.as_str()).expect("legal");
            assert_eq!((coded.side, coded.board), (ply.side(), CodeBoard::of(position.as_ref())));
        }
        let times = decoded_times(game[7].as_str().expect("times")).expect("a code");
        assert!(times.iter().map(Option::is_some).eq(record.plies.iter().map(|ply| ply.elapsed.is_some())));
    }
}

#[test]
fn the_page_is_complete_without_its_script() {
    let page = report(&played(), &["out"]);
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let ids: BTreeSet<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for id in [
        "head",
        "summary",
        "tabs",
        "main",
        "standings",
        "crosstable",
        "ratings",
        "endings",
        "games",
        "viewer",
        "players",
    ] {
        assert!(ids.contains(id), "{id}");
    }
    for name in page.names() {
        assert!(page.text_of("standings").contains(name) && page.text_of("crosstable").contains(name), "{name}");
    }
    assert!(page.text_of("summary").starts_with("3 players · 12 games · 20"));
    assert!(page.text_of("endings").contains("no show"));
    assert!(page.text_of("p=says_no").contains("Forfeits") && page.text_of("p=bob_smith").contains("as black"));
    // Every link leads to something even without a script.
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(target.starts_with("g=") || ids.contains(target), "{link}");
    }
    for cell in document.descendants().filter(|node| node.has_tag_name("td") && node.has_attribute("data-a")) {
        let heat = cell.attribute("class").expect("a colour");
        assert!(heat.starts_with("heat") && cell.text().expect("a text").matches('-').count() == 2, "{heat}");
    }
}

#[test]
fn every_part_of_the_page_has_the_same_elo() {
    let page = report(&played(), &["out"]);
    let elos = page.data["players"].as_array().expect("players").iter().map(|player| {
        let elo = player["elo"].as_i64().expect("a whole number");
        let sign = ["−", "", "+"][usize::try_from(elo.signum() + 1).expect("three signs")];
        (player["s"].as_str().expect("a slug"), format!("{sign}{}", elo.abs()))
    });
    let (standings, course) = (page.text_of("standings"), page.text_of("ratings"));
    for (slug, elo) in elos {
        // A rating that is determined only by the prior has a mark.
        let is_shown = |mark| page.text_of(&format!("p={slug}")).contains(&format!(", Elo {elo}{mark} ± "));
        assert!(["", "?"].into_iter().any(is_shown), "{slug}: {elo}");
        assert!(standings.contains(&elo) && course.contains(&format!("{elo} ± ")), "{slug}: {elo}");
    }
    let body = page.body();
    assert!(!body.contains("+0<"), "no sign before 0");
    let after = |sign: &str| body.split(sign).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    assert!(!after(">-") && !after("Elo -") && !after(": -"), "one sign for all numbers");
}

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
fn a_run_that_goes_on_is_shown_so_far() {
    let arena = played();
    let journal = arena.out().join("journal.jsonl");
    let lines = fs::read_to_string(&journal).expect("a journal");
    let kept: Vec<&str> = lines.split_inclusive('\n').take(6).collect();
    // The last line is only half written.
    fs::write(&journal, kept.concat() + "{\"game\":{\"nu").expect("written");
    for log in fs::read_dir(arena.out().join("games")).expect("games").flatten() {
        fs::remove_file(log.path()).expect("removed");
    }
    let page = report(&arena, &["out"]);
    assert_eq!((page.games().len(), page.data["soFar"].as_bool()), (5, Some(true)));
    assert_eq!(page.text_of("sofar"), "So far: 5 of 12 games are finished.");
    assert!(fs::read_to_string(&journal).expect("a journal").ends_with("\"nu"), "a report changes nothing");
    fs::write(&journal, kept[0]).expect("written");
    let page = report(&arena, &["out"]);
    assert!(page.games().is_empty());
    assert!(page.text_of("standings").contains("No game has been played yet."));
}

#[test]
fn results_without_moves_make_a_page_without_games() {
    let arena = played();
    let page = report(&arena, &["out/results.csv", "--out", "csv.html"]);
    assert_eq!(page.games().len(), 12);
    assert!(page.games().iter().all(|game| game[6] == ""));
    assert!(page.text_of("games").contains("This page contains no moves."));
    fs::write(arena.path().join("score.csv"), "first,second,first_score\na,b,1\nb,a,0.5\n").expect("written");
    let page = report(&arena, &["score.csv", "--out", "score.html"]);
    assert_eq!((page.names(), page.games().len()), (vec!["a", "b"], 2));
    let output = arena.output(&["report", "score.csv"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--out"), "{}", text(&output.stderr));
}

#[test]
fn void_games_and_single_games_are_shown() {
    let dir = TempDir::new().expect("a directory");
    let games = dir.path().join("games");
    fs::create_dir(&games).expect("made");
    let void =
        "[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]\n\n1. c3 *\n";
    fs::write(games.join("g.log"), void).expect("written");
    assert_eq!(report_in(dir.path(), &["."]).status.code(), Some(0));
    let page = Page::read(&dir.path().join("report.html"));
    assert_eq!((page.games().len(), &page.games()[0][3]), (1, &Value::from(4)));
    assert_eq!(page.data["terms"][0], "void");
    assert!(!page.data.to_string().contains("no port"), "the reason for a void game is not public");
}

#[test]
fn a_run_that_has_played_all_games_is_finished_even_if_some_are_void() {
    let dir = TempDir::new().expect("a directory");
    let arena = with_void_games();
    let journal = fs::read_to_string(arena.out().join("journal.jsonl")).expect("a journal");
    assert_eq!(journal.matches("{\"void\":").count(), 4, "of six games");
    fs::write(dir.path().join("journal.jsonl"), &journal).expect("written");
    assert_eq!(report_in(dir.path(), &["."]).status.code(), Some(0));
    let page = Page::read(&dir.path().join("report.html"));
    assert_eq!((page.games().len(), page.data["soFar"].as_bool()), (6, Some(false)));
    assert!(!page.body().contains("So far"));
    assert!(page.text_of("endings").contains("4 additional void games"), "{}", page.text_of("endings"));
    // Now the last game has not been played yet.
    let before = journal.trim_end().rfind('\n').expect("several lines");
    fs::write(dir.path().join("journal.jsonl"), &journal[..=before]).expect("written");
    assert_eq!(report_in(dir.path(), &["."]).status.code(), Some(0));
    let page = Page::read(&dir.path().join("report.html"));
    assert!(page.text_of("sofar").ends_with(" of 6 games are finished."), "{}", page.text_of("sofar"));
}

#[test]
fn a_log_that_breaks_the_rules_is_refused_with_its_ply() {
    let dir = TempDir::new().expect("a directory");
    let games = dir.path().join("games");
    fs::create_dir(&games).expect("made");
    let log = "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n[Termination \"time\"]\n\n1. c3 c3 0-1\n";
    fs::write(games.join("g.log"), log).expect("written");
    let output = report_in(dir.path(), &["."]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("`g`: ply 2 (c3): the point is occupied"), "{}", text(&output.stderr));
    assert!(!dir.path().join("report.html").exists());
}

#[test]
fn a_page_of_hundreds_of_players_is_bounded() {
    let dir = TempDir::new().expect("a directory");
    let names: Vec<String> = (0..301).map(|number| format!("player {number}")).collect();
    let pairs = names.windows(2).map(|pair| format!("{},{},1\n{},{},0\n", pair[0], pair[1], pair[1], pair[0]));
    let csv = format!("first,second,first_score\n{}", pairs.collect::<String>());
    fs::write(dir.path().join("many.csv"), csv).expect("written");
    let output = report_in(dir.path(), &["many.csv", "--out", "many.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = Page::read(&dir.path().join("many.html"));
    assert!(page.html.len() < 2 << 20, "{} bytes", page.html.len());
    assert!(page.text_of("crosstable").contains("The crosstable shows the best 150 of 301 players."));
    assert_eq!(page.names().len(), 301);
}

#[test]
fn a_page_that_browsers_could_not_open_is_not_written() {
    let dir = TempDir::new().expect("a directory");
    let name = "x".repeat(6 << 20);
    fs::write(dir.path().join("long.csv"), format!("first,second,first_score\n{name},b,1\n")).expect("written");
    let output = report_in(dir.path(), &["long.csv", "--out", "long.html"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("20.0 MiB") && said.contains("--games lost"), "{said}");
    assert!(!dir.path().join("long.html").exists());
}

#[test]
fn a_disk_that_refuses_leaves_the_old_page_whole() {
    let arena = played();
    let page = arena.out().join("report.html");
    report(&arena, &["out"]);
    let old = fs::read(&page).expect("a page");
    // Files may be at most eight blocks long, far fewer than the page needs.
    let command = format!("ulimit -f 8; exec {} report out --title Another", program());
    let output =
        Command::new("sh").args(["-c", &command]).current_dir(arena.path()).output_in_time().expect("it starts");
    assert!(!output.status.success());
    assert_eq!(fs::read(&page).expect("a page"), old);
    let output = arena.output(&["report", "out", "--out", "nowhere/report.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nowhere/report.html"), "{}", text(&output.stderr));
}

#[test]
fn only_the_chosen_games_have_moves() {
    let arena = played();
    let with_moves = |args: &[&str]| -> Vec<String> {
        let page = report(&arena, &[&["out"], args].concat());
        page.games().iter().filter(|game| game[6] != "").map(|game| page.id(game)).collect()
    };
    assert!(with_moves(&["--games", "none"]).is_empty());
    let all = with_moves(&[]);
    let lost = with_moves(&["--games", "lost"]);
    assert_eq!(all.len(), 4, "the others were forfeited before a move");
    let page = report(&arena, &["out"]);
    let elo = |player: &Value| page.player(player)["elo"].as_f64();
    let is_upset = |game: &&Value| match game[3].as_u64() {
        Some(0) => elo(&game[0]) < elo(&game[1]),
        Some(1) => elo(&game[1]) < elo(&game[0]),
        _ => false,
    };
    let upsets = page.games().iter().filter(is_upset).map(|game| page.id(game)).filter(|id| all.contains(id));
    assert_eq!(lost, upsets.collect::<Vec<_>>());
}

#[test]
fn values_are_kept_and_shown_by_later_pages() {
    let arena = played();
    let values = |page: &Page| -> Vec<Value> { page.games().iter().map(|game| game[8].clone()).collect() };
    let judged = report(&arena, &["out", "--analysis", "4s", "--budget", "1s"]);
    let found = values(&judged);
    assert!(found.iter().any(|values| values != ""), "judging the ends of games takes no time");
    assert!(judged.text_of("judged").contains(" of 4 games judged by exact values."), "{}", judged.text_of("judged"));
    let kept = report(&arena, &["out"]);
    assert_eq!(values(&kept), found);
    assert_eq!(kept.data["players"], judged.data["players"]);
    assert!(values(&report(&arena, &["out", "--analysis", "none"])).iter().all(|values| values == ""));
    for (game, values) in kept.games().iter().zip(&found).filter(|(_, values)| *values != "") {
        let record: GameRecord = arena.record(&kept.id(game));
        // There is one letter per position, and better moves have two letters each, without the lines in parentheses.
        let text = values.as_str().expect("a text");
        let lines: Vec<&str> = text.split('(').skip(1).map(|rest| rest.split_once(')').expect("a line").0).collect();
        assert!(lines.iter().all(|line| (1..=11).contains(&line.len())), "{text}");
        let positions =
            text.split('!').map(str::len).sum::<usize>() - lines.iter().map(|line| line.len() + 2).sum::<usize>();
        let better = text.matches('!').count();
        assert_eq!(positions - better, record.plies.len() + 1);
    }
}

#[test]
fn the_page_of_a_player_has_its_mistakes_accuracy_and_times_without_the_script() {
    let arena = played();
    let page = report(&arena, &["out", "--analysis", "4s", "--budget", "1s"]);
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let players = page.data["players"].as_array().expect("players");
    let of_game =
        |place: &Value| page.id(&page.games()[usize::try_from(place.as_u64().expect("a place")).expect("few")]);
    for player in players {
        let slug = player["s"].as_str().expect("a slug");
        let text = page.text_of(&format!("p={slug}"));
        assert_eq!(text.contains("Think times") && text.contains("Median "), slug != "says_no", "{slug}: {text}");
        let is_judged = player["acc"]["judged"].as_u64().is_some_and(|judged| judged > 0);
        assert_eq!(text.contains("as black") && text.contains("winner kept"), is_judged, "{slug}");
        let worst = player["worst"].as_array().cloned().unwrap_or_default();
        let wanted = worst.iter().map(|mistake| format!("#g={}&p={}", of_game(&mistake[0]), mistake[1]));
        let article = document.descendants().find(|node| node.attribute("id") == Some(&format!("p={slug}")));
        let is_puzzle = |node: &roxmltree::Node<'_, '_>| {
            node.ancestors().any(|around| around.attribute("class") == Some("puzzles"))
        };
        let nodes = article.expect("an article").descendants().filter(|node| !is_puzzle(node));
        let links = nodes.filter_map(|node| node.attribute("href"));
        let shown = links.filter(|link| link.contains("&p="));
        assert!(shown.eq(wanted), "{slug}");
    }
    assert!(players.iter().any(|player| player["worst"].is_array()), "random play makes mistakes");
}

#[test]
fn a_player_has_the_puzzles_that_it_missed_and_they_are_those_of_the_run() {
    let arena = Arena::new(concat!("rounds = 4\nseed = 2\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    let without = report(&arena, &["out", "--analysis", "none"]);
    assert!(!without.html.contains("class=\"puzzles\""), "nothing is judged yet");
    let page = report(&arena, &["out", "--analysis", "10m"]);
    assert_eq!(page.html, report(&arena, &["out"]).html, "the same values give the same puzzles");
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let answers = document.descendants().filter(|node| node.tag_name().name() == "details");
    let answers: Vec<String> = answers
        .map(|node| node.descendants().filter_map(|part| part.text()).next_back().unwrap_or_default().to_owned())
        .collect();
    assert!((1..=6).contains(&answers.len()), "{answers:?}");
    let listed = arena.output(&["puzzles", "out", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let listed: BTreeSet<&str> =
        listed["puzzles"].as_array().into_iter().flatten().filter_map(|puzzle| puzzle["answer"].as_str()).collect();
    // A position may be shown in an orientation in which it was played later; its answer is then an image of the listed
    // answer.
    assert!(answers.iter().any(|answer| listed.contains(answer.as_str())), "{answers:?} {listed:?}");
    assert!(!report(&arena, &["out", "--games", "none"]).html.contains("class=\"puzzles\""));
}

#[test]
fn a_page_knows_where_the_logs_are_unless_names_are_made_up() {
    let arena = Arena::new(concat!("rounds = 1\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    assert_eq!(report(&arena, &["out"]).data["logs"], json!("games/"));
    assert_eq!(report(&arena, &["out", "--private"]).data["logs"], json!("out/games/"));
    assert_eq!(report(&arena, &["out", "--anonymous"]).data.get("logs"), None);
}

#[test]
fn a_page_may_leave_what_earlier_analyses_found_alone() {
    let arena = played();
    let kept = arena.out().join("analysis.jsonl");
    let is_judged = |page: &Page| page.games().iter().any(|game| game[8] != "");
    assert!(is_judged(&report(&arena, &["out", "--analysis", "4s", "--budget", "1s", "--no-cache"])));
    assert!(!kept.exists());
    assert!(is_judged(&report(&arena, &["out", "--analysis", "4s", "--budget", "1s"])));
    let before = fs::read(&kept).expect("a cache");
    assert!(!is_judged(&report(&arena, &["out", "--analysis", "kept", "--no-cache"])));
    report(&arena, &["out", "--analysis", "4s", "--budget", "1s", "--no-cache"]);
    assert_eq!(fs::read(&kept).expect("a cache"), before);
    let output = arena.output(&["report", "out", "--no-cache"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--analysis"), "{}", text(&output.stderr));
}

#[test]
fn the_page_lies_in_the_run_unless_told() {
    let arena = played();
    let results = arena.path().join("results");
    fs::create_dir(&results).expect("made");
    fs::rename(arena.out(), results.join("class")).expect("moved");
    let output = arena.output(&["report"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page: PathBuf = results.join("class/report.html");
    assert!(text(&output.stderr).contains("wrote `results/class/report.html`"), "{}", text(&output.stderr));
    assert!(Page::read(&page).html.starts_with("<!DOCTYPE html>"));
}

#[test]
fn ratings_of_a_few_games_make_no_picture() {
    let players = "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
    let arena = Arena::new(&format!("rounds = 5\n{players}"));
    arena.run(&["--quiet"]);
    let csv = fs::read_to_string(arena.out().join("results.csv")).expect("the results");
    for games in [1, 2, 9, 10] {
        let some: String = csv.lines().take(1 + games).flat_map(|line| [line, "\n"]).collect();
        fs::write(arena.path().join("some.csv"), some).expect("written");
        let printed = report_in(arena.path(), &["some.csv", "--out", "some.html"]);
        assert!(printed.status.success(), "{printed:?}");
        let page = Page::read(&arena.path().join("some.html"));
        assert_eq!(page.html.contains("Ratings over time"), games == 10, "{games}");
    }
}

#[test]
fn a_path_that_does_not_exist_is_called_so() {
    let arena = Arena::new("");
    let output = arena.output(&["report", "nothing"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot read `nothing`: No such file or directory"), "{stderr}");
    let output = arena.output(&["report", "class.toml"]);
    assert!(text(&output.stderr).contains("a page for a file needs `--out FILE.html`"));
}

#[test]
fn the_last_line_says_how_many_games_were_judged() {
    let arena = Arena::new(concat!("rounds = 100\n", random_and_greedy!()));
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    // The first few games use up all of the time.
    let output = arena.output(&["report", "out", "--analysis", "1s"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(
        stderr.contains(" of 200 games were judged within 1s (`--analysis`); there was no time for the other "),
        "{stderr}"
    );
}

/// A tournament with four players in each game. One of the players never moves.
const GROUP: &str = r#"
name = "Groups of Bob Smith"
ruleset = "quantum-8-4p"
format = "group"
tables = 1
seed = 7
quit_timeout = "500ms"
[[player]]
name = "Bob Smith"
builtin = "greedy"
[[player]]
name = "random"
builtin = "random"
[[player]]
name = "other"
builtin = "random"
[[player]]
name = "says-no"
command = ["/bin/sh", "-c", "echo 'Bob Smith <b>was</b> here' >&2; exit 3", "{port}"]
"#;

fn group() -> Arena {
    let arena = Arena::new(GROUP);
    let run = arena.run(&[]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    arena
}

#[test]
fn the_page_of_games_of_four_has_all_its_games_and_only_public_texts() {
    let arena = group();
    let page = report(&arena, &["out"]);
    assert_eq!(report(&arena, &["out", "--out", "again.html"]).html, page.html);
    assert_eq!((page.data["seats"].as_u64(), page.data["total"].as_u64()), (Some(4), Some(4)));
    assert_eq!(page.games().len(), 4);
    for (number, game) in (1..).zip(page.games()) {
        let id = format!("r1-t1-g{number}");
        let log = fs::read(arena.out().join(format!("games/{id}.log"))).expect("a log");
        let record = *LoggedGame::from_bytes(&log).expect("a record").into_two().expect_err("four seats");
        assert_eq!(game[10], id);
        let names: Vec<&str> = game[0]
            .as_array()
            .expect("players")
            .iter()
            .map(|seat| page.player(seat)["n"].as_str().expect("a name"))
            .collect();
        assert!(names.iter().eq(record.players.values()), "{names:?}");
        let standing = record.result.as_ref().expect("a result");
        assert_eq!(game[3], json!(standing.placing.values().collect::<Vec<_>>()));
        let outs: Vec<_> = record.outs.iter().map(|out| json!([out.seat.number(), out.termination.name()])).collect();
        assert_eq!(game[5], json!(outs));
        assert_eq!(game[7].as_str().map(str::len), Some(2 * record.plies.len()));
    }
    for name in page.names() {
        assert!(page.text_of("standings").contains(name) && page.text_of("crosstable").contains(name), "{name}");
    }
    assert!(page.text_of("endings").contains("no show") && page.text_of("p=says_no").contains("Dropped out"));
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let ids: BTreeSet<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(target.starts_with("g=") || ids.contains(target), "{link}");
    }
    let all = format!("{}{}", page.html, page.data);
    for word in ["was</b>", "/bin/sh", "exit 3", "exited with", &arena.path().display().to_string()] {
        assert!(!all.contains(word), "{word}");
    }
    let private = report(&arena, &["out", "--private"]);
    assert!(private.text_of("p=says_no").contains("Bob Smith <b>was</b> here"));
    assert!(private.text_of("players").contains("Resources used"));
}

#[test]
fn options_of_the_report_hold_for_games_of_four() {
    let arena = group();
    let hidden = report(&arena, &["out", "--anonymous", "--private"]);
    let all = format!("{}{}", hidden.body(), hidden.data).to_lowercase();
    for name in ["bob smith", "bob_smith", "says-no", "says_no"] {
        assert!(!all.contains(name), "{name}");
    }
    let without = report(&arena, &["out", "--games", "none"]);
    assert!(without.games().iter().all(|game| game[6] == "" && game[7] == ""));
    // In every game, a player drops out.
    let lost = report(&arena, &["out", "--games", "lost"]);
    assert!(lost.games().iter().all(|game| game[6] != ""));
    let table = report(&arena, &["out/results.csv", "--out", "table.html"]);
    assert_eq!((table.games().len(), table.games()[0][6].as_str()), (4, Some("")));
    let refused = arena.output(&["report", "out", "--analysis", "1s"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("leave out `--analysis`"), "{}", text(&refused.stderr));
    let games = arena.path().join("mixed/games");
    fs::create_dir_all(&games).expect("made");
    fs::copy(arena.out().join("games/r1-t1-g1.log"), games.join("four.log")).expect("copied");
    fs::write(
        games.join("two.log"),
        "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\n0-1\n",
    )
    .expect("written");
    let mixed = arena.output(&["report", "mixed"]);
    assert_eq!(mixed.status.code(), Some(2), "{}", text(&mixed.stderr));
    assert!(text(&mixed.stderr).contains("different numbers of players"), "{}", text(&mixed.stderr));
}

#[test]
fn a_report_begins_with_who_won_or_with_the_verdict_of_its_test() {
    let page = report(&played(), &["out"]);
    let headline = page.text_of("headline");
    assert!(headline.contains(" is first, with ") || headline.contains(" share first place."), "{headline}");
    let description = between(&page.html, "<meta name=\"description\" content=\"", "\"");
    assert!(headline.starts_with(description), "{description}");
    let player =
        |name: &str, depth: u32| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"alphabeta\"\ndepth = {depth}\n");
    let test = "format = \"sprt\"\nelo0 = 0\nelo1 = 200\nmax_pairs = 30\nopenings = { plies = 2 }\n";
    let arena = Arena::new(&format!("{test}{}{}", player("Ada", 2), player("Quentin", 1)));
    assert_eq!(arena.run(&["--quiet"]).status.code(), Some(0));
    for args in [&["out"][..], &["out", "--anonymous"]] {
        let page = report(&arena, args);
        let headline = page.text_of("headline");
        assert!(headline.contains(" Elo stronger than "), "{headline}");
        assert_eq!(headline.contains("Quentin"), args.len() == 1, "{headline}");
        assert!(
            headline.contains("Log-likelihood ratio: ") && headline.contains("Pairs by the points of "),
            "{headline}"
        );
        assert!(!page.text_of("endings").contains("Sequential test"));
    }
}
