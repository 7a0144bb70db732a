//! Reasons not to unpack a submission.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::units::bytes;
use crate::course::submissions::{Conflict, UnsafePath};

/// Why a submission is not unpacked. The messages are printable.
#[derive(Debug, Error)]
pub(crate) enum UnpackRefusal {
    /// The name of an entry is not a safe path.
    #[error("its archive contains an entry `{}`, which {why}", sanitised(name))]
    Unsafe { name: String, why: UnsafePath },
    /// Some file systems cannot tell two entries apart.
    #[error("in its archive, {0}; many file systems keep only one of them")]
    Twins(#[from] Conflict),
    /// The submission exceeds the maximum size.
    #[error("it contains more than {} when unpacked (raise the limit with `--max-bytes`)", bytes(*most))]
    TooLarge { most: u64 },
    /// The submission exceeds the maximum number of files.
    #[error("it contains more than {most} files (raise the limit with `--max-files`)")]
    TooManyFiles { most: usize },
    /// All submissions together are too large.
    #[error("all submissions together contain more than {} when unpacked: import the class in parts", bytes(*most))]
    ClassTooLarge { most: u64 },
    /// The archive is a decompression bomb.
    #[error("its archive is a decompression bomb: {} had already expanded to {} when import stopped", bytes(*from), bytes(*to))]
    Bomb { from: u64, to: u64 },
    /// The archive lists more entries than is plausible.
    #[error("its archive lists more than {most} entries")]
    TooManyEntries { most: usize },
    /// The archive needs a password.
    #[error("its archive is encrypted: ask for one without a password")]
    Encrypted,
    /// The archive is compressed by an unknown method.
    #[error("its archive is compressed with a method that import does not support: ask for an ordinary ZIP")]
    Method,
    /// The archive cannot be read.
    #[error("its archive is damaged: {}", sanitised(what))]
    Damaged { what: String },
    /// The same student has two submissions.
    #[error(
        "it was handed in twice, in `{}` and in `{}` (`--latest` takes the newer one)",
        sanitised(one),
        sanitised(other)
    )]
    Twice { one: String, other: String },
}

/// Why unpacking failed.
#[derive(Debug, Error)]
pub(crate) enum UnpackError {
    /// The submission was refused.
    #[error(transparent)]
    Refused(#[from] UnpackRefusal),
    /// A file or directory cannot be read or written.
    #[error("cannot read or write `{}`: {source}", path.shown())]
    Io { path: PathBuf, source: io::Error },
}

impl UnpackError {
    /// Returns a function that turns an I/O error at `path` into an `UnpackError`.
    pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

/// The refusal for an error in reading an archive: the error may itself contain a refusal that was passed through a
/// reader.
pub(crate) fn refusal_of(error: io::Error) -> UnpackRefusal {
    match error.downcast::<UnpackRefusal>() {
        Ok(refusal) => refusal,
        Err(error) => UnpackRefusal::Damaged { what: error.to_string() },
    }
}
