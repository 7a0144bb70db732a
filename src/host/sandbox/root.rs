//! A file system for one bot: the system and the bot's readable files, both read-only, a scratch space, and nothing
//! else.

mod closed_mounts;
mod etc;

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatVfsMountFlags, StatxAttributes, StatxFlags, statvfs, statx};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, mount_remount, unmount,
};
use rustix::process::{chdir, pivot_root};

use self::closed_mounts::ListedMounts;
use super::control_messages::{Failed, InStep};
use super::{COPY, DEVICES, HOME, Policy, SYSTEM, TMP, build_copy, landlock};
use crate::base::held_dir::open_plain;
use crate::base::sanitise::Shown as _;
use crate::host::start::ShownFile;

/// Whether `/` is a mount point, as it is unless this process is in a plain chroot. On systems that do not report this
/// (before Linux 5.8), returns `true`.
pub(super) fn is_mounted() -> bool {
    let of_root = statx(CWD, "/", AtFlags::empty(), StatxFlags::empty());
    !of_root.is_ok_and(|root| {
        root.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT)
            && !root.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)
    })
}

/// Builds the bot's file system and makes it the root.
pub(super) fn build(policy: &Policy) -> Result<(), Failed> {
    // The bot's user must be able to enter the directories, whatever the arena's umask, which the bot inherits.
    let umask = rustix::process::umask(Mode::from_raw_mode(0o022));
    let built = assemble(policy);
    rustix::process::umask(umask);
    built
}

fn assemble(policy: &Policy) -> Result<(), Failed> {
    let root = policy.root.as_path();
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(|error| match error {
        Errno::INVAL if !is_mounted() => {
            Failed::by_machine("make mounts private: `/` is not a mount point, as in a plain chroot".to_owned())
        }
        error => Err::<(), _>(error).step("make mounts private").unwrap_err(),
    })?;
    tmpfs(root, 4 << 20, 0o755).step("mount the root")?;
    let mut mounted = Vec::new();
    for dir in SYSTEM {
        let is_mounted = match policy.start.hosts.as_slice() {
            hosts @ [_, ..] if dir == etc::ETC => etc::with_hosts(root, hosts).map(|()| false),
            _ => system(root, Path::new(dir)),
        };
        mounted.extend(is_mounted.step(&format!("show {dir}"))?.then_some(dir));
    }
    // Nothing has been created in these directories, so they can be closed together.
    let listed = ListedMounts::now().step("list the mounts")?;
    for dir in mounted {
        listed.close(&within(root, Path::new(dir))).step(&format!("show {dir}"))?;
    }
    devices(policy).step("create devices")?;
    for dir in ["/proc", TMP] {
        fs::create_dir_all(within(root, Path::new(dir))).step("create directories")?;
    }
    mount(
        "proc",
        within(root, Path::new("/proc")),
        "proc",
        // In tier B, the bot runs as the same user as pid 1. If /proc were writable, the bot could change settings of
        // pid 1 and of the namespaces.
        MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC,
        None,
    )
    .step("mount /proc")?;
    tmpfs(&within(root, Path::new(TMP)), policy.start.resources.scratch, 0o700).step("mount the scratch space")?;
    let tmp = within(root, Path::new(TMP));
    fs::create_dir(tmp.join(HOME)).step("create a home directory")?;
    if policy.uid.is_some() {
        for dir in [&tmp, &tmp.join(HOME)] {
            chown(dir, policy.uid, policy.uid).step("change the owner of the scratch space")?;
        }
    }
    policy.copy_dir(&within(root, Path::new(TMP)).join(COPY))?;
    let mut read: Vec<&ShownFile> = policy.start.readable.iter().collect();
    // A directory must be shown before any path below it.
    read.sort();
    for ShownFile { path, file } in read {
        let shown = show(root, path, file).step(&format!("show {}", path.shown()));
        if policy.start.build_copy().is_none() {
            shown?;
        } else if shown.is_err() {
            // A build can do without some of the tools that are shown to it.
            let _ = unmount(within(root, path), UnmountFlags::DETACH);
        }
    }
    let dir = within(root, &policy.start.dir);
    if !dir.exists() {
        fs::create_dir_all(&dir).step("create the working directory")?;
    }
    if let Some(copy) = policy.start.build_copy() {
        build_copy::give_to(copy, policy.uid).step("change the owner of the copy of the build's directory")?;
        put(&copy.path, &dir).step("put the copy in place of the build's directory")?;
    }
    mount_remount(root, MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV, "")
        .step("make the root read-only")?;
    chdir(root).step("enter the root")?;
    pivot_root(".", ".").step("change the root")?;
    unmount(".", UnmountFlags::DETACH).step("leave the old root")?;
    chdir("/").step("enter the new root")
}

