//! Tournaments of Gothello bots.
//!
//! ```text
//! tournament file -> Tournament -> Schedule (lazy GameSpecs) -> executor -> play (one game)
//!                                                                  ^            |  Event (one channel)
//!                                                                  |            v
//!                                                                  +------ collector -> journal, logs, tables, reporter
//! ```
//!
//! The modules in the order in which to read them; each uses only those above it. These are pure: no input or output, no
//! clock, nothing async, and no chance but from a seed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`mod@hex`] | digests as text |
//! | [`mod@printable`] | text of others, fit to be printed |
//! | [`random`] | random numbers that a seed determines |
//! | [`rules`] | sides, moves, outcomes, positions; the game itself |
//! | [`solver`] | exact values of positions |
//! | [`adjudication`] | the proof that ends a game early |
//! | [`clock`] | time controls, and the clock of one side |
//! | [`result`] | how games end |
//! | [`usage`] | what players' processes used |
//! | [`wire`] | the protocol's lines |
//! | [`sprt`] | the sequential test of two players |
//! | [`record`] | a game's record, its log's text, and the check of it |
//! | [`analysis`] | what each move of a game was worth |
//! | [`book`] | exact values of early positions |
//! | [`balance`] | which openings are nearest to a draw |
//! | [`referee`] | the judge of one game |
//! | [`bots`] | the built-in bots' thinking |
//! | [`tournament`] | the tournament file's values |
//! | [`schedule`] | which games there are |
//! | [`event`] | what happens in a run |
//! | [`rating`], [`standings`] | from games to ratings and tables |
//! | [`require`] | what a build can be made to fail by |
//! | [`definition`] | what makes a run the same run |
//! | [`replay`] | games for the eye |
//! | [`report`] | standings and games as text; [`report::results_dir`] alone reads files |
//!
//! And these have effects:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`time`] | the clock |
//! | [`stop`] | whether to go on |
//! | [`console`] | what is printed |
//! | [`files`], [`tree`] | files that are there whole or not at all; what a directory holds |
//! | [`machine`], [`program`] | what this machine has to offer |
//! | [`journal`], [`derived`] | the truth of a run, and the files that follow from it |
//! | [`team`] | several threads that solve one position |
//! | [`mod@line`] | lines over streams |
//! | [`workshop`] | the copy that a build works in |
//! | [`sandbox`] | how bots are confined |
//! | [`process`] | children |
//! | [`lobby`] | connections before they have a seat |
//! | [`seat`] | how players come to their seats |
//! | [`client`] | a player's side of the protocol |
//! | [`perfect`] | the perfect opponent |
//! | [`entrants`] | players before the first game |
//! | [`play`] | one game |
//! | [`serve`] | the referee alone |
//! | [`executor`] | all games |
//! | [`reporter`] | progress on stderr |
//! | [`collector`] | what is written down |
//! | [`cli`] | the command line |

#![forbid(unsafe_code)]
// What these macros print panics when its reader has gone; `console` prints instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod adjudication;
pub mod analysis;
pub mod balance;
pub mod book;
pub mod bots;
pub mod cli;
pub mod client;
pub mod clock;
pub mod collector;
pub mod console;
pub mod definition;
pub mod derived;
pub mod entrants;
pub mod event;
pub mod executor;
pub mod files;
pub mod hex;
pub mod journal;
pub mod line;
pub mod lobby;
pub mod machine;
pub mod perfect;
pub mod play;
pub mod printable;
pub mod process;
pub mod program;
pub mod random;
pub mod rating;
pub mod record;
pub mod referee;
pub mod replay;
pub mod report;
pub mod reporter;
pub mod require;
pub mod result;
pub mod rules;
pub mod sandbox;
pub mod schedule;
pub mod seat;
pub mod serve;
pub mod solver;
pub mod sprt;
pub mod standings;
pub mod stop;
pub mod team;
pub mod time;
pub mod tournament;
pub mod tree;
pub mod usage;
pub mod wire;
pub mod workshop;
