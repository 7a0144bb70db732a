//! Records of games without moves, for tests.

use crate::tournament::schedule::GameSpec;

/// The text of the record of `spec` with the id `id`, in which `black` and `white` made no move. `ending` is the value of the tag
/// `Termination`.
pub(crate) fn unplayed_record(
    spec: &GameSpec,
    id: &str,
    [black, white]: [&str; 2],
    result: &str,
    ending: &str,
) -> String {
    format!(
        "[Round \"{}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{result}\"]\n[Termination \"{ending}\"]\n\
         [TimeControl \"-\"]\n[Game \"{id}\"]\n[Seed \"{}\"]\n\n{result}\n",
        spec.round, spec.seed
    )
}
