//! Cores that bots have to themselves.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use super::{cores_of_this_process, physical_cores};

/// The cores of this machine as far as nobody has them.
#[derive(Debug)]
pub struct Cores {
    free: Mutex<Vec<Vec<u32>>>,
}

impl Cores {
    /// The cores, if there are enough that each of `wanted` bots at a time can have one.
    pub fn for_bots(wanted: NonZeroUsize) -> Option<Arc<Self>> {
        let cores = cores_of_this_process()?;
        // Where this process may not use all of its cores at once, to be bound to one is no gain.
        let enough = cores.len() >= wanted.get() && physical_cores() >= wanted;
        enough.then(|| Arc::new(Self { free: Mutex::new(cores) }))
    }

    /// A core for one bot, or for several that don't run at once; `None` if all are taken.
    pub fn take(self: &Arc<Self>) -> Option<Core> {
        // The last first: the first ones have the most to do for the system, as a rule.
        let cpus = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Core { cpus, of: Arc::clone(self) })
    }
}

/// A core that is taken; dropping it gives it back.
#[derive(Debug)]
pub struct Core {
    cpus: Vec<u32>,
    of: Arc<Cores>,
}

impl Core {
    /// The CPUs that it consists of.
    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.of.free.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.cpus));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_shares_a_core_and_each_comes_back() {
        let Some(cores) = Cores::for_bots(NonZeroUsize::MIN) else { return };
        let taken: Vec<Core> = std::iter::from_fn(|| cores.take()).collect();
        let mut cpus: Vec<u32> = taken.iter().flat_map(|core| core.cpus().to_vec()).collect();
        let all = cpus.len();
        cpus.sort_unstable();
        cpus.dedup();
        assert_eq!(cpus.len(), all);
        assert!(cores.take().is_none());
        let number = taken.len();
        drop(taken);
        assert_eq!(std::iter::from_fn(|| cores.take()).collect::<Vec<_>>().len(), number);
        assert!(Cores::for_bots(NonZeroUsize::new(number + 1).unwrap()).is_none());
    }
}
