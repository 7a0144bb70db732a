//! Cores that are reserved for one bot at a time.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use super::cores::{cores_of_this_process, physical_cores};

/// The cores of this machine that nobody has taken.
#[derive(Debug)]
pub struct Cores {
    free: Mutex<Vec<Vec<u32>>>,
}

impl Cores {
    /// Returns the cores if there is one for each of the `wanted` bots that run at the same time; otherwise `None`.
    pub fn for_bots(wanted: NonZeroUsize) -> Option<Arc<Self>> {
        let cores = cores_of_this_process()?;
        // If this process may not use all of its cores at once, binding a bot to one of them gains nothing.
        let enough = cores.len() >= wanted.get() && physical_cores() >= wanted;
        enough.then(|| Arc::new(Self { free: Mutex::new(cores) }))
    }

    /// Returns the CPUs of the cores that stay free while no more than `wanted` cores are taken at a time.
    pub fn spare_cpus(&self, wanted: NonZeroUsize) -> Vec<u32> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // The last cores are taken first.
        free.iter().take(free.len().saturating_sub(wanted.get())).flatten().copied().collect()
    }

    /// Takes a core for one bot, or for several that never run at the same time; `None` if all cores are taken.
    pub fn take(self: &Arc<Self>) -> Option<Core> {
        // Take the last core first: as a rule, the system has the most work for the first ones.
        let cpus = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Core { cpus, of: Arc::clone(self) })
    }
}

/// A core that is taken. Dropping it gives the core back.
#[derive(Debug)]
pub struct Core {
    cpus: Vec<u32>,
    of: Arc<Cores>,
}

impl Core {
    /// Returns the CPUs of this core.
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
    fn no_core_is_shared_and_every_core_comes_back() {
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

    #[test]
    fn what_is_spare_is_never_taken() {
        let cores = Cores { free: Mutex::new(vec![vec![0, 4], vec![1, 5], vec![2], vec![3]]) };
        let cores = Arc::new(cores);
        let wanted = NonZeroUsize::new(2).unwrap();
        assert_eq!(cores.spare_cpus(wanted), [0, 4, 1, 5]);
        let (first, second) = (cores.take().unwrap(), cores.take().unwrap());
        assert_eq!((first.cpus(), second.cpus()), (&[3][..], &[2][..]));
        drop(first);
        drop(second);
        assert_eq!(cores.spare_cpus(wanted), [0, 4, 1, 5], "whatever the order in which they come back");
        assert_eq!(cores.spare_cpus(NonZeroUsize::new(9).unwrap()), [0; 0]);
    }
}
