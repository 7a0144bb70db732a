//! The settings of a user: `config.toml` in the user's configuration directory.
//!
//! Settings change how output looks and where files are, never what a run plays or how bots are confined. An option
//! takes precedence over the environment, and the environment over the file.

pub(super) mod choices;
mod config_file;
pub(super) mod shown_settings;

use std::fs::File;
use std::io::{self, Read as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::anyhow;

use super::Failure;
use crate::base::console;
use crate::base::machine::config_dir;
use crate::base::sanitise::Shown as _;
use config_file::ConfigFile;

/// The user's file.
#[derive(Clone, Debug, Default)]
pub(super) struct UserSettings {
    /// The path at which the file is expected; `None` if the environment does not specify one.
    path: Option<PathBuf>,
    /// Why the file was not read.
    unread: Option<UnreadConfig>,
    /// The content of the file.
    file: ConfigFile,
}

/// Why the file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnreadConfig {
    /// The file does not exist.
    Missing,
    /// The user may not read the file.
    Forbidden,
    /// The user gave `--no-config`.
    Option,
    /// The variable `CI` is set.
    Ci,
}

/// The maximum size of the file in bytes.
const MOST: u64 = 1 << 20;

/// The settings of this process, which are read once.
static SETTINGS: OnceLock<UserSettings> = OnceLock::new();

/// Reads the user's file for the rest of the process, unless `is_ignored` is true or `CI` is set.
///
/// # Errors
/// Returns a usage error if the file cannot be read or contains mistakes.
pub(super) fn read(is_ignored: bool) -> Result<(), Failure> {
    let settings = UserSettings::read(is_ignored)?;
    if let (Some(path), None) = (&settings.path, settings.unread) {
        console::detail(format_args!("using the settings in `{}`", path.shown()));
    }
    // Only the first call has an effect, because other code may already have used its values.
    let _ = SETTINGS.set(settings);
    Ok(())
}

/// The settings in the user's file, or no settings if [`read`] did not find any.
pub(super) fn of_file() -> &'static ConfigFile {
    static NOTHING: ConfigFile = ConfigFile::EMPTY;
    SETTINGS.get().map_or(&NOTHING, |settings| &settings.file)
}

/// The number of threads for judging positions: the value of the option `--threads`, if given, or else the value in the
/// user's file.
pub(super) fn threads(option: Option<NonZeroUsize>) -> Option<NonZeroUsize> {
    option.or(of_file().threads)
}

/// The directory that contains a subdirectory with the results of each tournament.
pub(super) fn results_dir() -> PathBuf {
    of_file().out.clone().unwrap_or_else(|| PathBuf::from("results"))
}

/// The address for serving a page if no option specifies an address.
pub(super) fn web_address() -> SocketAddr {
    of_file().web.unwrap_or(PAGE_ADDRESS)
}

/// The default address of a page, used unless the user's file has an address.
pub(super) const PAGE_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

impl UserSettings {
    fn read(is_ignored: bool) -> Result<Self, Failure> {
        let path = config_dir().map(|dir| dir.join("config.toml"));
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        let unread = |why| Self { path: path.clone(), unread: Some(why), file: ConfigFile::default() };
        let Some(file) = path.as_deref().filter(|_| !is_ignored && !is_ci) else {
            return Ok(unread(match (is_ignored, is_ci) {
                (true, _) => UnreadConfig::Option,
                (false, true) => UnreadConfig::Ci,
                (false, false) => UnreadConfig::Missing,
            }));
        };
        let content = match File::open(file).and_then(bounded) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(unread(UnreadConfig::Missing)),
            // Under `sudo -u`, the home directory may be another user's.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(unread(UnreadConfig::Forbidden));
            }
            Err(error) => {
                let context = format!("cannot read `{}`", file.shown());
                return Err(Failure::usage(anyhow!(error).context(context)).with_hint(Some(WITHOUT.to_owned())));
            }
        };
        let file = ConfigFile::parse(&content, std::env::home_dir().as_deref())
            .map_err(|problems| Failure::wrong_file(problems.display(file)).with_hint(Some(WITHOUT.to_owned())))?;
        Ok(Self { path, unread: None, file })
    }
}

/// The advice for a user whose file cannot be used.
const WITHOUT: &str = "`--no-config` ignores this file";

/// Reads `file`, which must not be larger than [`MOST`].
fn bounded(file: File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(MOST + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MOST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
    }
    Ok(content)
}
