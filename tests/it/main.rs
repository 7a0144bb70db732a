//! The one integration-test binary: whole rules against independent answers, and whole programs against each other.

mod bots;
mod cli;
mod examples;
mod oracle;
mod rating;
mod record;
mod replay;
mod rules;
mod schedule;
mod scripted;
mod standings;
mod tournament;
