//! The lines of a cache: those for games, those from other versions, and damaged ones.

use std::collections::HashMap;
use std::io::{self, BufRead};

use crate::results::analysis::kept::{GameMoves, KeptAnalysis, UnusableLine};

/// The maximum length of a line that is read, in bytes; far longer than any game's line.
const MAX_LINE: u64 = 16 << 20;

/// The lines of a cache.
#[derive(Debug, Default)]
pub(super) struct CacheLines {
    /// The lines of each game, starting with the most complete one.
    kept: HashMap<GameMoves, Vec<KeptAnalysis>>,
    /// The lines from other versions, each with its game if this version can identify the game.
    foreign: Vec<(Option<GameMoves>, Vec<u8>)>,
    /// The numbers of the damaged lines, from 1.
    damaged: Vec<u64>,
}

impl CacheLines {
    /// Reads all lines.
    pub(super) fn read(mut input: impl BufRead) -> io::Result<Self> {
        let mut lines = Self::default();
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if io::Read::take(&mut input, MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            match KeptAnalysis::read(&mut bytes.clone()) {
                Ok(kept) => lines.add(kept),
                Err(UnusableLine::Foreign(game)) => lines.foreign.push((game, bytes.clone())),
                Err(UnusableLine::Damaged) => lines.damaged.push(number),
            }
        }
        Ok(lines)
    }

    fn add(&mut self, kept: KeptAnalysis) {
        let others = self.kept.entry(kept.played()).or_default();
        let place = others.iter().position(|other| kept.surpasses(other)).unwrap_or(others.len());
        others.insert(place, kept);
    }

    /// The most complete line of a game.
    pub(super) fn best(&self, game: &GameMoves) -> Option<&KeptAnalysis> {
        self.kept.get(game)?.first()
    }

    /// Removes a line.
    pub(super) fn remove(&mut self, line: &KeptAnalysis) {
        if let Some(others) = self.kept.get_mut(&line.played()) {
            others.retain(|other| other != line);
        }
    }

    /// Replaces all other lines for the game with `kept`. Returns whether there were any.
    pub(super) fn replace(&mut self, kept: KeptAnalysis) -> bool {
        let game = kept.played();
        let is_foreign = self.foreign.iter().any(|(foreign, _)| foreign.as_ref() == Some(&game));
        let before = self.kept.insert(game, vec![kept]);
        is_foreign || before.is_some_and(|before| !before.is_empty())
    }

    /// Whether there are lines that are not needed.
    pub(super) fn are_untidy(&self) -> bool {
        !self.damaged.is_empty() || self.kept.values().any(|lines| lines.len() > 1)
    }

    /// The numbers of the damaged lines, from 1.
    pub(super) fn damaged(&self) -> &[u64] {
        &self.damaged
    }

    /// How many lines come from another version.
    pub(super) fn foreign(&self) -> usize {
        self.foreign.len()
    }

    /// The text of a file with the useful lines.
    pub(super) fn text(&self) -> Vec<u8> {
        let is_replaced = |game: &Option<GameMoves>| game.as_ref().is_some_and(|game| self.best(game).is_some());
        let foreign = self.foreign.iter().filter(|(game, _)| !is_replaced(game)).map(|(_, text)| text.clone());
        let kept = self.kept.values().filter_map(|lines| lines.first()).map(|line| line.to_line().into_bytes());
        let mut lines: Vec<Vec<u8>> = foreign.chain(kept).collect();
        lines.sort_unstable();
        lines.concat()
    }
}
