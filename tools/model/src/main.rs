//! Checks all models, and prints how many states each has and what each protection prevents. `gothello-model large` checks
//! larger models, which takes minutes and gigabytes of memory.

use std::process::ExitCode;

use gothello_model::suite::{Case, Outcome, sound, weakened, with_one_line_of_defence};

/// The maximum number of states of a model.
const MOST: usize = 40_000_000;

fn main() -> ExitCode {
    let is_large = std::env::args().nth(1).is_some_and(|word| word == "large");
    let mut is_as_expected = true;
    println!("All protections:");
    for Case { name, model } in sound(is_large).into_iter().chain([with_one_line_of_defence()]) {
        match model.check(MOST) {
            Outcome::Sound { states, steps } => println!("  {name}: {states} states, {steps} steps"),
            Outcome::Flawed { text, .. } => {
                println!("  {name}: {text}");
                is_as_expected = false;
            }
            Outcome::TooLarge => println!("  {name}: more than {MOST} states, not checked"),
        }
    }
    println!("\nWithout one protection:");
    for (Case { name, model }, expected) in weakened() {
        match model.check(MOST) {
            Outcome::Flawed { rule, text } if rule == expected => println!("  {name}: {text}"),
            other => {
                println!("  {name}: {other:?}, but expected: {expected}");
                is_as_expected = false;
            }
        }
    }
    if is_as_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
