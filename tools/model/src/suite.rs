//! The models that are checked: small ones of the program, larger ones, and ones without a protection.

use crate::checker::{Checked, Model, check};
use crate::exchange::{self, ExchangeModel};
use crate::journal::{self, JournalModel};

/// A model with what it is about.
#[derive(Clone, Debug)]
pub struct Case {
    /// What happens in the model.
    pub name: &'static str,
    /// The model.
    pub model: AnyModel,
}

/// A model.
#[derive(Clone, Debug)]
pub enum AnyModel {
    /// A model of a results directory.
    Journal(JournalModel),
    /// A model of an exchange.
    Exchange(ExchangeModel),
}

/// The result of checking a model.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The model is sound.
    Sound {
        /// The number of its states.
        states: usize,
        /// The number of steps between them.
        steps: usize,
    },
    /// A reachable state breaks a rule.
    Flawed {
        /// The rule.
        rule: String,
        /// A shortest trace, with one step in each line.
        text: String,
    },
    /// The model has more states than the limit allows.
    TooLarge,
}

impl AnyModel {
    /// Checks the model, which may have `most` states.
    pub fn check(&self, most: usize) -> Outcome {
        match self {
            Self::Journal(model) => outcome(model, most),
            Self::Exchange(model) => outcome(model, most),
        }
    }
}

fn outcome<M: Model>(model: &M, most: usize) -> Outcome {
    match check(model, most) {
        Checked::Sound(graph) => Outcome::Sound { states: graph.states.len(), steps: graph.edges.len() },
        Checked::Flawed(flaw) => Outcome::Flawed { rule: flaw.rule.clone(), text: flaw.text() },
        Checked::TooLarge => Outcome::TooLarge,
    }
}

/// A results directory with two games, one process, and these faults: kills, power failures and disturbances.
const fn directory([kills, power_failures, disturbances]: [u8; 3]) -> JournalModel {
    JournalModel {
        games: 2,
        processes: 1,
        faults: journal::Faults { kills, power_failures, disturbances },
        disorder: false,
        protections: journal::Protections::ALL,
    }
}

const NO_FAULTS: exchange::Faults = exchange::Faults {
    kills: 0,
    power_failures: 0,
    deaths: 0,
    crashes: 0,
    wipes: 0,
    losses: 0,
    freezes: 0,
    silences: 0,
    voids: 0,
    lies: 0,
};

/// An exchange with one coordinator that plays no games itself.
const fn exchange(games: u8, workers: u8, faults: exchange::Faults) -> ExchangeModel {
    ExchangeModel {
        games,
        coordinators: 1,
        workers,
        plays_here: false,
        deliveries: 2,
        void_retries: 1,
        faults,
        protections: exchange::Protections::ALL,
    }
}

/// Models of the program, with all its protections. The large ones have millions of states.
pub fn sound(is_large: bool) -> Vec<Case> {
    let more = u8::from(is_large);
    let games = 1 + more;
    let journals = [
        ("a run that is killed, and loses its power", directory([2, 2, 0])),
        ("two runs in one directory", JournalModel { processes: 2, ..directory([1 + more, 1 + more, 0]) }),
        ("three games", JournalModel { games: 3, ..directory([1, 1, 0]) }),
        ("a journal that is moved or changed", directory([1, 1, 1])),
        ("a disk that writes in any order", JournalModel { disorder: true, ..directory([1, 1, 0]) }),
    ];
    let faults = NO_FAULTS;
    let silent = exchange::Faults { silences: 1, kills: 1, losses: 1, ..faults };
    let exchanges = [
        ("no faults", exchange(2 + more, 2, faults)),
        ("a coordinator that is killed", exchange(2, 1, exchange::Faults { kills: 1, ..faults })),
        (
            "a coordinator that is killed, and loses its power",
            exchange(2, 1, exchange::Faults { kills: 1, power_failures: 1, ..faults }),
        ),
        (
            "two coordinators of one journal",
            ExchangeModel { coordinators: 2, ..exchange(2, 1, exchange::Faults { kills: 1, ..faults }) },
        ),
        ("workers that die or freeze", exchange(games, 2, exchange::Faults { deaths: 1, freezes: 1, ..faults })),
        ("a connection that fails", exchange(2, 1, exchange::Faults { losses: 1 + more, ..faults })),
        ("a broker that forgets everything", exchange(2, 1, exchange::Faults { wipes: 1, ..faults })),
        ("a broker that forgets the last messages", exchange(games, 1, exchange::Faults { crashes: 2, ..faults })),
        (
            "a broker that forgets everything, and a coordinator that is killed",
            exchange(1, 1, exchange::Faults { wipes: 1, kills: 1, ..faults }),
        ),
        ("games that are void", exchange(1, 1, exchange::Faults { voids: 1 + more, kills: 1, ..faults })),
        ("wrong answers", exchange(1, 1, exchange::Faults { lies: 3, ..faults })),
        (
            "a wrong answer, and a coordinator that is killed",
            exchange(1, 1, exchange::Faults { lies: 1, kills: 1, ..faults }),
        ),
        ("a coordinator that plays, too", ExchangeModel { plays_here: true, ..exchange(games, 1, silent) }),
    ];
    let journals = journals.map(|(name, model)| Case { name, model: AnyModel::Journal(model) });
    journals.into_iter().chain(exchanges.map(|(name, model)| Case { name, model: AnyModel::Exchange(model) })).collect()
}

