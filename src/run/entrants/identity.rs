//! What a player runs: the digests of its files, by which a later run recognises it, and changes in them.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use crate::base::hex::hex;
use crate::base::sanitise::sanitised;
use crate::game::quantum::Mode;
use crate::host::program::Inventory;

/// A file of a player that has changed during a run. It is displayed like `` `bot.py` has changed since the run began
/// ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerChange {
    file: String,
    /// Whether the file was a product of the player's build.
    pub is_product: bool,
}

impl fmt::Display for PlayerChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = if self.is_product { ", a product of the build," } else { "" };
        write!(f, "`{}`{origin} has changed since the run began", sanitised(&self.file))
    }
}

/// The files that a player runs, recorded so that the arena can detect changes.
#[derive(Debug)]
pub struct Identity {
    /// The files that identify the player: its program without the products of its build; `None` for a built-in bot.
    sources: Option<Inventory>,
    digest: Option<String>,
    products: Option<BTreeMap<String, String>>,
    /// Everything the player runs; `None` if there is nothing that could change.
    inventory: Option<Inventory>,
    /// The change in the player's files, if one has been detected.
    change: OnceLock<PlayerChange>,
    /// The identity of each of a team's bots.
    members: Vec<(Mode, Self)>,
}

/// The name under which a team lists `file`, which belongs to its bot for `mode`.
pub(super) fn file_of_mode(mode: Mode, file: &str) -> String {
    format!("{mode}:{file}")
}

impl Identity {
    /// The identity of a built-in bot: it is this program itself, which cannot change while it runs. The digest is
    /// missing only in the rare case that the program cannot read its own executable.
    pub const fn of_builtin(digest: Option<String>) -> Self {
        Self { sources: None, digest, products: None, inventory: None, change: OnceLock::new(), members: Vec::new() }
    }

    /// The identity of a program that consists of the files in `inventory`.
    pub fn of_program(inventory: Inventory) -> Self {
        let digest = Some(inventory.digest());
        let sources = Some(inventory.clone());
        Self { members: Vec::new(), sources, inventory: Some(inventory), ..Self::of_builtin(digest) }
    }

    /// The identity of a program that consists of the files in `inventory`. Its build produced the `products`, whose
    /// names are relative to `dir`.
    pub fn of_built(inventory: Inventory, dir: &Path, products: &BTreeSet<String>) -> Self {
        let sources = inventory.without(products, dir);
        let mut made = inventory.files_in(dir);
        made.retain(|name, _| products.contains(name));
        let digest = Some(sources.digest());
        Self {
            sources: Some(sources),
            digest,
            products: Some(made),
            inventory: Some(inventory),
            change: OnceLock::new(),
            members: Vec::new(),
        }
    }

    /// The identity of a team with these bots. Each file is named with its mode, as in `go:bot.py`.
    pub fn of_team(members: Vec<(Mode, Self)>) -> Self {
        let digests = members.iter().map(|(mode, identity)| Some(format!("{mode} {}\n", identity.digest()?)));
        let digest = digests.collect::<Option<String>>().map(|text| hex(&Sha256::digest(text.as_bytes())));
        let products = members.iter().filter_map(|(mode, identity)| Some((mode, identity.products()?)));
        let mut products = products.map(|(mode, products)| {
            let named = products.iter().map(|(file, digest)| (file_of_mode(*mode, file), digest.clone()));
            named.collect::<BTreeMap<_, _>>()
        });
        let first = products.next();
        let products =
            first.map(|first| products.fold(first, |all, products| all.into_iter().chain(products).collect()));
        Self { products, members, ..Self::of_builtin(digest) }
    }

    /// The digest of the files that identify the player.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The digest of each file that identifies the player; empty for a built-in bot.
    pub fn files(&self) -> BTreeMap<String, String> {
        let of_members = self.members.iter().flat_map(|(mode, identity)| {
            identity.files().into_iter().map(|(file, digest)| (file_of_mode(*mode, &file), digest))
        });
        let own = self.sources.as_ref().map(Inventory::files).unwrap_or_default();
        own.into_iter().chain(of_members).collect()
    }

    /// The digest of each file that the player's build produced; `None` if products are not distinguished from sources.
    pub const fn products(&self) -> Option<&BTreeMap<String, String>> {
        self.products.as_ref()
    }

    /// Checks whether anything has changed, and returns the change. A change is permanent: even if the old file is
    /// restored, games may have been played with the changed file.
    pub fn change(&self) -> Option<&PlayerChange> {
        if self.change.get().is_none()
            && let Some(file) = self.inventory.as_ref().and_then(Inventory::changed)
        {
            let source = self.sources.as_ref().and_then(Inventory::changed);
            let is_product = source.is_none();
            // Two games may detect a change at the same time; either answer will do.
            let _ = self.change.set(PlayerChange { file: source.unwrap_or(file), is_product });
        }
        self.change.get().or_else(|| self.members.iter().find_map(|(_, identity)| identity.change()))
    }
}
