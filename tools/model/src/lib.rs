//! A model of how the arena saves games, and of how it exchanges games with workers through a broker.
//!
//! A model has few games, processes and faults, and each of its steps is as small as a step that a crash can interrupt.
//! The checker visits every state that can be reached, in any order of the steps. The traces of a small model are also
//! replayed on the program; docs/dev/model.md says which, and what the models leave out.
//!
//! | module | contents |
//! | --- | --- |
//! | [`checker`] | visits all states of a model, and finds shortest traces |
//! | [`journal`] | one results directory: its journal, logs and locks, and the processes that use it |
//! | [`exchange`] | a coordinator, a broker and workers |
//! | [`suite`] | the models that are checked |

#![forbid(unsafe_code)]

pub mod checker;
pub mod exchange;
pub mod journal;
pub mod suite;
