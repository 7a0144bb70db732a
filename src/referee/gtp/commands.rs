//! The commands that are sent to an engine.

use crate::base::word_enum::words;

/// The commands that the arena uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    ListCommands,
    KnownCommand,
    SetGame,
    Boardsize,
    ClearBoard,
    Komi,
    SetFreeHandicap,
    KgsTimeSettings,
    TimeSettings,
    TimeLeft,
    Play,
    Genmove,
    /// `genmove` with information in the form that `KataGo` uses.
    KataGenmove,
    /// `genmove` with information in the form that Leela Zero uses.
    LeelaGenmove,
    Quit,
}

words! {
    pub(super) Verb;
    ListCommands => "list_commands",
    KnownCommand => "known_command",
    SetGame => "set_game",
    Boardsize => "boardsize",
    ClearBoard => "clear_board",
    Komi => "komi",
    SetFreeHandicap => "set_free_handicap",
    KgsTimeSettings => "kgs-time_settings",
    TimeSettings => "time_settings",
    TimeLeft => "time_left",
    Play => "play",
    Genmove => "genmove",
    KataGenmove => "kata-genmove_analyze",
    LeelaGenmove => "lz-genmove_analyze",
    Quit => "quit",
}

/// The commands that an engine claims to support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownVerbs(u16);

impl KnownVerbs {
    /// The command that asks for a move, with as much information as the engine offers.
    pub(super) fn genmove(self) -> Verb {
        let analyses = [Verb::KataGenmove, Verb::LeelaGenmove];
        analyses.into_iter().find(|&verb| self.has(verb)).unwrap_or(Verb::Genmove)
    }

    /// Records that the engine supports `command`, if the arena uses it.
    pub(super) fn add(&mut self, command: &str) {
        self.0 |= Verb::ALL.into_iter().find(|verb| verb.name() == command).map_or(0, Self::bit);
    }

    pub(super) const fn has(self, verb: Verb) -> bool {
        self.0 & Self::bit(verb) != 0
    }

    const fn bit(verb: Verb) -> u16 {
        1 << verb as u16
    }
}

/// A command with its arguments, without its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineCommand {
    pub(super) verb: Verb,
    arguments: String,
    /// Whether the engine may refuse the command without harm.
    pub(super) is_optional: bool,
}

impl EngineCommand {
    /// Creates a command that the engine must carry out.
    pub(super) fn new(verb: Verb, arguments: impl Into<String>) -> Self {
        Self { verb, arguments: arguments.into(), is_optional: false }
    }

    /// Creates a command that the engine may refuse.
    pub(super) fn optional(verb: Verb, arguments: impl Into<String>) -> Self {
        Self { is_optional: true, ..Self::new(verb, arguments) }
    }

    /// The text after the verb, for example the argument of `known_command`.
    pub(super) fn arguments(&self) -> &str {
        &self.arguments
    }
}

/// Writes the command as it is quoted in messages.
impl std::fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.verb.name())?;
        if self.arguments.is_empty() { Ok(()) } else { write!(f, " {}", self.arguments) }
    }
}
