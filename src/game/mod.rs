//! The rules of the games that the arena plays, as pure values.
//!
//! In: moves as text. Out: positions, legal moves, outcomes. One room for each rule set; everything above this wing asks a
//! [`rules::Position`] and never names a concrete game without asking its [`rules::Ruleset`] first.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `rules` | sides, moves, outcomes and positions; the rule sets below it |

pub mod rules;
