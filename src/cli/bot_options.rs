//! Options for built-in bots.

use anyhow::anyhow;

use super::Failure;
use crate::players::bots::Thinker;

/// Refuses the first of these options that was given but does not apply to `thinker`.
pub(super) fn refuse_misfits<const N: usize>(
    thinker: Thinker,
    options: [(&'static str, bool); N],
) -> Result<(), Failure> {
    for (option, _) in options.into_iter().filter(|(_, is_given)| *is_given) {
        let (thinkers, fits) = match option {
            "--depth" => ("`alphabeta`", thinker == Thinker::Alphabeta),
            "--playouts" => ("`mcts`", thinker == Thinker::Mcts),
            "--table" => ("`perfect`", thinker == Thinker::Perfect),
            _ => ("`alphabeta`, `mcts` and `perfect`", thinker.searches()),
        };
        if !fits {
            return Err(Failure::usage(anyhow!("`{option}` applies only to {thinkers}, not to `{thinker}`")));
        }
    }
    Ok(())
}
