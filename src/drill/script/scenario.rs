//! The definition of a scenario.

use super::{BotSeat, BoutFacts, Judgement, OrdinaryClock, Plan, SCENARIOS};
use crate::base::word_enum::words;
use crate::game::Ruleset;
use crate::game::quantum::Mode;
use crate::referee::time_control::SideControl;

/// The importance of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A bot that fails this scenario forfeits or loses games in a tournament.
    Must,
    /// A failure in this scenario does not affect results, but is worth fixing.
    Should,
    /// This scenario goes beyond the specification, and no outcome is a failure.
    Info,
}

words! { pub Level; Must => "MUST", Should => "SHOULD", Info => "INFO" }

/// The rule sets under which a scenario can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeededRules {
    /// Every rule set.
    Any,
    /// Only rule sets with two seats.
    TwoSeats,
    /// Only rule sets with more than two seats.
    MoreSeats,
    /// Only Gothello: the scenario depends on its moves.
    Gothello,
}

impl NeededRules {
    /// Whether a scenario with this need can be played under `ruleset`.
    pub fn include(self, ruleset: Ruleset) -> bool {
        self.have_seats(ruleset.seats()) && (self != Self::Gothello || ruleset == Ruleset::Gothello)
    }

    /// Whether rule sets with `seats` seats satisfy this need, whatever moves they have.
    pub const fn have_seats(self, seats: u8) -> bool {
        match self {
            Self::Any | Self::Gothello => true,
            Self::TwoSeats => seats == 2,
            Self::MoreSeats => seats > 2,
        }
    }
}

/// The time controls that a scenario is meant for. The scenario can be played whatever the control of an ordinary game
/// is, but if the scenario is not meant for that control, its outcome says nothing about the tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeededClocks {
    /// Every control.
    Any,
    /// A main time.
    MainTime,
    /// An increment after each move.
    Increment,
    /// Byo-yomi periods.
    Periods,
    /// A time for each move, without a bank.
    MoveTime,
    /// A time for each move, with a bank.
    Bank,
}

impl NeededClocks {
    /// Whether a scenario with this need is meant for `control`.
    pub const fn include(self, control: SideControl) -> bool {
        match (self, control) {
            (Self::Any, _)
            | (Self::MainTime, SideControl::Game { .. })
            | (Self::Periods, SideControl::ByoYomi { .. }) => true,
            (Self::MainTime, SideControl::ByoYomi { time, .. }) => !time.is_zero(),
            (Self::Increment, SideControl::Game { increment, .. }) => !increment.is_zero(),
            (Self::MoveTime, SideControl::PerMove { bank, .. }) => bank.is_zero(),
            (Self::Bank, SideControl::PerMove { bank, .. }) => !bank.is_zero(),
            _ => false,
        }
    }
}

/// What a scenario's plan may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The bot's side or seat.
    pub side: BotSeat,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clock of each side in an ordinary game.
    pub clock: OrdinaryClock,
    /// The index of the game in the scenario.
    pub game: u32,
    /// The seed of the bot and of its opponent.
    pub seed: u64,
    /// The mode that the bot plays for its team; `None` if it plays whole games.
    pub mode: Option<Mode>,
}

/// One scenario: the arena's actions, and what the arena expects of the bot.
#[derive(Debug)]
pub struct Scenario {
    /// The scenario's name, such as `clock-uneven`.
    pub id: &'static str,
    /// The scenario's importance.
    pub level: Level,
    /// What the arena does, in a few words.
    pub does: &'static str,
    /// What the bot has to do to pass, in a few words. The subject of the sentence is the bot.
    pub about: &'static str,
    /// The rule sets under which the scenario can be played.
    pub rules: NeededRules,
    /// The time controls that the scenario is meant for.
    pub clocks: NeededClocks,
    /// Whether the bot has to make moves in the scenario, which is skipped for a bot that makes none in `plain`.
    pub needs_moves: bool,
    /// The number of games on each side.
    pub games: u32,
    /// Whether all games of the scenario have the same seed, for the bot and for its opponent.
    pub same_seed: bool,
    /// Returns the arena's actions.
    pub plan: fn(&Setting) -> Plan,
    /// Judges the bot by the facts of the games.
    pub judge: fn(&[BoutFacts]) -> Judgement,
}

impl Scenario {
    /// The name of the scenario on which all others depend.
    pub const HELLO: &'static str = "hello";

    /// The name of a scenario. Every scenario that requires the bot to make moves depends on it.
    pub const PLAIN: &'static str = "plain";

    /// The name of the scenario with the most games, against two kinds of opponents.
    pub const LEGAL_20: &'static str = "legal-20";

    /// Whether the scenario is meaningful for games with `seats` seats in which each side has the clock `control`.
    pub const fn is_meant_for(&self, control: SideControl, seats: u8) -> bool {
        self.clocks.include(control) && self.rules.have_seats(seats)
    }

    /// Whether the scenario says something about a bot that plays one mode for its team. Other scenarios need the start
    /// of a game, its end, or its first moves.
    pub fn is_for_one_mode(&self) -> bool {
        const IDS: [&str; 19] = [
            Scenario::HELLO,
            "hello-fresh",
            Scenario::PLAIN,
            "clock",
            "clock-uneven",
            "clock-short",
            "clock-increment",
            "clock-periods",
            "clock-move",
            "clock-bank",
            Scenario::LEGAL_20,
            "split",
            "merged",
            "slow",
            "lf-only",
            "long-text",
            "names",
            "utf8",
            "stderr-flood",
        ];
        IDS.contains(&self.id)
    }

    /// Returns the scenario with the name `id`.
    pub fn find(id: &str) -> Option<&'static Self> {
        SCENARIOS.iter().find(|scenario| scenario.id == id)
    }

    /// A number that distinguishes the seed of the game with the index `game` from the seeds of the scenario's other
    /// games.
    pub const fn seed_of(&self, game: u32) -> u32 {
        if self.same_seed { 0 } else { game }
    }
}
