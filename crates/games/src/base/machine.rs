//! Properties of this machine: its name, its cores, its limits, its control groups, and its shortages.

mod core_locks;
mod cores;
mod free_core;
mod free_resources;
mod groups;
mod holder;
mod in_order;
mod lock_holders;
mod niceness;
mod open_files;
mod reserved_cores;
mod shortage_counts;
mod system_errors;
mod threads;

use std::path::PathBuf;

pub use cores::{default_concurrency, physical_cores};
pub use free_core::has_free_core;
pub use free_resources::{MachineRoom, RoomLeft, disk_left, memory_left};
pub use groups::{Hierarchy, Place};
pub use holder::{not_listening, taken};
pub use in_order::in_order;
pub use lock_holders::LockHolders;
pub use niceness::{keep_to, step_back};
pub use open_files::{open_files, raise_open_files, restore_open_files};
pub use reserved_cores::{Core, CoreLack, Cores};
pub use shortage_counts::{KillCount, Shortages, most_processes};
pub use system_errors::{explained, is_by_program, is_shortage};
pub use threads::{away, on_thread};

/// Returns the directory for the arena's caches according to the XDG Base Directory Specification, if the environment
/// specifies one.
pub fn cache_dir() -> Option<PathBuf> {
    own_dir("XDG_CACHE_HOME", ".cache")
}

/// Returns the directory for the program's configuration, which may not exist: `gothello-arena` in the user's directory
/// for configuration. `None` if the environment specifies neither that directory nor a home directory.
pub fn config_dir() -> Option<PathBuf> {
    own_dir("XDG_CONFIG_HOME", ".config")
}

/// Returns the program's directory within the directory that `variable` names, or else within `beneath_home` in the
/// home directory.
fn own_dir(variable: &str, beneath_home: &str) -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let dir = absolute(variable).or_else(|| Some(absolute("HOME")?.join(beneath_home)))?;
    Some(dir.join("gothello-arena"))
}

/// Returns the machine's name, if it has one.
pub fn name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_str().ok()?.to_owned();
    (!name.is_empty()).then_some(name)
}
