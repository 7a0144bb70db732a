//! The wings of gothello-arena that only compute games, and the services that they need.
//!
//! This package is part of gothello-arena, whose library re-exports these wings under the same names, and changes with
//! it. It is a separate package because a development build can optimise a package, but not a module: the arena's tests
//! spend most of their time in these wings.
//!
//! | wing | contents |
//! | --- | --- |
//! | [`base`] | bytes, paths, times, seeds: services that are independent of games |
//! | [`game`] | the rules of games |
//! | [`exact`] | the values of positions under best play |
//! | [`players`] | how the arena's own players choose their moves |

#![forbid(unsafe_code)]
// These macros panic when the reader is gone; use `base::console` instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod base;
pub mod exact;
pub mod game;
pub mod players;
