//! The settings with their origins, as `doctor` shows them.

use std::fmt::Write as _;

use serde::Serialize;

use super::choices::{ColourChoice, PagerChoice, ProgressChoice, SettingOrigin};
use super::{SETTINGS, UnreadConfig, results_dir, web_address};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::cli::Failure;
use crate::exact::threads::threads_or_two;

/// A setting with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(in crate::cli) struct ShownSetting {
    key: &'static str,
    value: String,
    #[serde(flatten)]
    origin: SettingOrigin,
}

/// The settings that apply on this machine without any options.
#[derive(Clone, Debug, Serialize)]
pub(in crate::cli) struct ShownSettings {
    /// The path of the user's file; `None` if the environment does not specify one.
    file: Option<String>,
    /// Why the file was not read, if it was not.
    unread: Option<&'static str>,
    values: Vec<ShownSetting>,
}

impl ShownSettings {
    /// The settings of this process.
    ///
    /// # Errors
    /// Returns a usage error if a variable has an unknown value.
    pub(in crate::cli) fn of_process() -> Result<Self, Failure> {
        let settings = SETTINGS.get().cloned().unwrap_or_default();
        let (file, variable) = (&settings.file, |name: &str| std::env::var_os(name));
        let of_file = |is_given| if is_given { SettingOrigin::File } else { SettingOrigin::Default };
        let (color, color_origin) = ColourChoice::chosen(None, &variable, file.color);
        let (progress, progress_origin) = ProgressChoice::chosen(None, &variable, file.progress)?;
        let (pager, pager_origin) = PagerChoice::chosen(&variable, file.pager.as_ref());
        let values = [
            ("color", color.name().to_owned(), color_origin),
            ("progress", progress.name().to_owned(), progress_origin),
            ("pager", sanitised(pager.words()), pager_origin),
            ("out", results_dir().shown(), of_file(file.out.is_some())),
            ("web", web_address().to_string(), of_file(file.web.is_some())),
            ("threads", threads_or_two(file.threads).to_string(), of_file(file.threads.is_some())),
        ];
        let values = values.map(|(key, value, origin)| ShownSetting { key, value, origin }).to_vec();
        let unread = settings.unread.map(|why| match why {
            UnreadConfig::Missing => "there is no such file",
            UnreadConfig::Forbidden => "this user may not read it",
            UnreadConfig::Option => "ignored because of --no-config",
            UnreadConfig::Ci => "ignored because CI is set",
        });
        Ok(Self { file: settings.path.map(|path| path.shown()), unread, values })
    }

    /// The settings as lines for a person.
    pub(in crate::cli) fn text(&self) -> String {
        let file = self.file.as_deref().unwrap_or("config.toml");
        let unread = self.unread.map(|why| format!(" ({why})")).unwrap_or_default();
        let mut text = format!("settings in `{file}`{unread}:\n");
        for ShownSetting { key, value, origin } in &self.values {
            let origin = match origin {
                SettingOrigin::Option(name) | SettingOrigin::Variable(name) => name,
                SettingOrigin::File => "the file",
                SettingOrigin::Default => "default",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {key:<8}  {value:<16}  {origin}");
        }
        text
    }
}
