//! Games of every rule set, with legal moves and arbitrary text in any order. Exactly the legal moves are accepted, a
//! refused move changes nothing, and a game is over when there is no legal move.

#![no_main]

use std::sync::LazyLock;

use gothello_arena::game::{Move, Position, Ruleset};
use gothello_arena_fuzz::assert_printable;
use libfuzzer_sys::fuzz_target;

/// Every rule set, and some with options.
static RULESETS: LazyLock<Vec<Ruleset>> = LazyLock::new(|| {
    let with_options = ["seegover cycle=superko drop=2", "seegover capture=single back=capture"];
    let with_options = with_options.map(|text| text.parse().unwrap_or_else(|error| panic!("{error}")));
    Ruleset::ALL.into_iter().chain(with_options).collect()
});

/// The moves of a game that are played at most.
const MOST_PLIES: usize = 160;

fuzz_target!(|data: &[u8]| {
    let Some((&first, script)) = data.split_first() else { return };
    let ruleset = RULESETS[usize::from(first) % RULESETS.len()];
    let mut game = FuzzedGame { position: ruleset.start(), plies: 0 };
    let mut rest = script.iter();
    while let Some(&step) = rest.next() {
        if game.position.is_over() || game.plies == MOST_PLIES {
            break;
        }
        match step {
            // Up to seven of the next bytes are the text of a move.
            248.. => {
                let text: Vec<u8> = rest.by_ref().take(usize::from(step) - 247).copied().collect();
                game.attempt(&String::from_utf8_lossy(&text));
            }
            // A seat drops out of a game with more than two seats.
            247 if ruleset.seats() > 2 => {
                let seat = game.position.seat_to_move();
                game.position.drop_out(seat);
                assert!(!game.position.is_in(seat));
            }
            _ => game.play(step),
        }
    }
    game.is_sound();
});

struct FuzzedGame {
    position: Box<dyn Position>,
    plies: usize,
}

impl FuzzedGame {
    /// Plays the legal move with this index.
    fn play(&mut self, index: u8) {
        let legal = self.position.legal_moves();
        assert!(!legal.is_empty(), "a game that is not over has no moves:\n{}", self.position);
        let chosen = legal[usize::from(index) % legal.len()];
        let played = self.position.play(chosen.as_str());
        assert_eq!(played.as_ref(), Ok(&chosen), "{}", self.position);
        self.plies += 1;
    }

    /// Attempts to play the move that `text` names.
    fn attempt(&mut self, text: &str) {
        let before = self.position.to_string();
        let legal = self.position.legal_moves();
        match self.position.play(text) {
            Ok(played) => {
                assert!(legal.contains(&played), "{played} is not legal:\n{before}");
                self.plies += 1;
            }
            Err(refusal) => {
                assert_eq!(self.position.to_string(), before);
                assert_eq!(self.position.legal_moves(), legal);
                assert!(!refusal.to_string().is_empty());
                let canonical = text.parse::<Move>().ok().filter(|played| played.as_str() == text);
                assert!(!canonical.is_some_and(|played| legal.contains(&played)), "{text} is refused:\n{before}");
            }
        }
    }

    fn is_sound(&self) {
        let Self { position, .. } = self;
        assert_printable(&position.to_string());
        let legal = position.legal_moves();
        assert_eq!(position.is_over(), legal.is_empty(), "{position}");
        let mut sorted: Vec<&str> = legal.iter().map(Move::as_str).collect();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "a move is listed twice: {sorted:?}");
        assert_eq!(position.outcome().is_some(), position.is_over());
        if position.seats() > 2 {
            let outcome = position.outcome();
            assert!(outcome.is_none_or(|outcome| outcome.winner.is_none() && outcome.margin.is_none()));
            let Some(standing) = position.standing().filter(|_| position.is_over()) else { return };
            let first = standing.placing.values().min();
            assert_eq!(first, Some(&1), "nobody is first");
        }
    }
}
