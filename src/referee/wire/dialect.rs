//! The lines that a client understands, according to the version in its hello.

use std::borrow::Cow;

use super::{Response, VERSION, Version};

/// The number of ranks in every board that follows a 382.
const RANKS_OF_382: usize = 5;

/// The lines that a client understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The lines of version 0.9.1. Clients of this version stop when they receive an unknown line.
    #[default]
    Original,
    /// The lines of version 0.9.2, including those that name the rules and the time control, state the number of lines
    /// of a board, or refer to seats: 102, 331 to 336, 345 to 349, 354, and 383.
    NamesRules,
}

impl Dialect {
    /// The dialect of clients of `version`.
    pub fn of(version: Version) -> Self {
        if version < VERSION { Self::Original } else { Self::NamesRules }
    }

    /// The form of `response` for clients of this dialect; `None` if it is not sent to them.
    pub fn say(self, response: &Response) -> Option<Cow<'_, Response>> {
        match (self, response) {
            (
                Self::Original,
                Response::Rules { .. } | Response::RuleOption { .. } | Response::Clocks(_) | Response::MovesSoFar(_),
            ) => None,
            (Self::Original, Response::CountedBoard(ranks)) if ranks.lines().count() == RANKS_OF_382 => {
                Some(Cow::Owned(Response::Board(ranks.clone())))
            }
            _ => Some(Cow::Borrowed(response)),
        }
    }
}

/// How to address a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Speech {
    /// The lines that the client understands.
    pub dialect: Dialect,
    /// Whether the client is informed of the clocks. If it is not, it gets the same lines as in a game without clocks.
    pub is_told_clock: bool,
}

impl Default for Speech {
    fn default() -> Self {
        Dialect::default().into()
    }
}

impl From<Dialect> for Speech {
    /// By default, clients are informed of the clocks.
    fn from(dialect: Dialect) -> Self {
        Self { dialect, is_told_clock: true }
    }
}

impl Speech {
    /// The form of `response` for the client; `None` if the response is not sent.
    pub fn say(self, response: &Response) -> Option<Cow<'_, Response>> {
        let Self { dialect, is_told_clock } = self;
        match response {
            _ if is_told_clock => dialect.say(response),
            Response::Clocks(_) => None,
            Response::GrantedTimed { .. } | Response::GrantedInGroup(_) => Some(Cow::Owned(Response::Granted)),
            Response::AcceptedTimed { played, .. } => Some(Cow::Owned(Response::Accepted(*played))),
            &Response::Moved { side, number, played, left: _ } => {
                Some(Cow::Owned(Response::Moved { side, number, played, left: None }))
            }
            &Response::MovedInGroup { seat, number, played, left: _ } => {
                Some(Cow::Owned(Response::MovedInGroup { seat, number, played, left: None }))
            }
            _ => dialect.say(response),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_hello_decides_the_dialect() {
        let dialect = |text: &str| Dialect::of(text.parse().expect("a version"));
        for version in ["0.9.1", "0.9", "0.8.7", "0.0"] {
            assert_eq!(dialect(version), Dialect::Original, "{version}");
        }
        assert_eq!(dialect("0.9.2"), Dialect::NamesRules);
    }

    /// A client that is not informed of the clocks gets the lines of a game without clocks.
    #[test]
    fn a_client_that_is_not_told_of_its_clock_gets_the_lines_of_a_game_without_clocks() {
        use crate::game::{BySeat, Move, Seat, Side};
        let untold = Speech { is_told_clock: false, ..Speech::default() };
        let third = Seat::new(3).expect("a seat");
        let in_group = |left| Response::MovedInGroup { seat: third, number: 3, played: Move::PASS, left };
        let moved = |left| Response::Moved { side: Side::White, number: 3, played: Move::PASS, left };
        for (timed, plain) in [
            (Response::GrantedTimed { first: 60, second: 30 }, Response::Granted),
            (Response::AcceptedTimed { played: Some(Move::PASS), left: 59 }, Response::Accepted(Some(Move::PASS))),
            (Response::AcceptedTimed { played: None, left: 59 }, Response::Accepted(None)),
            (moved(Some(59)), moved(None)),
            (Response::GrantedInGroup(BySeat::from_fn(4, |_| 60)), Response::Granted),
            (in_group(Some(59)), in_group(None)),
        ] {
            assert_eq!(untold.say(&timed).as_deref(), Some(&plain));
            assert_eq!(untold.say(&plain).as_deref(), Some(&plain));
            assert_eq!(Speech::default().say(&timed).as_deref(), Some(&timed));
        }
        let clocks = Response::Clocks("60+1".parse().expect("a time control"));
        let told = |dialect, is_told_clock| Speech { dialect, is_told_clock }.say(&clocks).is_some();
        assert!(told(Dialect::NamesRules, true) && !told(Dialect::NamesRules, false) && !told(Dialect::Original, true));
    }

    #[test]
    fn an_old_client_receives_no_rules_and_boards_of_five_ranks_as_before() {
        let says = |dialect: Dialect, response: &Response| dialect.say(response).map(|said| said.to_string());
        let rules = Response::Rules { ruleset: "othello", seats: 2, seat: Some(1) };
        let option = Response::RuleOption { key: "ko".to_owned(), value: "simple".to_owned() };
        let [five, eight] = [5, 8].map(|ranks| Response::CountedBoard(vec!["."; ranks].join("\n")));
        for response in [&rules, &option] {
            assert_eq!(says(Dialect::Original, response), None);
            assert_eq!(says(Dialect::NamesRules, response), Some(response.to_string()));
        }
        assert_eq!(says(Dialect::Original, &five).as_deref(), Some("382\r\n.\r\n.\r\n.\r\n.\r\n."));
        for (dialect, board) in [(Dialect::NamesRules, &five), (Dialect::Original, &eight)] {
            assert!(says(dialect, board).is_some_and(|text| text.starts_with("383 ")));
        }
    }
}
