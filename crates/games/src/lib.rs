//! The wings of gothello-arena that only compute games, and the services that they need.
//!
//! This package is part of gothello-arena, whose library gives these wings out again under the same names, and changes with it.
//! It is a package of its own because a development build can optimise a package, but not a module: most of the time of the
//! arena's tests passes in these wings.
//!
//! | wing | what it holds |
//! | --- | --- |
//! | [`base`] | bytes, paths, times, seeds: what knows nothing of games |
//! | [`game`] | the rules of games |
//! | [`exact`] | what positions are worth with best play |
//! | [`players`] | the thinking of the arena's own players |

#![forbid(unsafe_code)]
// What these macros print panics when its reader has gone; `base::console` prints instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod base;
pub mod exact;
pub mod game;
pub mod players;
