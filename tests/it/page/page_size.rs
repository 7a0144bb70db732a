//! The size of a page with many games.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Move, Ruleset};
use gothello_arena::page::shown::{PageContent, PageData, PageKind, PageLabel, ShownGame, page};
use gothello_arena::referee::record::{GameRecord, Ply};
use gothello_arena::referee::result::GameResult;
use gothello_arena::results::standings::{RatingOptions, Standings, Tally};

use random_analysis::invented_analysis;

#[path = "../../../benches/common/random_analysis.rs"]
mod random_analysis;

/// A game of random moves with random times, without passes that are not forced.
fn random_game(random: &mut SplitMix64) -> GameRecord {
    let (mut position, mut plies) = (Ruleset::Gothello.start(), Vec::new());
    while !position.is_over() {
        let mut legal = position.legal_moves();
        if legal.len() > 1 {
            legal.retain(|played: &Move| !played.is_pass());
        }
        let played = legal[usize::try_from(random.below(legal.len() as u64)).expect("an index")];
        let elapsed = Some(std::time::Duration::from_micros(random.below(90_000_000)));
        plies.push(Ply { elapsed, ..Ply::untimed(position.to_move(), played) });
        position.play(played.as_str()).expect("legal");
    }
    let result = GameResult::played(position.outcome().expect("the game is over"));
    let players = BySide { black: String::new(), white: String::new() };
    GameRecord { plies, ..GameRecord::of(Ruleset::Gothello, players, Ok(result)) }
}

#[test]
fn ten_thousand_games_with_better_lines_take_at_most_two_mebibytes() {
    const PLAYERS: usize = 12;
    let mut random = SplitMix64::new(4);
    // Repeated games that are far apart take as much space as different games, because gzip does not look back that
    // far.
    let games: Vec<ShownGame> = (0..400)
        .map(|_| {
            let record = random_game(&mut random);
            let mut game = ShownGame::of(&record).expect("legal");
            game.add_analysis(&invented_analysis(&record, &mut random));
            game
        })
        .collect();
    let games: Vec<ShownGame> = (0..10_000)
        .map(|number| {
            let mut game = games[number % games.len()].clone();
            let (black, step) = (number % PLAYERS, 1 + number / PLAYERS % (PLAYERS - 1));
            let name = |index: usize| format!("player {}", index % PLAYERS);
            game.summary.players = BySide { black: name(black), white: name(black + step) };
            game.summary.round = u32::try_from(1 + number / 132).ok();
            game.summary.game = format!("r{}-player_{}-player_{}", 1 + number / 132, black, (black + step) % PLAYERS);
            game
        })
        .collect();
    let tally: Tally = games.iter().map(|game| &game.summary).collect();
    let standings = Standings::new(&tally, &RatingOptions::default()).expect("no anchor");
    let data = PageData::new(PageLabel::default(), &standings, &games);
    let content = PageContent {
        data: &data,
        standings: &standings,
        games: &games,
        puzzles: &[],
        figures: None,
        analyzed: None,
        is_private: false,
        is_anonymous: false,
    };
    let html = page(PageKind::Report, &content);
    // A better move, with the moves that would have followed it: `!C(DE...)`.
    let json = data.json();
    let lines = json.as_bytes().windows(3).filter(|text| text[0] == b'!' && text[2] == b'(').count();
    assert!(lines > 20_000, "{lines} better lines");
    assert!(html.len() <= 2 << 20, "{} bytes", html.len());
}
