//! The project itself: its layers, names, documents, schemas, manual, CI job and releases.

pub(crate) mod ci;
pub(crate) mod docs;
pub(crate) mod json;
pub(crate) mod layers;
pub(crate) mod manual;
pub(crate) mod modules;
pub(crate) mod names;
pub(crate) mod release;
pub(crate) mod schema;
