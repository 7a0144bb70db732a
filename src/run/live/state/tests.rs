//! Tests of the fold: what a page shows after each event.