/// What goes wrong without a protection: the beginning of the broken rule.
const LOST: &str = "game 0 was reported as saved, but a power failure would lose it";
const TWICE: &str = "a game has two results";
const STUCK: &str = "the goal cannot be reached without further faults";
const REMOVED: &str = "an answer was removed from the broker before its result was on disk";

/// Models without one of their protections, which the name says, and the rule that each breaks.
pub fn weakened() -> Vec<(Case, &'static str)> {
    let all = journal::Protections::ALL;
    let two = JournalModel { processes: 2, ..directory([1, 1, 0]) };
    let disturbed = directory([0, 0, 1]);
    let disorder = JournalModel { disorder: true, ..directory([0, 1, 0]) };
    let journals = [
        ("syncs_lines", &two, journal::Protections { syncs_lines: false, ..all }, LOST),
        ("syncs_what_it_read", &two, journal::Protections { syncs_what_it_read: false, ..all }, LOST),
        ("locks", &two, journal::Protections { locks: false, ..all }, LOST),
        ("creates_only", &two, journal::Protections { creates_only: false, ..all }, LOST),
        ("cuts_torn_line", &two, journal::Protections { cuts_torn_line: false, ..all }, LOST),
        ("checks_lines", &disorder, journal::Protections { checks_lines: false, ..all }, "a damaged line counts"),
        ("syncs_name", &two, journal::Protections { syncs_name: false, ..all }, LOST),
        ("syncs_rescued_name", &disturbed, journal::Protections { syncs_rescued_name: false, ..all }, LOST),
        ("rescues", &disturbed, journal::Protections { rescues: false, ..all }, LOST),
        ("replaces_empty_logs", &two, journal::Protections { replaces_empty_logs: false, ..all }, STUCK),
    ];
    let journals = journals.map(|(name, model, protections, rule)| {
        (Case { name, model: AnyModel::Journal(JournalModel { protections, ..model.clone() }) }, rule)
    });
    journals.into_iter().chain(weakened_exchanges()).collect()
}

fn weakened_exchanges() -> Vec<(Case, &'static str)> {
    let all = exchange::Protections::ALL;
    let faults = NO_FAULTS;
    let killed = exchange(1, 1, exchange::Faults { kills: 1, ..faults });
    let two = ExchangeModel { coordinators: 2, ..exchange(1, 1, faults) };
    let void = exchange(1, 1, exchange::Faults { voids: 1, ..faults });
    let lies = exchange(1, 1, exchange::Faults { lies: 1, ..faults });
    let dies = exchange(1, 1, exchange::Faults { deaths: 1, ..faults });
    let wiped = exchange(1, 1, exchange::Faults { wipes: 1, ..faults });
    let frozen = exchange(1, 2, exchange::Faults { freezes: 1, ..faults });
    let told = "a result was reported as saved, but a power failure would lose it";
    let exchanges = [
        ("syncs_lines", &killed, exchange::Protections { syncs_lines: false, ..all }, REMOVED),
        ("syncs_what_it_read", &killed, exchange::Protections { syncs_what_it_read: false, ..all }, told),
        ("locks", &two, exchange::Protections { locks: false, ..all }, TWICE),
        (
            "acknowledges_after_saving",
            &killed,
            exchange::Protections { acknowledges_after_saving: false, ..all },
            REMOVED,
        ),
        ("tells_voids_apart", &void, exchange::Protections { tells_voids_apart: false, ..all }, REMOVED),
        ("compares_tries", &killed, exchange::Protections { compares_tries: false, ..all }, TWICE),
        ("checks_answers", &lies, exchange::Protections { checks_answers: false, ..all }, "a wrong answer counts"),
        ("requeues", &dies, exchange::Protections { requeues: false, ..all }, STUCK),
        ("publishes_again", &wiped, exchange::Protections { publishes_again: false, sweeps: false, ..all }, STUCK),
        ("sweeps", &wiped, exchange::Protections { sweeps: false, ..all }, STUCK),
        ("gives_up", &frozen, exchange::Protections { gives_up: false, ..all }, STUCK),
    ];
    let weakened = exchanges.map(|(name, model, protections, rule)| {
        (Case { name, model: AnyModel::Exchange(ExchangeModel { protections, ..model.clone() }) }, rule)
    });
    weakened.into_iter().collect()
}

/// A model without a protection that is a second line of defence: nothing goes wrong without it.
pub fn with_one_line_of_defence() -> Case {
    let protections = exchange::Protections { has_one_message_for_each_try: false, ..exchange::Protections::ALL };
    let faults = exchange::Faults { kills: 1, ..NO_FAULTS };
    let model = ExchangeModel { protections, ..exchange(1, 1, faults) };
    Case { name: "has_one_message_for_each_try", model: AnyModel::Exchange(model) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More states than any of these models has.
    const MOST: usize = 1 << 18;

    #[test]
    fn no_state_of_the_program_s_models_breaks_a_rule_and_every_run_can_end() {
        for Case { name, model } in sound(false) {
            match model.check(MOST) {
                Outcome::Sound { states, steps } => println!("{name}: {states} states, {steps} steps"),
                Outcome::Flawed { text, .. } => panic!("{name}: {text}"),
                Outcome::TooLarge => panic!("{name}: too many states"),
            }
        }
    }

    #[test]
    fn without_any_one_of_its_protections_a_model_breaks_a_rule() {
        for (Case { name, model }, expected) in weakened() {
            match model.check(MOST) {
                Outcome::Flawed { rule, .. } if rule == expected => {}
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_second_line_of_defence_is_not_needed() {
        let Case { name, model } = with_one_line_of_defence();
        assert!(matches!(model.check(MOST), Outcome::Sound { .. }), "{name}");
    }
}
