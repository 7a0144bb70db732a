//! Properties of games in which the programs of teams relieve each other.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::base::random::SplitMix64;
use crate::referee::wire::{Action, Line};

/// The line that makes the move `played` for the seat to move.
fn line_of(referee: &Referee, played: Move) -> Line {
    let (number, dots) = (i64::from(referee.number()), referee.seat_to_move().index());
    Line::Text(Action::Numbered { number, dots, text: played.to_string() }.to_string())
}

/// A random game in which seat 1 belongs to a team.
struct TeamGame {
    referee: Referee,
    random: SplitMix64,
    /// The lines about moves and seats that have dropped out, as every player has received them.
    told: Vec<Response>,
}

impl TeamGame {
    fn new(ruleset: &str, seed: u64) -> Self {
        let terms = Terms {
            ruleset: ruleset.parse().expect("a rule set"),
            time_control: "600+1".parse().expect("a time control"),
            ..Terms::default()
        };
        let referee = Referee::new(terms).unobserved();
        let of_team = BySeat::from_fn(referee.seats(), |seat| seat == Seat::FIRST);
        Self { referee: referee.with_teams(of_team), random: SplitMix64::new(seed), told: Vec::new() }
    }

    /// Records the lines about moves and seats that have dropped out, which all players receive. The mover's answer,
    /// which only the mover receives, is left out.
    fn hear(&mut self, say: &Sayings) {
        let last = Seat::all(self.referee.seats()).find(|&seat| seat != Seat::FIRST && self.referee.is_in(seat));
        let said = last.map(|seat| &say.players[seat]).into_iter().flatten();
        let is_for_all = |line: &&Response| {
            matches!(line, Response::Moved { .. } | Response::MovedInGroup { .. } | Response::DroppedOut { .. })
        };
        self.told.extend(said.filter(is_for_all).cloned());
    }

    /// Plays until a mode begins, or until the game is over; in some turns, a seat other than the team's drops out.
    fn play_on(&mut self) -> Option<Mode> {
        while !self.referee.is_over() && self.referee.mode_to_relieve().is_none() {
            let legal = self.referee.position().legal_moves();
            let seat = self.referee.seat_to_move();
            let in_game = Seat::all(self.referee.seats()).filter(|&seat| self.referee.is_in(seat)).count();
            let say = if in_game > 2 && seat != Seat::FIRST && self.random.below(60) == 0 {
                self.referee.departed(seat, Departure::Disconnect, Duration::from_millis(1))
            } else {
                let chosen = usize::try_from(self.random.below(legal.len() as u64)).expect("few");
                let elapsed = Duration::from_micros(self.random.below(3_000_000));
                let line = line_of(&self.referee, legal[chosen]);
                self.referee.receive(seat, line, Arrival { elapsed, ..Arrival::default() })
            };
            self.hear(&say);
        }
        self.referee.mode_to_relieve()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_new_program_is_told_what_the_others_have_heard(seed: u64, of_four: bool) {
        let ruleset = if of_four { "quantum-4p" } else { "quantum" };
        let mut game = TeamGame::new(ruleset, seed);
        let begun = game.referee.start().players[Seat::FIRST].clone();
        let mut modes = Vec::new();
        while let Some(mode) = game.play_on() {
            let lines = game.referee.relieve(Seat::FIRST);
            let (start, rest) = lines.split_at(begun.len() + 1);
            let mut expected = begun.clone();
            expected.insert(begun.len() - 1, Response::MovesSoFar(game.referee.plies().len()));
            prop_assert_eq!(start, &expected[..]);
            prop_assert_eq!(rest, &game.told[..]);
            modes.push(mode);
            let say = game.referee.relieved(mode);
            prop_assert!(say.is_empty());
        }
        prop_assert!(game.referee.is_over());
        // A mode is skipped only if it ends immediately.
        prop_assert!(modes.is_sorted_by_key(|&mode| mode as usize) && !modes.contains(&Mode::Reverse));
    }

    #[test]
    fn early_lines_of_a_former_program_are_discarded_and_those_of_other_players_wait(seed: u64) {
        let mut game = TeamGame::new("quantum-8", seed);
        prop_assume!(game.play_on() == Some(Mode::Go));
        let plies = game.referee.plies().len();
        let mover = game.referee.seat_to_move();
        let line = line_of(&game.referee, Move::PASS);
        prop_assert!(game.referee.receive(mover, line, Arrival::default()).is_empty());
        prop_assert_eq!(game.referee.plies().len(), plies, "no turn begins before the programs have changed");
        let _ = game.referee.relieve(Seat::FIRST);
        let _ = game.referee.relieved(Mode::Go);
        let is_played = game.referee.plies().len() == plies + 1;
        prop_assert_eq!(is_played, mover != Seat::FIRST);
        prop_assert_eq!(game.referee.mode_to_relieve(), None);
    }
}

#[test]
fn without_a_team_nobody_is_relieved() {
    let mut game = TeamGame::new("quantum-8", 1);
    game.referee.teams = None;
    assert_eq!(game.play_on(), None);
    assert!(game.referee.is_over());
}
