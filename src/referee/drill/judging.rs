//! What the facts say about the bot.

use super::{BoutEnd, BoutFacts, Coming};
use crate::base::printable::printable;

/// What the facts of a scenario say about the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The finding.
    pub finding: Finding,
    /// What the bot did, in one or two sentences; printable.
    pub summary: String,
    /// The index of the game that decides.
    pub decisive: usize,
}

/// How the bot did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// As the scenario expects.
    Good,
    /// As the scenario forbids.
    Bad,
    /// No result is lost, but somebody will be sorry: a warning at any level.
    Poor,
    /// The scenario took too long.
    TooLong,
    /// Told, and not judged.
    Told,
}

impl Judgement {
    fn good() -> Self {
        Self { finding: Finding::Good, summary: String::new(), decisive: 0 }
    }

    fn bad(decisive: usize, summary: impl Into<String>) -> Self {
        Self { finding: Finding::Bad, summary: summary.into(), decisive }
    }
}

/// The bot comes to its seat in every game.
pub(super) fn comes(games: &[BoutFacts]) -> Judgement {
    games.iter().enumerate().find_map(|(index, game)| absent(index, game)).unwrap_or_else(Judgement::good)
}

fn absent(index: usize, game: &BoutFacts) -> Option<Judgement> {
    match &game.coming {
        Coming::Seated => None,
        Coming::Failed { reason, .. } => {
            Some(Judgement::bad(index, format!("It did not come to its seat: {}.", printable(reason))))
        }
    }
}

/// The bot plays every game to its planned end, with no line refused, and says nothing afterwards.
pub(super) fn plays_to_the_end(games: &[BoutFacts]) -> Judgement {
    games.iter().enumerate().find_map(|(index, game)| falls_short(index, game)).unwrap_or_else(Judgement::good)
}

fn falls_short(index: usize, game: &BoutFacts) -> Option<Judgement> {
    let bad = |summary: String| Some(Judgement::bad(index, summary));
    if let Some(judgement) = absent(index, game) {
        return Some(judgement);
    }
    match &game.end {
        BoutEnd::NotBegun | BoutEnd::Played(_) => {}
        BoutEnd::Resigned => return bad("It resigned.".to_owned()),
        BoutEnd::FlagFell => return bad("Its time ran out.".to_owned()),
        BoutEnd::Disconnected => return bad("It closed its connection before the game ended.".to_owned()),
        BoutEnd::Crashed(how) => return bad(format!("It ended before the game did: {}.", printable(how))),
        BoutEnd::LimitExceeded(how) => return bad(format!("It exceeded a limit: {}.", printable(how))),
        BoutEnd::Stuck(how) => return bad(format!("It was stuck: {}.", printable(how))),
        BoutEnd::TimedOut => {
            return Some(Judgement {
                finding: Finding::TooLong,
                summary: "The game did not end in time.".to_owned(),
                decisive: index,
            });
        }
        BoutEnd::Void(why) => {
            return Some(Judgement {
                finding: Finding::Told,
                summary: format!("The game says nothing about the bot: {}.", printable(why)),
                decisive: index,
            });
        }
    }
    if let Some(refusal) = game.true_refusals().next() {
        return bad(format!("`{}` was refused: {}.", printable(&refusal.text), printable(&refusal.why)));
    }
    let after = game.said_after_end.first()?;
    bad(format!("It still said `{}` after the game had ended.", printable(after)))
}
