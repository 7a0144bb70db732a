//! Programs and connections on this machine.
//!
//! Input: programs to start and how to confine them; sockets and pipes. Output: seats. A seat is a byte stream of
//! lines, possibly with a child process. This wing guarantees that the child ends.
//!
//! | room | contents |
//! | --- | --- |
//! | `bot_output` | a bot's output other than its moves |
//! | `ply_offsets` | the parts of a bot's stderr that belong to its turns |
//! | `listen` | listening for clients, and the pause after a failed accept |
//! | `line` | lines of limited length over any byte stream, and when they arrived |
//! | `refused_path` | the file to which a bot was refused access, as the bot's runtime names it |
//! | `dir_lock` | locks on the directories of players |
//! | `lobby` | connections that do not have a seat yet |
//! | `player_line` | who or what plays for a player, in one line |
//! | `start` | how a program is started, and how it ends |
//! | `orphans` | processes that unconfined bots leave behind |
//! | `shortage` | whether a program failed only because the machine lacked something that the program needed |
//! | `program_timeout` | how long to wait for a program, not counting the time that it has to wait for the machine |
//! | `starvation` | how long a program was ready to run while the machine had no core for it |
//! | `process` | running child processes, bots and builds alike: their outputs and their guaranteed end |
//! | `program` | programs before they run: their locations, files, visible files, digests and environment |
//! | `sandbox` | confinement of bots and builds |
//! | `confinement` | the confinement of a run's bots and builds |
//! | `seat` | addresses, launching a bot, waiting for its hello |
//! | `tournament_file` | the tournament file that a user names |
//! | `workshop` | the copy of a bot's directory in which its build works |

pub mod bot_output;
pub(crate) mod confinement;
pub(crate) mod dir_lock;
pub mod line;
pub mod listen;
pub mod lobby;
pub(crate) mod orphans;
pub(crate) mod player_line;
pub mod ply_offsets;
pub(crate) mod process;
pub mod program;
pub(crate) mod program_timeout;
pub mod refused_path;
pub(crate) mod sandbox;
pub mod seat;
pub(crate) mod shortage;
pub(crate) mod start;
pub(crate) mod starvation;
pub(crate) mod tournament_file;
pub(crate) mod workshop;
