//! The version that a program prints, with the commit from which it was built and the date of that commit.

#![forbid(unsafe_code)]

mod commit;

use std::env;
use std::path::{Path, PathBuf};

use proc_macro::TokenStream;

use commit::Origin;

/// The version of the package that is being compiled, as a string literal: `0.1.0 (37347f4f2 2026-11-27)`.
///
/// The commit is read from the package's git repository, or from the file in which `cargo package` recorded it. The
/// date comes from `SOURCE_DATE_EPOCH`, which is in seconds since 1970, or else from the commit. If neither is known,
/// the literal contains only the version. After a new commit, or if `SOURCE_DATE_EPOCH` changes, only the crate that
/// uses the macro is compiled again.
#[proc_macro]
pub fn version(_: TokenStream) -> TokenStream {
    // cargo sets both variables for each crate.
    let package = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let dir = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let origin = Origin::of(&dir, env::var("SOURCE_DATE_EPOCH").ok().as_deref());
    code(&origin.version(&package), &origin.files).parse().expect("the text has the form of an expression")
}

/// An expression for `version`. It mentions `files` and the variable, so that cargo compiles the crate again when one
/// of them changes.
fn code(version: &str, files: &[PathBuf]) -> String {
    let include = |file: &Path| format!("const _: &[u8] = include_bytes!({:?});", file.display().to_string());
    let files: String = files.iter().map(|file| include(file)).collect();
    format!("{{ const _: Option<&str> = option_env!(\"SOURCE_DATE_EPOCH\"); {files} {version:?} }}")
}
