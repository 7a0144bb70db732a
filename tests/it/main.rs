//! The only integration-test binary. It checks the rules against independent answers and plays whole programs against
//! each other. Each folder contains the tests of one wing or of one concern, and `harness` contains their shared code.

mod bench;
mod cli;
mod confinement;
mod course;
mod dataset;
mod drill;
mod exact;
mod game;
mod harness;
mod house;
mod ladder;
mod machines;
mod page;
mod players;
mod practice;
mod python;
mod referee;
mod results;
mod run;
mod shortage;
mod tournament;
