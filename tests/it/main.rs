//! The one integration-test binary: whole rules against independent answers, and whole programs against each other.

mod arena;
mod bots;
mod ci;
mod cli;
mod docs;
mod examples;
mod faults;
mod journal;
mod kills;
mod layers;
mod oracle;
mod rating;
mod record;
mod remote;
mod replay;
mod require;
mod resume;
mod rules;
mod run;
mod schedule;
mod scripted;
mod serve;
mod standings;
mod tournament;
mod transcripts;
mod void;
