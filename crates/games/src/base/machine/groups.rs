//! The place of this process in the system's control groups.

use std::fs;
use std::path::{Path, PathBuf};

/// A tree of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hierarchy {
    /// The tree of this controller, in version 1 of the interface.
    Of(&'static str),
    /// The only tree of version 2.
    Unified,
}

impl Hierarchy {
    /// Returns whether a line of `/proc/PID/cgroup` with this `number` and these `controllers` describes this tree.
    fn is_at(self, number: &str, controllers: &str) -> bool {
        match self {
            Self::Of(controller) => controllers.split(',').any(|name| name == controller),
            Self::Unified => number == "0",
        }
    }

    /// Returns whether a mount of `file_system` with these `options` shows this tree.
    fn is_mounted(self, file_system: &str, options: &str) -> bool {
        match self {
            Self::Of(controller) => file_system == "cgroup" && options.split(',').any(|name| name == controller),
            Self::Unified => file_system == "cgroup2",
        }
    }
}

/// The place of a process among the groups of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The topmost group that this process can see.
    pub top: PathBuf,
    /// The process's own group.
    pub own: PathBuf,
}

impl Place {
    /// Returns the current place of this process; `None` if the tree is not mounted, or if it is mounted in such a way
    /// that this process cannot see its group.
    pub fn here(hierarchy: Hierarchy) -> Option<Self> {
        let read = |name| fs::read_to_string(Path::new("/proc/self").join(name)).unwrap_or_default();
        Self::parse(hierarchy, &read("cgroup"), &read("mountinfo"))
    }

    /// Parses the place of a process from the contents of its files `cgroup` and `mountinfo` in /proc.
    pub fn parse(hierarchy: Hierarchy, cgroup: &str, mountinfo: &str) -> Option<Self> {
        let path = cgroup.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            hierarchy.is_at(number, controllers).then_some(path)
        })?;
        mountinfo.lines().find_map(|line| {
            let (mount, kind) = line.split_once(" - ")?;
            let (mount, kind): (Vec<&str>, Vec<&str>) = (mount.split(' ').collect(), kind.split(' ').collect());
            let is_it = hierarchy.is_mounted(kind.first()?, kind.last()?);
            let (root, top) = (mount.get(3).filter(|_| is_it)?, Path::new(mount.get(4)?));
            let below = Path::new(path).strip_prefix(root).ok()?;
            Some(Self { top: top.to_owned(), own: top.join(below) })
        })
    }

    /// Returns the process's own group and the groups above it, up to the topmost.
    pub fn groups(&self) -> impl Iterator<Item = &Path> {
        self.own.ancestors().take_while(|dir| dir.starts_with(&self.top))
    }
}

/// Returns the directories of the control groups that limit this process through `controller`, in either version of the
/// interface.
pub(super) fn groups_of(controller: &'static str) -> Vec<PathBuf> {
    let places = [Hierarchy::Of(controller), Hierarchy::Unified].into_iter().filter_map(Place::here);
    places.flat_map(|place| place.groups().map(Path::to_owned).collect::<Vec<_>>()).collect()
}
