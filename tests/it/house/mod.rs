//! The project itself: its layers, names, documents, schemas, manual and CI job.

pub(crate) mod ci;
pub(crate) mod docs;
pub(crate) mod json;
pub(crate) mod layers;
pub(crate) mod manual;
pub(crate) mod modules;
pub(crate) mod names;
pub(crate) mod schema;
