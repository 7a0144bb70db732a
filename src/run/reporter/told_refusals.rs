//! The files to which a player's bots were refused access, each of which is reported once.

use std::collections::BTreeSet;

use crate::game::Seat;
use crate::host::bot_output::BotOutput;
use crate::host::refused_path::RefusedPath;
use crate::referee::record::LoggedGame;

/// How many files to report for each player. A bot can name any number of them.
const MOST: usize = 3;

/// The refused files of one player that have been reported.
#[derive(Clone, Debug, Default)]
pub(super) struct ToldRefusals(BTreeSet<RefusedPath>);

impl ToldRefusals {
    /// What to report about the player in `seat` after `game`, in which its bot had this `output`. `None` if the bot
    /// was not confined or was refused nothing new, or if the reason for its failure already names the file.
    pub(super) fn news(&mut self, game: &LoggedGame, seat: Seat, output: &BotOutput) -> Option<String> {
        let tier = game.other_tags().iter().find(|(name, _)| name == "Isolation").map(|(_, tier)| tier.as_str());
        if game.digest(seat).is_none() || matches!(tier, None | Some("D")) || self.0.len() >= MOST {
            return None;
        }
        let refused = RefusedPath::in_output(&String::from_utf8_lossy(&output.stderr))?;
        let sentence = refused.sentence("the bot");
        let reason = game.failure(seat).and_then(|(_, reason)| reason).unwrap_or_default();
        let is_told = reason.contains(&sentence);
        (self.0.insert(refused) && !is_told).then_some(sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game that black lost because of `reason`, in which its bot was confined by `tier`.
    fn game(tier: &str, reason: &str) -> LoggedGame {
        let text = format!(
            "[Round \"1\"]\n[Black \"ann\"]\n[White \"bo\"]\n[Result \"1-0\"]\n[Termination \"crash\"]\n\
             [Reason \"{reason}\"]\n[Game \"r1\"]\n[BlackDigest \"sha256:00\"]\n[Isolation \"{tier}\"]\n\n1-0\n"
        );
        text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn output(stderr: &str) -> BotOutput {
        BotOutput { stderr: stderr.as_bytes().to_vec(), ..BotOutput::default() }
    }

    #[test]
    fn each_file_is_reported_once_and_not_if_the_reason_names_it() {
        let black = Seat::all(2).next().expect("two");
        let mut told = ToldRefusals::default();
        let mut news = |tier: &str, reason: &str, path: &str| {
            told.news(&game(tier, reason), black, &output(&format!("cat: {path}: Permission denied\n")))
        };
        let sentence = "the bot tried to open `/home/a`, which bots cannot read";
        assert_eq!(news("D", "why", "/home/a"), None);
        assert_eq!(news("A", "why", "/home/a").as_deref(), Some(sentence));
        assert_eq!(news("A", "why", "/home/a"), None);
        assert_eq!(news("C", "why; the bot tried to open `/home/b`, which bots cannot read", "/home/b"), None);
        assert!(news("C", "why", "/home/c").is_some());
        assert_eq!(news("C", "why", "/home/d"), None, "enough has been said");
    }
}
