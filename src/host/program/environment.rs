//! The variables of the arena's own environment that a started program gets.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// The variables that every program gets from the arena's environment if they are set, in addition to those whose names
/// begin with `LC_`. They specify where programs are, which language and time zone to use, and where runtimes find
/// their own components. None of them contains a secret. docs/reference/tournament-file.md has the same list.
pub const INHERITED: [&str; 19] = [
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "JAVA_HOME",
    "CLASSPATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "NODE_PATH",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "CARGO_HOME",
    "GOROOT",
    "DOTNET_ROOT",
    "LD_LIBRARY_PATH",
];

/// The prefix of the variables that each set one aspect of the locale.
const LOCALE: &[u8] = b"LC_";

/// Returns the part of `own`, the arena's environment, that a program gets if its `pass_env` is `passed`: the variables
/// in [`INHERITED`], those whose names begin with `LC_`, and those in `passed`. Names and values do not have to be
/// UTF-8.
pub fn inherited(own: impl IntoIterator<Item = (OsString, OsString)>, passed: &[String]) -> Vec<(OsString, OsString)> {
    let is_inherited = |name: &OsStr| {
        name.as_bytes().starts_with(LOCALE)
            || INHERITED.iter().any(|known| name == *known)
            || passed.iter().any(|passed| name == passed.as_str())
    };
    own.into_iter().filter(|(name, _)| is_inherited(name)).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn secrets_stay_behind_and_what_runtimes_need_is_passed_on() {
        let own = ["PATH", "LC_ALL", "JAVA_HOME", "SSH_AUTH_SOCK", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MODEL"];
        let own = || own.map(|name| (OsString::from(name), OsString::from("value")));
        let names = |passed: &[&str]| {
            let passed: Vec<String> = passed.iter().map(|&name| name.to_owned()).collect();
            inherited(own(), &passed).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), ["PATH", "LC_ALL", "JAVA_HOME"]);
        assert_eq!(names(&["MODEL", "UNSET"]), ["PATH", "LC_ALL", "JAVA_HOME", "MODEL"]);
    }

    #[test]
    fn values_and_names_that_are_not_utf8_do_no_harm() {
        let odd = OsString::from_vec(vec![b'a', 0xff]);
        let own = [("PATH".into(), odd.clone()), (odd.clone(), "x".into())];
        assert_eq!(inherited(own, &[]), [("PATH".into(), odd)]);
    }
}
