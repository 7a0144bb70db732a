//! Tests of whole games between engines that know the rules.

use super::*;
use crate::game::{BySide, Position};
use crate::referee::result::Termination;
use crate::referee::sans_io::{Arrival, Finished, Referee, Sayings, Terms};
use crate::referee::time_control::TimeControl;
use crate::referee::wire::Dialect;

/// An engine that knows the rules, and chooses its moves with a small random number generator.
struct RandomEngine {
    translator: Translator,
    position: Box<dyn Position>,
    start: Ruleset,
    random: u64,
    /// The engine answers with an illegal move if this divides the random number.
    faulty: u64,
}

impl RandomEngine {
    fn new(rules: &str, side: Side, seed: u64, faulty: u64) -> Self {
        let start = ruleset(rules);
        let translator = translator(rules, side, None);
        Self { translator, position: start.start(), start, random: seed | 1, faulty }
    }

    fn draw(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Carries out commands until there are no more. Returns the lines for the referee.
    fn carry_out(&mut self, mut sent: Vec<u8>) -> VecDeque<Line> {
        let mut lines = VecDeque::new();
        while !sent.is_empty() {
            let command = text(sent);
            let (id, command) = command.trim_end().split_once(' ').expect("an id");
            let answer = self.answer(command);
            sent = self.translator.hear(format!("{}{id} {}\n\n", &answer[..1], &answer[1..]).as_bytes(), &mut lines);
        }
        lines
    }

    fn answer(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split(' ').collect();
        match words[..] {
            // The handicap stones are in the starting position.
            ["list_commands"] => format!("={COMMANDS}\nset_free_handicap"),
            ["clear_board"] => {
                self.position = self.start.start();
                "=".to_owned()
            }
            ["play", side, field] => {
                assert_eq!(side, self.position.to_move().name());
                self.position.play(&field.to_lowercase()).expect("the referee's moves are legal");
                "=".to_owned()
            }
            ["genmove", side] => {
                assert_eq!(side, self.position.to_move().name());
                let draw = self.draw();
                if self.faulty > 0 && draw.is_multiple_of(self.faulty) {
                    return if draw.is_multiple_of(2) { "=Z99".to_owned() } else { "?cannot move".to_owned() };
                }
                let moves = self.position.legal_moves();
                let index = usize::try_from(draw % moves.len() as u64).expect("small");
                self.position.play(moves[index].as_str()).expect("legal");
                format!("={}", moves[index].as_str().to_uppercase())
            }
            _ => "=".to_owned(),
        }
    }
}

/// Plays a game between two engines.
fn game(rules: &str, seed: u64, faulty: u64) -> (Finished, BySide<RandomEngine>) {
    let terms = Terms { ruleset: ruleset(rules), time_control: TimeControl::Unlimited, ..Terms::default() };
    let mut referee = Referee::new(terms);
    let mut players =
        BySide::from_fn(|side| RandomEngine::new(rules, side, seed + u64::from(side == Side::White), faulty));
    for side in Side::BOTH {
        let begun = players[side].translator.begin();
        assert!(players[side].carry_out(begun).is_empty());
    }
    let mut said = referee.start();
    loop {
        let mut heard = VecDeque::new();
        for side in Side::BOTH {
            let mut text = String::new();
            Sayings::append(&said.players[side], Dialect::default(), &mut text);
            let sent = players[side].translator.tell(&text);
            heard.extend(players[side].carry_out(sent).into_iter().map(|line| (side, line)));
        }
        let Some((side, line)) = heard.pop_front() else { break };
        said = referee.receive(side, line, Arrival::default());
        for (side, line) in heard {
            said.append_all(referee.receive(side, line, Arrival::default()));
        }
    }
    (referee.finish(), players)
}

#[test]
fn whole_games_end_by_their_rules_and_both_engines_know_every_move() {
    for (rules, seed) in
        [("othello", 1), ("othello", 5), ("reverse", 3), ("othello-10", 9), ("go-9", 7), ("go-9 handicap=1,4", 4)]
    {
        let (finished, players) = game(rules, seed, 0);
        let result = finished.result.expect("a result");
        assert_eq!(result.termination(), Termination::Normal, "{rules}");
        assert!(finished.plies.iter().all(|ply| ply.tries.is_empty()));
        for (_, player) in players.iter() {
            assert_eq!(player.translator.stage(), &EngineStage::Over);
        }
    }
}

#[test]
fn refused_answers_leave_the_engines_boards_as_they_should_be() {
    // The engine's `play` and `genmove` check that its board is correct.
    for seed in 1..6 {
        let (finished, _) = game("othello", seed, 7);
        assert_eq!(finished.result.expect("a result").termination(), Termination::Normal);
        assert!(finished.plies.iter().any(|ply| !ply.tries.is_empty()));
    }
}
