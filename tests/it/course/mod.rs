//! Submissions in, grades out.

pub(crate) mod grade;
pub(crate) mod handouts;
pub(crate) mod imports;
pub(crate) mod rubric;
