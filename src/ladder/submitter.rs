//! A player's side of the third door: packs the directory of a bot, and sends it.
//!
//! | room | contents |
//! | --- | --- |
//! | `submit_url` | the address to which a player submits |
//! | `packing` | the files of a directory, as an archive |
//! | `sending` | the request, over HTTP or HTTPS |

mod packing;
mod sending;
mod submit_url;

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use packing::OwnToken;
pub(crate) use submit_url::SubmitUrl;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::tree::TreeError;
use crate::base::units::{bytes, counted};

/// What a player submits, and where.
#[derive(Debug)]
pub(crate) struct Submission<'a> {
    pub(crate) url: &'a SubmitUrl,
    /// The file with the player's token.
    pub(crate) token_file: &'a Path,
    /// The directory of the bot.
    pub(crate) dir: &'a Path,
    /// Whether the token and the files may cross a network in the clear.
    pub(crate) is_clear_allowed: bool,
}

/// The outcome of a submission.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SubmissionReceipt {
    /// How many files were sent, and their size in the archive, in words.
    pub(crate) sent: String,
    /// The files that were not sent because they contain the token. Their names are printable.
    pub(crate) secret: Vec<String>,
    /// The arena's answer, in printable form.
    pub(crate) answer: String,
}

/// Why nothing was submitted.
#[derive(Debug, Error)]
pub(crate) enum SubmitError {
    /// The token cannot be read.
    #[error("cannot read a token from `{}`: {why}", path.shown())]
    Token {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Anyone along the network path could read the token.
    #[error(
        "`{0}` is not on this machine, and without TLS, anyone along the network path can read the token and the \
    files"
    )]
    Clear(String),
    /// The directory cannot be packed.
    #[error("cannot pack `{}`", path.shown())]
    Pack {
        /// The directory.
        path: PathBuf,
        /// The reason.
        source: PackError,
    },
    /// The door cannot be reached.
    #[error("cannot send the files to `{host}`: {why}")]
    Send {
        /// The host.
        host: String,
        /// The reason, in printable form.
        why: String,
    },
    /// The door has refused the submission.
    #[error("refused: {0}")]
    Refused(String),
}

/// Why a directory cannot be packed.
#[derive(Debug, Error)]
pub(crate) enum PackError {
    /// The directory cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// There is nothing to send.
    #[error("it contains no files to hand in")]
    Empty,
    /// The archive would be larger than any arena accepts.
    #[error("the archive would be larger than {}: leave out what the bot does not need", bytes(*.0))]
    TooLarge(u64),
    /// A file has changed.
    #[error("`{}` changed while it was being packed", .0.shown())]
    Changed(PathBuf),
    /// The archive cannot be written.
    #[error("the archive cannot be written")]
    Write(#[source] std::io::Error),
}

impl CommandError for SubmitError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Token { .. } => {
                Exit::Usage.hint("the file should contain the token that `gothello-arena ladder token` printed")
            }
            Self::Clear(_) => {
                Exit::Usage.hint("use an address that begins with https://, or allow this with --plain-http")
            }
            Self::Pack { source: PackError::Write(_), .. } | Self::Send { .. } => Exit::ArenaFailed.alone(),
            Self::Pack { .. } => Exit::Usage.alone(),
            Self::Refused(_) => Exit::DoesNotHold.alone(),
        }
    }
}

impl Submission<'_> {
    /// Packs and sends the directory.
    ///
    /// # Errors
    /// [`SubmitError`] says why nothing was submitted.
    pub(crate) fn send(&self) -> Result<SubmissionReceipt, SubmitError> {
        if !self.url.is_encrypted() && !self.url.is_own_machine() && !self.is_clear_allowed {
            return Err(SubmitError::Clear(self.url.host().to_owned()));
        }
        let (token, file) = self.token()?;
        let pack = |source| SubmitError::Pack { path: self.dir.to_owned(), source };
        let own = OwnToken { token: &token, file };
        let packed = packing::packed(self.dir, super::doors::MOST_UPLOAD, own).map_err(pack)?;
        let secret = packed.secret.iter().map(|path| path.shown().clone()).collect();
        let sent = format!("{}, {}", counted(packed.files as u64, "file"), bytes(packed.bytes));
        let failed = |why: String| SubmitError::Send { host: self.url.host().to_owned(), why: sanitised(&why) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let answer =
            runtime.block_on(sending::send(self.url, &token, packed)).map_err(|error| failed(error.to_string()))?;
        let told = sanitised(&answer.message());
        if answer.is_success() {
            Ok(SubmissionReceipt { sent, secret, answer: told })
        } else {
            Err(SubmitError::Refused(told))
        }
    }

    /// The token, and the device and inode numbers of its file.
    fn token(&self) -> Result<(String, (u64, u64)), SubmitError> {
        const LONGEST: usize = 256;
        let wrong = |why: String| SubmitError::Token { path: self.token_file.to_owned(), why };
        let unreadable = |error: std::io::Error| wrong(error.to_string());
        let mut file = std::fs::File::open(self.token_file).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(unreadable)?;
        let token = text.trim();
        let is_token = !token.is_empty() && token.len() <= LONGEST && token.bytes().all(|byte| byte.is_ascii_graphic());
        let place = (metadata.dev(), metadata.ino());
        if is_token {
            Ok((token.to_owned(), place))
        } else {
            Err(wrong("it contains no token, or more than one".to_owned()))
        }
    }
}
