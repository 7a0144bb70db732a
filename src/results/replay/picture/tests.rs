use roxmltree::Document;

use super::*;
use crate::base::random::SplitMix64;
use crate::game::{BySeat, BySide, Outcome, Side};
use crate::referee::record::{GameRecord, GroupRecord};
use crate::referee::result::{GameResult, Termination, Void};

/// A game of random moves by players with these names, cut off after 80 plies.
fn random_game(ruleset: &str, names: &str) -> LoggedGame {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let (mut position, mut random, mut plies) = (ruleset.start(), SplitMix64::new(11), Vec::new());
    while !position.is_over() && plies.len() < 80 {
        let legal = position.legal_moves();
        let played = legal[usize::try_from(random.below(legal.len() as u64)).expect("an index")];
        plies.push(Ply::untimed(position.seat_to_move(), played));
        position.play(played.as_str()).expect("a legal move");
    }
    if ruleset.seats() > 2 {
        let players = BySeat::from_fn(ruleset.seats(), |_| names.to_owned());
        let result = Err(Void { reason: "cut off".to_owned() });
        return GroupRecord { plies, ..GroupRecord::of(ruleset, players, result) }.into();
    }
    let players = BySide { black: names.to_owned(), white: names.to_owned() };
    GameRecord { plies, ..GameRecord::of(ruleset, players, Ok(GameResult::resigned(Side::White))) }.into()
}

/// The stones of a still picture, each as its position and its symbol.
fn stones(svg: &str) -> Vec<(String, String)> {
    let document = Document::parse(svg).expect("XML");
    let uses = document.descendants().filter(|node| node.has_tag_name("use"));
    let shown = uses.filter_map(|node| {
        let symbol = node.attribute("href")?.strip_prefix("#s")?;
        Some((format!("{},{}", node.attribute("x")?, node.attribute("y")?), symbol.to_owned()))
    });
    shown.collect()
}

#[test]
fn a_still_picture_has_the_stones_of_its_position() {
    for ruleset in ["gothello", "seegover", "othello", "go-19", "quantum-8", "quantum-4p", "quantum-6p"] {
        let game = random_game(ruleset, "ada");
        let picture = PicturedGame::of(&game);
        assert_eq!(picture.plies(), game.plies().len());
        for ply in [0, 1, 7, picture.plies()] {
            let svg = picture.still(ply).expect("a position");
            let letters = picture.positions[ply].iter().filter(|letter| **letter != '.');
            let drawn: String = stones(&svg).iter().filter_map(|(_, symbol)| symbol.chars().next()).collect();
            assert_eq!(drawn, letters.collect::<String>(), "{ruleset} after {ply} plies");
        }
        assert_eq!(picture.still(picture.plies() + 1), None);
    }
}

#[test]
fn an_animation_ends_with_the_last_position_and_changes_nothing_but_place_and_opacity() {
    for ruleset in ["gothello", "seegover", "othello", "go-9", "quantum-8", "quantum-4p"] {
        let picture = PicturedGame::of(&random_game(ruleset, "ada"));
        let film = picture.film();
        let document = Document::parse(&film).expect("XML");
        // Later stones and empty fields cover earlier ones.
        let mut last = std::collections::BTreeMap::new();
        for node in document.descendants().filter(|node| node.has_tag_name("use")) {
            let symbol = node.attribute("href").expect("a symbol");
            let at = format!("{},{}", node.attribute("x").expect("x"), node.attribute("y").expect("y"));
            match symbol.as_bytes()[1] {
                b's' => last.insert(at, symbol.trim_start_matches("#s").to_owned()),
                b'e' => last.remove(&at),
                _ => None,
            };
        }
        let expected = stones(&picture.still(picture.plies()).expect("the last position"));
        assert_eq!(last, expected.into_iter().collect(), "{ruleset}");

        let style = document.descendants().find(|node| node.has_tag_name("style")).and_then(|node| node.text());
        let style = style.expect("a style");
        assert!(style.contains("@media (prefers-reduced-motion:reduce){*{animation:none!important}}"));
        let frames = style.split("@keyframes ").skip(1).filter_map(|rest| rest.lines().next());
        for frame in frames {
            let changed = frame.split('{').skip(2).map(|part| part.split(':').next().unwrap_or_default());
            let others: Vec<&str> = changed.filter(|name| !matches!(*name, "transform" | "opacity")).collect();
            assert!(others.is_empty(), "{frame}: {others:?}");
        }
        for tag in ["script", "image", "foreignObject", "a", "animate", "set"] {
            assert!(!document.descendants().any(|node| node.has_tag_name(tag)), "{tag}");
        }
        assert!(document.root_element().first_element_child().is_some_and(|node| node.has_tag_name("title")));
        assert!(film.contains("<desc>") && !film.contains("url("));
    }
}

