//! One submission that comes from neither a platform nor the command line.

use std::path::Path;

use super::gather::plain;
use super::group::SubmissionGroup;
use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{TreeWriter, Visit};
use super::unfold::HandedIn;
use super::{ClassAccount, SubmissionBounds};
use crate::course::submissions::{EntryPath, UnsafePath};

/// Unpacks the entries that `each` visits below the directory `staging`, which is empty. They are treated as `import`
/// treats the entries of a submission; a refusal is part of the result.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub(crate) fn unpack_one(
    staging: &Path,
    bounds: SubmissionBounds,
    each: impl FnOnce(&mut Visit<'_>) -> Result<(), UnpackError>,
) -> Result<HandedIn, UnpackError> {
    let class = ClassAccount::default();
    let mut writer = TreeWriter::new(staging.join("raw"), bounds, &class);
    let put = each(&mut |entry| match EntryPath::parse(entry.name) {
        Ok(path) => writer.put(&path, entry),
        Err(UnsafePath::Empty) => Ok(()),
        Err(why) => Err(UnpackRefusal::Unsafe { name: entry.name.to_owned(), why }.into()),
    });
    let refusal = match put {
        Err(UnpackError::Refused(refusal)) => Some(refusal),
        put => {
            put?;
            None
        }
    };
    HandedIn::of(SubmissionGroup { name: plain(""), source: String::new(), writer, refusal }, false)
}
