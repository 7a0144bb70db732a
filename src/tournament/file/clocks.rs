//! The keys for clocks, at the top of the file.

use std::time::Duration;

use super::flaw::Flaw;
use super::key::FileKey;
use super::key_kinds::{GameClock, TimeSpan};
use super::keys::top;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::{BySide, Ruleset, Side};
use crate::referee::clock::Meter;
use crate::referee::time_control::{SideControl, TimeControl, many_moves};
use crate::referee::times::whole_micros;
use crate::tournament::{Player, PlayerKind, Transport};

/// The three keys that define the clock of one side, or of both sides.
pub(crate) struct ClockKeys {
    pub(crate) time: &'static FileKey<GameClock>,
    pub(crate) move_time: &'static FileKey<TimeSpan>,
    pub(crate) bank: &'static FileKey<TimeSpan>,
}

const OF_BOTH: ClockKeys = ClockKeys { time: &top::TIME, move_time: &top::MOVE_TIME, bank: &top::BANK };
const OF_SIDES: BySide<ClockKeys> = BySide {
    black: ClockKeys { time: &top::BLACK_TIME, move_time: &top::BLACK_MOVE_TIME, bank: &top::BLACK_BANK },
    white: ClockKeys { time: &top::WHITE_TIME, move_time: &top::WHITE_MOVE_TIME, bank: &top::WHITE_BANK },
};

impl ClockKeys {
    /// The keys that the file contains, each with the corresponding key for both sides.
    fn given<'k>(&'k self, section: &'k Section<'_>) -> impl Iterator<Item = (&'static str, &'static str)> + 'k {
        let names = [
            (self.time.name, OF_BOTH.time.name),
            (self.move_time.name, OF_BOTH.move_time.name),
            (self.bank.name, OF_BOTH.bank.name),
        ];
        names.into_iter().filter(|(key, _)| section.has(key))
    }

    /// Whether these are the keys of one side in a file that has keys for both sides.
    fn is_excluded(&self, section: &Section<'_>) -> bool {
        self.time.name != OF_BOTH.time.name && OF_BOTH.given(section).next().is_some()
    }

    /// Whether the file contains one of the keys that define a clock.
    fn is_given(&self, section: &Section<'_>) -> bool {
        section.has(self.time.name) || section.has(self.move_time.name)
    }

    /// The clock that these keys specify, if they are valid.
    pub(crate) fn control(&self, reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<SideControl> {
        let (time_key, move_time_key, bank_key) = (self.time.name, self.move_time.name, self.bank.name);
        let time = reader.given(section, self.time);
        let move_time = reader.given(section, self.move_time).map(whole_micros);
        let bank = reader.given(section, self.bank).map(whole_micros);
        if section.has(time_key) && section.has(move_time_key) {
            reader.note(section.key_offset(move_time_key), Flaw::Excluding { key: move_time_key, other: time_key });
            return None;
        }
        if section.has(bank_key) && section.has(time_key) {
            reader.note(section.key_offset(bank_key), Flaw::Excluding { key: bank_key, other: time_key });
        } else if section.has(bank_key) && !section.has(move_time_key) && !self.is_excluded(section) {
            let flaw = Flaw::BankAlone { key: bank_key, other: move_time_key };
            reader.note(section.key_offset(bank_key), flaw);
        }
        let of_move = move_time.map(|move_time| SideControl::PerMove { move_time, bank: bank.unwrap_or_default() });
        time.or(of_move)
    }
}

/// The clocks: keys for both sides, or keys for each side.
pub(super) fn time_control(reader: &mut KeyReader<'_>, section: &Section<'_>) -> TimeControl {
    let both = OF_BOTH.control(reader, section);
    let each = BySide::from_fn(|side| OF_SIDES[side].control(reader, section));
    let of_both = OF_BOTH.given(section).next();
    for side in Side::BOTH {
        let Some((key, same)) = OF_SIDES[side].given(section).next() else { continue };
        if let Some((other, _)) = of_both {
            reader.note(section.key_offset(key), Flaw::Excluding { key, other });
        } else if OF_SIDES[side].is_given(section) && !OF_SIDES[side.opponent()].is_given(section) {
            let flaw = Flaw::OneClock { key, other: side.opponent(), both: same };
            reader.note(section.key_offset(key), flaw);
        }
    }
    match (both, each.both()) {
        (Some(control), _) => TimeControl::both(control),
        (None, Some(controls)) => TimeControl::Clocks(controls),
        (None, None) => TimeControl::Unlimited,
    }
}

/// The default of `wall_limit`, as a multiple of the CPU time. This allows for more load than there is on any machine
/// suitable for games.
const WALL_FACTOR: u32 = 10;

/// The default of `wall_limit` for a side with this clock in a game of `ruleset`.
fn wall_limit_of(control: SideControl, ruleset: Ruleset) -> Duration {
    let usable = control.sudden_death_time().unwrap_or_else(|| control.usable_in(many_moves(ruleset)));
    usable.saturating_mul(WALL_FACTOR)
}

/// Reads what kind of time the clocks count: `clock` and, for CPU time, `wall_limit`.
pub(super) fn meter(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    time_control: TimeControl,
    ruleset: Ruleset,
) -> Meter {
    let counts_cpu = reader.read(section, &top::CLOCK).unwrap_or_default();
    let wall_limit = reader.given(section, &top::WALL_LIMIT).map(whole_micros);
    if !counts_cpu {
        if section.has("wall_limit") {
            reader.note(section.key_offset("wall_limit"), Flaw::WallLimitWithoutCpu);
        }
        return Meter::Wall;
    }
    let TimeControl::Clocks(controls) = time_control else {
        if !has_clocks(section) {
            reader.note(section.key_offset("clock"), Flaw::CpuWithoutTime);
        }
        return Meter::Wall;
    };
    Meter::Cpu { wall_limit: controls.map(|control| wall_limit.unwrap_or_else(|| wall_limit_of(control, ruleset))) }
}

/// Whether the file contains any key for clocks, valid or not.
fn has_clocks(section: &Section<'_>) -> bool {
    [&OF_BOTH, &OF_SIDES.black, &OF_SIDES.white].iter().any(|keys| keys.given(section).next().is_some())
}

/// Whether workers scale the clocks. If they do, the file must also specify clocks.
pub(super) fn scale_time(reader: &mut KeyReader<'_>, section: &Section<'_>) -> bool {
    let scales = reader.read(section, &top::SCALE_TIME).unwrap_or_default();
    if scales && !has_clocks(section) {
        reader.note(section.key_offset("scale_time"), Flaw::ScaleWithoutTime);
    }
    scales
}

/// Checks that GTP, which has only whole seconds, can convey the clock of every engine.
pub(super) fn engines_can_be_told(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    time_control: TimeControl,
    players: &[Player],
) {
    let is_engine =
        |player: &&Player| matches!(&player.kind, PlayerKind::Program(program) if program.transport == Transport::Gtp);
    let Some(engine) = players.iter().find(is_engine) else { return };
    let too_short = |side: Side| match time_control.of(side) {
        Some(SideControl::Game { increment, .. }) if !increment.is_zero() && increment < Duration::from_secs(1) => {
            Some(increment)
        }
        _ => None,
    };
    let Some((side, increment)) = Side::BOTH.into_iter().find_map(|side| Some((side, too_short(side)?))) else {
        return;
    };
    let key = if section.has(OF_BOTH.time.name) { OF_BOTH.time.name } else { OF_SIDES[side].time.name };
    let flaw = Flaw::IncrementForGtp { key, player: engine.name.clone(), increment };
    reader.note(section.key_offset(key), flaw);
}