/// The location of `path` within `root`.
fn within(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn tmpfs(path: &Path, size: u64, mode: u32) -> io::Result<()> {
    let options = CString::new(format!("size={size},nr_inodes=65536,mode={mode:o}"))?;
    mount("tmpfs", path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())?;
    Ok(())
}

/// Mounts `path`, a directory of the system, or creates the same symbolic link if `path` is a link. Returns whether
/// there is now a mount, which must be closed.
fn system(root: &Path, path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(metadata) if metadata.is_symlink() => symlink(fs::read_link(path)?, within(root, path)).map(|()| false),
        Ok(_) => bind(root, path, path).map(|()| true),
    }
}

/// Shows `file`, a file or directory whose path contains no link, read-only at `path`, with everything that is mounted
/// below it.
fn show(root: &Path, path: &Path, file: &Path) -> io::Result<()> {
    bind(root, path, file)?;
    ListedMounts::now()?.close(&within(root, path))
}

/// Mounts `file`, a file or directory whose path contains no link, at `path`.
fn bind(root: &Path, path: &Path, file: &Path) -> io::Result<()> {
    // The descriptor still refers to the opened file if the path is replaced.
    let opened = open_plain(file, OFlags::PATH)?;
    let source = format!("/proc/self/fd/{}", opened.as_raw_fd());
    let target = within(root, path);
    // The target may already exist, as part of another directory that is shown.
    if !target.exists() {
        if fs::metadata(&source)?.is_dir() {
            fs::create_dir_all(&target)?;
        } else {
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            File::create(&target)?;
        }
    }
    Ok(mount_bind_recursive(&source, &target)?)
}

/// Mounts `dir`, a directory that the bot may change, at `target`.
fn put(dir: &Path, target: &Path) -> io::Result<()> {
    mount_bind_recursive(dir, target)?;
    match mount_remount(target, MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV, "") {
        // In a user namespace, the existing flags of a mount cannot be changed. The mount already has these flags, or
        // does not need them.
        Err(rustix::io::Errno::PERM) => Ok(()),
        remounted => Ok(remounted?),
    }
}

fn devices(policy: &Policy) -> io::Result<()> {
    let dev = policy.root.join("dev");
    fs::create_dir(&dev)?;
    // A mapping of `zero` is memory that is not attributed to any process, unless the bot is prevented from writing to
    // `zero`.
    let no_zero = policy.memory_group.is_none() && !landlock::is_available();
    for name in DEVICES.into_iter().filter(|name| *name != "zero" || !no_zero) {
        let device = dev.join(name);
        File::create(&device)?;
        mount_bind_recursive(Path::new("/dev").join(name), &device)?;
        // A device can be written to even if its mount is read-only. Without that, the bot could set the device's times,
        // since everybody may write to the device, and the next bot would see them.
        let kept = statvfs(&device)?.f_flag.contains(StatVfsMountFlags::NOEXEC);
        let kept = if kept { MountFlags::NOEXEC } else { MountFlags::empty() };
        mount_remount(&device, MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | kept, "")?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, dev.join(name))?;
    }
    let shm = dev.join("shm");
    fs::create_dir(&shm)?;
    tmpfs(&shm, 16 << 20, 0o1777)?;
    fs::set_permissions(&dev, fs::Permissions::from_mode(0o755))
}