#[test]
fn hostile_names_are_text() {
    let names = "</title><script>x</script>&amp;\"'\u{202e}\u{1b}]]>\u{ffff}<!--";
    for ruleset in ["gothello", "quantum-4p"] {
        let picture = PicturedGame::of(&random_game(ruleset, names));
        for svg in [picture.film(), picture.still(0).expect("a position")] {
            let document = Document::parse(&svg).expect("XML");
            assert!(!document.descendants().any(|node| node.has_tag_name("script")));
            let title = document.root_element().first_element_child().and_then(|node| node.text()).unwrap_or_default();
            assert!(title.contains("</title><script>x</script>&amp;\"'\\u{202e}\\u{1b}]]>\u{fffd}<!--"), "{title}");
        }
    }
}

#[test]
fn long_names_are_cut_to_what_fits() {
    assert_eq!(shortened("wren"), "wren");
    assert_eq!(shortened(&"x".repeat(24)), "x".repeat(24));
    assert_eq!(shortened(&"x".repeat(25)), format!("{}…", "x".repeat(24)));
    assert_eq!(shortened(&"囲".repeat(13)), format!("{}…", "囲".repeat(12)));
}

#[test]
fn long_games_are_shown_faster_and_their_stones_do_not_turn() {
    let moving = |game: &LoggedGame| PicturedGame::of(game).film().matches("class=\"f\"").count();
    assert!(moving(&random_game("othello", "ada")) > 50);
    let pace = |text: &str| {
        text.split("#p2{animation-name:p2;--t:-").nth(1).and_then(|rest| rest.split('m').next()).map(str::to_owned)
    };
    let picture = PicturedGame::of(&random_game("othello", "ada"));
    let plies = picture.plies() as u64;
    assert_eq!(pace(&picture.film()), Some((700 * (plies + 1) + 3000 - 1400).to_string()));
}

#[test]
fn the_end_has_the_words_of_pages() {
    let ended = |ruleset: &str, result| {
        let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
        result_words(&GameRecord::of(ruleset.parse().expect("a rule set"), players, result).into())
    };
    let played = |margin| Ok(GameResult::played(Outcome::of_margin(margin)));
    assert_eq!(ended("gothello", played(7)), "black won by 7");
    assert_eq!(ended("gothello", played(0)), "draw");
    let by_compensation = GameResult::played(Outcome { winner: Some(Side::White), margin: Some(3) });
    assert_eq!(ended("go-9", Ok(by_compensation)), "white won by 4.5");
    let ahead = GameResult::played(Outcome { winner: Some(Side::White), margin: Some(0) });
    assert_eq!(ended("quantum", Ok(ahead)), "white won by 0.5");
    let crashed = GameResult::forfeit(Side::Black, Termination::Crash, "status 1");
    assert_eq!(ended("gothello", Ok(crashed)), "white won");
    assert_eq!(ended("gothello", Ok(GameResult::double_forfeit("both"))), "both lost");
    assert_eq!(ended("gothello", Err(Void { reason: "no".to_owned() })), "void");
}
