//! The Go Text Protocol, version 2, between the referee and an engine. An engine is asked for each of its moves; the
//! referee receives them as lines of its own protocol.
//!
//! Source: Gunnar Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002.
//!
//! | room | contents |
//! | --- | --- |
//! | `analysis` | what an engine reports while it looks for a move |
//! | `answers` | splitting an engine's bytes into answers, with bounded memory |
//! | `commands` | the commands that are sent to an engine |
//! | `set_up` | the commands that are sent to an engine before the game |
//! | `translator` | the state of one game, and the translation in both directions |

mod analysis;
mod answers;
mod commands;
mod set_up;
mod translator;

pub use translator::{EngineStage, Translator};
