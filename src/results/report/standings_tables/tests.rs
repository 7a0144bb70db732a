//! Which players have ranks, which forfeits count, and the notes about the zero point, in every format.

use serde_json::Value;

use crate::game::Side;
use crate::referee::result::Termination;
use crate::results::rating::{Anchor, Elo, Prior};
use crate::results::report::{self, Extra, Extras, ReportFormat};
use crate::results::standings::tests::{double_forfeit, forfeit, game, mixed, won};
use crate::results::standings::{Counting, ForfeitKinds, GameSummary, RatingOptions, Standings, Tally};

/// ada and bea have beaten each other the same number of times, cyd beats both once, and dov and eli have no rated
/// game.
fn field() -> Vec<GameSummary> {
    vec![
        game(1, "ada", "bea", won(Some(Side::Black), 5)),
        game(2, "bea", "ada", won(Some(Side::Black), 5)),
        game(3, "ada", "bea", won(Some(Side::White), -5)),
        game(4, "bea", "ada", won(Some(Side::White), -5)),
        game(5, "cyd", "ada", won(Some(Side::Black), 5)),
        game(6, "bea", "cyd", forfeit(Side::Black, Termination::Time)),
        game(7, "dov", "eli", double_forfeit()),
        game(8, "dov", "ada", None),
    ]
}

fn standings(options: &RatingOptions) -> Standings {
    Standings::new(&field().iter().collect(), options).unwrap()
}

fn json(standings: &Standings, extras: Extras) -> Vec<Value> {
    serde_json::from_str(&report::render(standings, ReportFormat::Json, extras)).unwrap()
}

/// The fields of the column `name` in a CSV file.
fn column<'c>(csv: &'c str, name: &str) -> Vec<&'c str> {
    let mut lines = csv.lines();
    let place = lines.next().unwrap().split(',').position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
    lines.map(|line| line.split(',').nth(place).unwrap()).collect()
}

#[test]
fn columns_of_opponents_have_names_as_the_cells_of_players() {
    let names = ["=HYPERLINK(\"x\")", "a,b", "-1", "plain"];
    let games: Vec<GameSummary> =
        names.iter().zip(1..).map(|(name, nth)| game(nth, name, "bea", won(Some(Side::Black), 5))).collect();
    let standings = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap();
    let extras = [Extra::Superiority, Extra::HeadToHead].into_iter().collect();
    let csv = report::render(&standings, ReportFormat::Csv, extras);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let cells: Vec<String> = reader.records().map(|record| record.unwrap()[1].to_owned()).collect();
    assert!(cells.contains(&"'-1".to_owned()) && cells.contains(&"a,b".to_owned()), "{cells:?}");
    for words in ["score_against_", "expected_against_", "superiority_over_"] {
        let ends: Vec<&str> = columns.iter().filter_map(|column| column.strip_prefix(words)).collect();
        assert_eq!(ends, cells);
    }
}

#[test]
fn players_without_a_game_are_in_every_format_once_they_are_known() {
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 5))];
    let mut tally: Tally = games.iter().collect();
    tally.know(["bye", "ada"]);
    let standings = Standings::new(&tally, &RatingOptions::default()).unwrap();
    let csv = report::render(&standings, ReportFormat::Csv, Extra::ALL.into_iter().collect());
    assert_eq!((column(&csv, "player"), column(&csv, "games")), (vec!["ada", "bea", "bye"], vec!["1", "1", "0"]));
    assert_eq!(column(&report::standings_csv(&standings), "player"), ["ada", "bea", "bye"]);
    let json = json(&standings, Extra::ALL.into_iter().collect());
    assert_eq!((&json[2]["player"], &json[2]["elo"], &json[2]["games"]), (&"bye".into(), &Value::Null, &0.into()));
    assert!(report::final_report(&standings).contains(" -  bye"));
    // The other players are rated as if they were the only ones.
    let alone = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap();
    assert_eq!(standings.rows()[..2], *alone.rows());
    let mut nobody = Tally::default();
    nobody.know(["bye"]);
    assert_eq!(report::final_report(&Standings::new(&nobody, &RatingOptions::default()).unwrap()), "No games.\n");
}

