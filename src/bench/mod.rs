//! A student's bench: each saved version of a bot is built, checked, and played against the version to beat, until it
//! is clear which is better.
//!
//! Input: a directory with the sources of a bot. Output: versions of the bot, each with a verdict and games, in the
//! directory `.bench` next to the sources. Builds and confinement work as in a run, the scenarios are the same as in
//! `check --bots`, and the games are ordinary runs with the format `sprt`.
//!
//! ```text
//! .bench/bench.json                                    the version to beat
//! .bench/versions/3f2a91c0/version.json                a version: its digest, its commands, its verdict
//! .bench/versions/3f2a91c0/source/                     its sources, and the products of its build
//! .bench/versions/3f2a91c0/check/                      transcripts of the scenarios that it failed
//! .bench/versions/3f2a91c0/opening/                    the games that show whether it follows an opening
//! .bench/versions/3f2a91c0/games/greedy/journal.jsonl  its games against greedy, a run like any other
//! ```
//!
//! | room | contents |
//! | --- | --- |
//! | `bench_error` | why the bench cannot do something |
//! | `bench_games` | the games of a version as a tournament |
//! | `bench_report` | lists, results and costly moves, as text and as JSON |
//! | `bench_result` | the result of a version against an opponent |
//! | `bench_store` | the directory `.bench`: versions, and which one is the version to beat |
//! | `decision` | what to do about new sources, which opponents a version plays, and which versions are deleted |
//! | `lost_games` | a version's lost games, read and analyzed |
//! | `losses` | the costliest moves, compared with those of an earlier version |
//! | `own_sources` | the sources in the student's directory: found, recognised, identified and copied |
//! | `round` | one round: build, scenarios and games |
//! | `session` | watches the sources, and plays a round for each new version |
//! | `source_watch` | when changed sources count as saved |
//! | `turned_board` | a board turned and mirrored |
//! | `version` | a version of a bot |

pub(crate) mod bench_error;
pub(crate) mod bench_games;
pub(crate) mod bench_report;
pub(crate) mod bench_result;
pub(crate) mod bench_store;
pub(crate) mod decision;
pub(crate) mod losses;
pub(crate) mod lost_games;
pub(crate) mod own_sources;
pub(crate) mod round;
pub(crate) mod session;
pub(crate) mod source_watch;
mod turned_board;
pub(crate) mod version;
