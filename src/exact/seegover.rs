//! Seegover, solved: the table of its move phase.

mod place;
mod retrograde;
mod squares;
mod table;
mod view;
mod worth;

pub use retrograde::{Retrograde, TooDeep};
pub use table::{Census, Tablebase};
pub use view::View;
pub use worth::Worth;