#[test]
fn players_without_a_rated_game_are_last_without_an_elo() {
    for prior in [Prior::Weak, Prior::None] {
        let standings = standings(&RatingOptions { prior, ..RatingOptions::default() });
        let csv = report::render(&standings, ReportFormat::Csv, Extras::default());
        assert_eq!(column(&csv, "player"), ["cyd", "ada", "bea", "dov", "eli"]);
        assert_eq!(column(&csv, "rank")[3..], ["", ""]);
        assert_eq!(column(&csv, "elo")[3..], ["", ""]);
        assert_eq!(column(&csv, "elo_text")[3..], ["-", "-"]);
        assert_eq!(column(&csv, "rests_on"), ["prior", "games", "games", "nothing", "nothing"]);
        let json = json(&standings, Extras::default());
        assert_eq!(
            (&json[4]["rank"], &json[4]["elo"], &json[4]["performance"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        assert_eq!((&json[2]["component"], &json[4]["component"]), (&2.into(), &Value::Null));
        for format in [ReportFormat::Table, ReportFormat::Markdown] {
            let table = report::render(&standings, format, Extras::default());
            assert!(table.contains("Without a rank (-): 2 players without a rated game."), "{table}");
            let eli = table.lines().find(|line| line.contains("eli")).unwrap();
            let words: Vec<&str> = eli.split([' ', '|']).filter(|word| !word.is_empty()).collect();
            assert_eq!(words[..4], ["-", "eli", "-", "-"], "{table}");
            // The table has as many components as the note says.
            assert!(
                table.contains("2 components (comp.)") && eli.trim_end_matches([' ', '|']).ends_with('-'),
                "{table}"
            );
        }
    }
}

#[test]
fn ratings_that_the_games_do_not_determine_are_marked_in_every_format() {
    let weak = standings(&RatingOptions::default());
    for format in [ReportFormat::Table, ReportFormat::Markdown] {
        let table = report::render(&weak, format, Extras::default());
        let line = |name: &str| table.lines().find(|line| line.contains(name)).unwrap().to_owned();
        assert!(line("cyd").contains('?') && !line("ada").contains('?'), "{table}");
        assert!(table.contains("the games do not determine these ratings"), "{table}");
    }
    // An unbounded rating has its own mark.
    let none = standings(&RatingOptions { prior: Prior::None, ..RatingOptions::default() });
    let table = report::render(&none, ReportFormat::Table, Extras::default());
    assert!(table.contains("> ") && !table.contains('?'), "{table}");
}

#[test]
fn players_with_few_rated_games_have_no_rank() {
    let standings = standings(&RatingOptions { min_games: 3, ..RatingOptions::default() });
    let rows: Vec<(Option<usize>, &str)> = standings.rows().iter().map(|row| (row.rank, row.player.as_str())).collect();
    assert_eq!(rows, [(Some(1), "ada"), (Some(1), "bea"), (None, "cyd"), (None, "dov"), (None, "eli")]);
    // The games and the Elo of players without a rank are still listed.
    let free = self::standings(&RatingOptions::default());
    let cyd = |standings: &Standings| standings.rows().iter().find(|row| row.player == "cyd").unwrap().clone();
    assert_eq!(cyd(&standings).rating, cyd(&free).rating);
    let table = report::final_report(&standings);
    let note = "Without a rank (-): 1 player with fewer than 3 rated games, 2 players without a rated game.";
    assert!(table.contains(note), "{table}");
    let ranks = |standings: &Standings| {
        let extras = [Extra::Ranks].into_iter().collect();
        json(standings, extras).iter().filter(|player| player.get("ranks").is_some()).count()
    };
    assert_eq!((ranks(&standings), ranks(&free)), (2, 3));
    let unranked = self::standings(&RatingOptions { min_games: 100, ..RatingOptions::default() });
    let table = report::render(&unranked, ReportFormat::Table, [Extra::Ranks].into_iter().collect());
    assert!(table.contains("no player has a rank") && !table.contains("Chance in %"), "{table}");
}

fn counts(kinds: ForfeitKinds) -> (u64, u64, u64) {
    let mut tally =
        Tally::new(Counting { without_forfeits: kinds, distinct: false, last_round: None, with_odds: false });
    tally.extend(&mixed());
    (tally.counts().rated, tally.counts().double_forfeits, tally.counts().forfeits_left_out)
}

#[test]
fn forfeits_are_left_out_by_kind() {
    let of = |kinds: &[Termination]| kinds.iter().copied().collect::<ForfeitKinds>();
    assert_eq!(counts(ForfeitKinds::NONE), (5, 1, 0));
    assert_eq!(counts(of(&[Termination::Time])), (4, 1, 1));
    assert_eq!(counts(of(&[Termination::Crash, Termination::DoubleForfeit])), (4, 0, 2));
    assert_eq!(counts(of(&[Termination::Illegal])), (5, 1, 0));
    assert_eq!(counts(ForfeitKinds::all()), (3, 0, 3));
    // Games that are not forfeits are never left out.
    assert_eq!(of(&[Termination::Normal, Termination::Resignation]), ForfeitKinds::NONE);
    let by_time = Tally::new(Counting {
        without_forfeits: of(&[Termination::Time]),
        distinct: false,
        last_round: None,
        with_odds: false,
    });
    let mut by_time = by_time;
    by_time.extend(&mixed());
    let table = report::final_report(&Standings::new(&by_time, &RatingOptions::default()).unwrap());
    assert!(table.contains("Without forfeits by time: 1 game left out of ratings, points and tables."), "{table}");
}

#[test]
fn a_number_is_compared_with_a_rating_on_the_scale_of_all_anchors() {
    let anchor = |player: &str, elo: f64| Anchor { player: player.to_owned(), elo: Elo(elo), deviation: None };
    let options =
        RatingOptions { anchors: vec![anchor("ada", 1500.0), anchor("bea", 1400.0)], ..RatingOptions::default() };
    let standings = standings(&options);
    let row = |name: &str| standings.rows().iter().position(|row| row.player == name).unwrap();
    assert_eq!(standings.superiority_over(row("ada"), Elo(1499.0)), Some(1.0));
    let cyd = row("cyd");
    let rating = standings.rows()[cyd].finite_rating().unwrap();
    let even = standings.superiority_over(cyd, rating).unwrap();
    assert!((even - 0.5).abs() < 1e-6, "{even}");
    assert_eq!(standings.superiority_over(row("eli"), Elo(0.0)), None);
}

/// The words in each line of the table whose title begins with `title`, without the header.
fn lines_below<'t>(table: &'t str, title: &str) -> Vec<Vec<&'t str>> {
    let lines = table.lines().skip_while(|line| !line.starts_with(title)).skip(3);
    lines.take_while(|line| !line.is_empty()).map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn the_crosstable_shows_each_meeting_and_a_dash_where_there_was_none() {
    let table = report::final_report(&standings(&RatingOptions::default()));
    assert_eq!(
        lines_below(&table, "Won-drawn-lost"),
        [
            ["1", "cyd", "-", "1-0-0", "1-0-0", "-", "-"],
            ["2", "ada", "0-0-1", "-", "2-0-2", "-", "-"],
            ["3", "bea", "0-0-1", "2-0-2", "-", "-", "-"],
            ["4", "dov", "-", "-", "-", "-", "0-0-1"],
            ["5", "eli", "-", "-", "-", "0-0-1", "-"],
        ],
        "{table}"
    );
}

#[test]
fn the_note_on_the_zero_says_what_elo_0_is() {
    let anchor = |player: &str, elo: f64| Anchor { player: player.to_owned(), elo: Elo(elo), deviation: None };
    let loose = |player: &str, elo: f64| Anchor { deviation: Some(Elo(20.0)), ..anchor(player, elo) };
    let group = |one, other| {
        [(1, one, other), (2, other, one)].map(|(id, black, white)| game(id, black, white, won(Some(Side::Black), 5)))
    };
    let joined = group("ada", "bea").to_vec();
    let apart = [group("ada", "bea"), group("cyd", "dov")].concat();
    let unrated = [group("ada", "bea").to_vec(), vec![game(3, "ada", "eli", None)]].concat();
    for (games, prior, anchors, expected) in [
        (&joined, Prior::Weak, vec![], "0 is the mean of all players; "),
        (&joined, Prior::None, vec![], "0 is the mean of all players; "),
        (&unrated, Prior::Weak, vec![], "0 is the mean of all rated players; "),
        (&field(), Prior::None, vec![], "0 is the mean of the largest component; "),
        (
            &apart,
            Prior::None,
            vec![],
            "Each group of players connected by games has its own 0, the mean of its largest component; ",
        ),
        (&apart, Prior::Weak, vec![anchor("ada", 1500.0)], "ada is set to 1500.00; ±95%"),
        (
            &apart,
            Prior::None,
            vec![anchor("ada", 1500.0)],
            "ada is set to 1500.00; players that are not connected to an anchor by games have their own zero; ",
        ),
        (
            &apart,
            Prior::None,
            vec![anchor("ada", 1500.0), loose("cyd", 1700.0)],
            "ada is set to 1500.00, cyd is held near 1700.00 (sd 20.00); ",
        ),
    ] {
        let options = RatingOptions { prior, anchors, ..RatingOptions::default() };
        let standings = Standings::new(&games.iter().collect(), &options).unwrap();
        let text = report::render(&standings, ReportFormat::Table, Extras::default().explained(true));
        assert!(text.contains(expected), "{expected}\n{text}");
        assert!(!report::final_report(&standings).contains(expected), "{expected}");
    }
}
