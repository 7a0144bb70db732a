//! The locations of a ladder's parts, in the directory of its results.

use std::path::{Path, PathBuf};

use super::tokens::TokenStore;

/// The name of the directory with the reports about hand-ins.
const FEEDBACK: &str = "feedback";

/// The name of the directory with the hand-ins that have not been settled.
const INBOX: &str = "inbox";

/// The name of the file with the address of the ladder's page, for the links of players.
const PAGE_ADDRESS: &str = "page-address";

/// The file with the report about the version called `name`, in the results `dir`.
pub(crate) fn report_file(dir: &Path, name: &str) -> PathBuf {
    dir.join(FEEDBACK).join(format!("{}.txt", crate::tournament::slug(name)))
}

/// The tokens of the players of the run in `dir`.
pub(crate) fn token_store(dir: &Path) -> TokenStore {
    TokenStore::in_dir(dir.join("tokens"))
}

/// The inbox of the run in `dir`, which contains the hand-ins that have not been settled.
pub(crate) fn inbox(dir: &Path) -> PathBuf {
    dir.join(INBOX)
}

/// The file with the address of the page of the run in `dir`.
pub(crate) fn page_address_file(dir: &Path) -> PathBuf {
    dir.join(PAGE_ADDRESS)
}
