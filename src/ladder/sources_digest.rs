//! The digest that identifies the sources of a version.

use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::base::held_dir::HeldDir;
use crate::base::hex::hex;

/// The digest of the files `names` in the directory `dir`: of their paths, their contents, and whether their owner may
/// execute them.
///
/// # Errors
/// Fails if one of the files cannot be read.
pub(super) fn sources_digest(dir: &Path, names: &[String]) -> io::Result<String> {
    let held = HeldDir::open(dir)?;
    let mut whole = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    for name in names {
        let mut file = held.file(Path::new(name))?;
        let is_executable = file.metadata()?.permissions().mode() & 0o100 != 0;
        let mut content = Sha256::new();
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => content.update(&buffer[..read]),
            }
        }
        whole.update((name.len() as u64).to_le_bytes());
        whole.update(name);
        whole.update([u8::from(is_executable)]);
        whole.update(content.finalize());
    }
    Ok(hex(&whole.finalize()))
}

/// The digest of sources that are refused for the reason `why`; `files` is the digest of their files.
pub(super) fn refusal_digest(files: &str, why: &str) -> String {
    hex(&Sha256::digest(format!("refused {files} {why}")))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn a_digest_depends_on_names_contents_and_the_right_to_run_and_on_nothing_else() {
        let dir = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
        let digest = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            sources_digest(dir.path(), &names).expect("readable")
        };
        let mode = |name: &str, mode| {
            fs::set_permissions(dir.path().join(name), Permissions::from_mode(mode)).expect("changed");
        };
        write("a", "1");
        write("b", "2");
        let first = digest(&["a", "b"]);
        write("a", "1");
        mode("a", 0o640);
        assert_eq!(digest(&["a", "b"]), first);
        mode("a", 0o744);
        let executable = digest(&["a", "b"]);
        mode("a", 0o644);
        write("c", "1");
        write("a", "12");
        write("b", "");
        let mut all = vec![first, executable, digest(&["a"]), digest(&["a", "b"]), digest(&["b", "c"]), digest(&["c"])];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6);
    }
}
