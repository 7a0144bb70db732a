//! Writes the log of a game with more than two seats.

use std::fmt;

use super::GroupRecord;
use super::print::{TagLines, WrappedLines};
use super::value_texts::meter_text;
use crate::game::{BySeat, Seat};
use crate::referee::pace::TimeScale;
use crate::referee::result::{Termination, Void};

/// Writes the game log. See the [module's documentation](super) for the format.
impl fmt::Display for GroupRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_tags(f)?;
        writeln!(f)?;
        let mut lines = WrappedLines::new(f);
        let clocks = self.clocks();
        let mut numbers = BySeat::from_fn(self.seats(), |_| 0);
        let (mut written, mut outs) = (0, self.outs.iter().peekable());
        for (index, ply) in self.plies.iter().enumerate() {
            while let Some(out) = outs.next_if(|out| out.after_plies <= index) {
                self.write_out(&mut lines, out.seat)?;
            }
            numbers[ply.seat] += 1;
            let number = numbers[ply.seat];
            let reserve = clocks.and_then(|clocks| clocks.of(ply.seat)?.reserve(ply.left?));
            lines.ply((number > written).then_some((number, ".")), ply, reserve)?;
            written = written.max(number);
        }
        outs.try_for_each(|out| self.write_out(&mut lines, out.seat))?;
        let last = self.unfinished.last().filter(|turn| self.out(turn.seat).is_none());
        last.map_or(Ok(()), |turn| lines.unfinished(turn))?;
        lines.token("*")?;
        writeln!(f)
    }
}

impl GroupRecord {
    /// Writes that `seat` drops out, after its unfinished turn, if there is one.
    fn write_out(&self, lines: &mut WrappedLines<'_, '_>, seat: Seat) -> fmt::Result {
        if let Some(turn) = self.unfinished.iter().find(|turn| turn.seat == seat) {
            lines.unfinished(turn)?;
        }
        lines.token(&format!("{{[%out {seat}]}}"))
    }

    fn write_tags(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tags = TagLines(f);
        tags.add("Event", self.event.as_ref())?;
        tags.add("Site", self.site.as_ref())?;
        tags.add("Date", self.date.as_ref())?;
        tags.add("Round", self.round)?;
        tags.add("Seats", Some(self.seats()))?;
        for (seat, player) in self.players.iter() {
            tags.add(&format!("Player{seat}"), Some(player))?;
        }
        tags.add("Result", Some("*"))?;
        if let Ok(standing) = &self.result {
            tags.add("Placing", Some(listed(&standing.placing, u8::to_string)))?;
            tags.add("Totals", Some(listed(&standing.totals, |total| total.shown())))?;
            tags.add("Points", Some(listed(&standing.points, u8::to_string)))?;
            for (mode, counts) in &standing.counts {
                tags.add("Counts", Some(format!("{mode} {}", listed(counts, u16::to_string))))?;
            }
        }
        tags.add("TimeControl", self.time_control)?;
        tags.add("TimeScale", Some(self.time_scale).filter(|&scale| scale != TimeScale::ONE))?;
        tags.add("Clock", meter_text(self.meter))?;
        match &self.result {
            Ok(_) => tags.add("Termination", Some(Termination::Normal))?,
            Err(void) => {
                tags.add("Termination", Some(Void::WORD))?;
                tags.add("Reason", Some(&void.reason))?;
            }
        }
        for out in &self.outs {
            tags.add(&format!("Out{}", out.seat), Some(out.termination))?;
            tags.add(&format!("Reason{}", out.seat), out.reason.as_ref())?;
        }
        tags.add("Game", self.game.as_ref())?;
        tags.add("Seed", self.seed)?;
        tags.add("Ruleset", Some(self.ruleset))?;
        for (seat, digest) in self.digests.iter() {
            tags.add(&format!("Digest{seat}"), digest.as_ref())?;
        }
        for (seat, usage) in self.usage.iter() {
            tags.add(&format!("Usage{seat}"), usage.as_ref())?;
        }
        self.other_tags.iter().try_for_each(|(name, value)| tags.add(name, Some(value)))
    }
}

/// The values of all seats, separated by spaces.
pub(super) fn listed<T>(values: &BySeat<T>, text: impl Fn(&T) -> String) -> String {
    values.values().map(text).collect::<Vec<_>>().join(" ")
}
