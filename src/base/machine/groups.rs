//! Where this process stands among the system's control groups.

use std::fs;
use std::path::{Path, PathBuf};

/// One tree of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hierarchy {
    /// The tree that version 1 of the interface has for this controller.
    Of(&'static str),
    /// The one tree of version 2.
    Unified,
}

impl Hierarchy {
    /// Whether a line of `/proc/PID/cgroup` with this number and these controllers is about this tree.
    fn is_at(self, number: &str, controllers: &str) -> bool {
        match self {
            Self::Of(controller) => controllers.split(',').any(|name| name == controller),
            Self::Unified => number == "0",
        }
    }

    /// Whether a mount of this file system with these options shows this tree.
    fn is_mounted(self, file_system: &str, options: &str) -> bool {
        match self {
            Self::Of(controller) => file_system == "cgroup" && options.split(',').any(|name| name == controller),
            Self::Unified => file_system == "cgroup2",
        }
    }
}

/// Where this process is among the groups of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The uppermost group that can be seen.
    pub top: PathBuf,
    /// The group of this process.
    pub own: PathBuf,
}

impl Place {
    /// Where this process is now; `None` if the tree is not mounted, or not where this process could see its group.
    pub fn here(hierarchy: Hierarchy) -> Option<Self> {
        let read = |name| fs::read_to_string(Path::new("/proc/self").join(name)).unwrap_or_default();
        Self::parse(hierarchy, &read("cgroup"), &read("mountinfo"))
    }

    /// The same, from what the files `cgroup` and `mountinfo` of a process in /proc say.
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

    /// The group of this process and those above it, up to the uppermost.
    pub fn groups(&self) -> impl Iterator<Item = &Path> {
        self.own.ancestors().take_while(|dir| dir.starts_with(&self.top))
    }
}
