//! The tokens with which players submit. Only their digests are stored: one file for each player in one directory.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use crate::base::files::write_whole;
use crate::base::hex::{self, hex};
use crate::tournament::PlayerName;

/// The secret of a player: 128 random bits, written as 32 hexadecimal digits.
pub(crate) struct SubmissionToken([u8; 16]);

impl SubmissionToken {
    /// A new token.
    ///
    /// # Errors
    /// Fails if the system cannot provide random numbers.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The token as the player writes it. Show it once, and do not store it.
    pub(crate) fn text(&self) -> String {
        hex(&self.0)
    }
}

/// Does not reveal the token.
impl fmt::Debug for SubmissionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmissionToken").finish_non_exhaustive()
    }
}

/// The digest of a token, or of the text that a client sent in place of a token.
#[derive(Clone, Copy)]
pub(crate) struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// The digest of `token`.
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// The digest that `text` represents in hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        hex::parse(text).map(Self)
    }

    /// The digest in hexadecimal digits.
    pub(crate) fn text(self) -> String {
        hex(&self.0)
    }

    /// Whether both digests belong to the same token. The time that the comparison takes does not depend on the
    /// digests.
    pub(crate) fn is(self, other: Self) -> bool {
        let differing = self.0.iter().zip(other.0).fold(0, |differing, (one, other)| differing | (one ^ other));
        std::hint::black_box(differing) == 0
    }
}

/// Does not reveal the token.
impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenDigest").finish_non_exhaustive()
    }
}

/// The directory with the digests of a ladder's tokens.
#[derive(Clone, Debug)]
pub(crate) struct TokenStore {
    dir: PathBuf,
}

impl TokenStore {
    /// The store in the directory `dir`, which need not exist yet.
    pub(crate) const fn in_dir(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Makes a new token for `player`, which replaces any earlier token.
    ///
    /// # Errors
    /// Fails if the digest cannot be stored; the earlier token is then still valid.
    pub(crate) fn issue(&self, player: &PlayerName) -> io::Result<SubmissionToken> {
        let token = SubmissionToken::random()?;
        fs::create_dir_all(&self.dir)?;
        fs::set_permissions(&self.dir, Permissions::from_mode(0o700))?;
        // The file is created with the mode 0600.
        write_whole(&self.file(player), format!("{}\n", TokenDigest::of(&token.text()).text()).as_bytes())?;
        fs::set_permissions(self.file(player), Permissions::from_mode(0o600))?;
        Ok(token)
    }

    /// The digest of the token of `player`; `None` if there is no token.
    ///
    /// # Errors
    /// Fails if the digest cannot be read, or is invalid.
    pub(crate) fn digest(&self, player: &PlayerName) -> io::Result<Option<TokenDigest>> {
        let text = match fs::read_to_string(self.file(player)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        TokenDigest::parse(text.trim_end()).map(Some).ok_or_else(|| {
            let told = "it does not contain a token's digest: create a new token with `gothello-arena ladder token`";
            io::Error::new(ErrorKind::InvalidData, told)
        })
    }

    /// The file with the digest for `player`.
    pub(crate) fn file(&self, player: &PlayerName) -> PathBuf {
        self.dir.join(format!("{}.sha256", player.slug()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_stored_as_its_digest_and_replaced_by_the_next_one() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = TokenStore::in_dir(dir.path().join("tokens"));
        let [ada, bo] = ["Ada L.", "bo"].map(|name| PlayerName::new(name).expect("a name"));
        assert!(store.digest(&ada).expect("readable").is_none());
        let first = store.issue(&ada).expect("a token");
        let stored = |player| store.digest(player).expect("readable").expect("a digest");
        assert!(first.text().len() == 32 && stored(&ada).is(TokenDigest::of(&first.text())));
        let second = store.issue(&ada).expect("a token");
        assert!(!stored(&ada).is(TokenDigest::of(&first.text())) && stored(&ada).is(TokenDigest::of(&second.text())));
        assert!(store.digest(&bo).expect("readable").is_none());
        let file = store.file(&ada);
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&file).expect("readable");
        assert!(!text.contains(&second.text()) && !format!("{second:?} {:?}", stored(&ada)).contains(&second.text()));
        fs::write(&file, "half").expect("written");
        assert!(store.digest(&ada).expect_err("no digest").to_string().contains("ladder token"));
    }

    #[test]
    fn only_the_same_digest_is_equal() {
        let digest = TokenDigest::of("a");
        assert!(digest.is(TokenDigest::parse(&digest.text()).expect("a digest")));
        for byte in 0..32 {
            let mut other = digest;
            other.0[byte] ^= 1;
            assert!(!digest.is(other));
        }
        for wrong in ["", "00", &"g".repeat(64), &"0".repeat(63), &"0".repeat(66)] {
            assert!(TokenDigest::parse(wrong).is_none(), "{wrong}");
        }
    }
}
