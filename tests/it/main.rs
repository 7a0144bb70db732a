//! The one integration-test binary: whole rules against independent answers, and whole programs against each other.

mod rating;
mod rules;
mod schedule;
mod standings;
mod tournament;
