//! The limits of one game, and their defaults.

use std::time::Duration;

/// The limits of a game, with the documented defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameLimits {
    /// How many refused moves (291) a player may make in a game; one more forfeits the game. `None` means no limit.
    pub illegal_tries: Option<u32>,
    /// How many garbled lines (299) a player may send in a game; one more forfeits the game. `None` means no limit.
    pub garbled_tries: Option<u32>,
    /// The time from a program's start to its hello.
    pub hello_timeout: Duration,
    /// How long a game waits for a remote player.
    pub join_timeout: Duration,
    /// How many times a run may replay a game that is void through no fault of the players.
    pub void_retries: u32,
    /// How long a build may take.
    pub build_timeout: Duration,
    /// The total thinking time of all players in a game without clocks. `None` means no limit.
    pub game_limit: Option<Duration>,
    /// How long a player may take to exit after the game.
    pub quit_timeout: Duration,
    /// How much of a bot's stdout and of its stderr is kept, in bytes.
    pub output_cap: usize,
}

/// The default of `illegal_tries`. The course's programs try moves without checking them first; in no game were more
/// than 5 moves of such a program refused. With four times this number as the limit, no such game ends early, yet a bot
/// that tries the same point forever is stopped within milliseconds.
pub const ILLEGAL_TRIES: u32 = 20;

impl GameLimits {
    /// The limits if the file does not specify any.
    pub const DEFAULT: Self = Self {
        illegal_tries: Some(ILLEGAL_TRIES),
        garbled_tries: Some(10),
        hello_timeout: Duration::from_secs(10),
        join_timeout: Duration::from_mins(5),
        void_retries: 2,
        build_timeout: Duration::from_mins(5),
        game_limit: Some(Duration::from_mins(10)),
        quit_timeout: Duration::from_secs(2),
        output_cap: 64 * 1024,
    };
}

impl Default for GameLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
