//! What a repository can send, read without `git`, for the fuzz targets.

use std::fs::File;

use super::address::{BranchName, GitAddress};
use super::complaint::{GitTask, explained};
use super::running::GitFailure;
use super::setting::{GitSecret, GitSetting};
use super::{GitCredential, GitDoor, objects};
use crate::course::unpacking::{SubmissionBounds, UnpackError, Visit};

/// The arguments with which `git` looks at, and then fetches, the branch `branch` of the repository at `address`. `None`
/// if one of them is refused; the refusals are printable.
pub(crate) fn words(address: &str, branch: &str) -> Option<Vec<String>> {
    let address = address.parse::<GitAddress>();
    let branch = branch.parse::<BranchName>();
    for refusal in [address.as_ref().err().map(ToString::to_string), branch.as_ref().err().map(ToString::to_string)] {
        assert!(refusal.is_none_or(|refusal| !refusal.contains(char::is_control)));
    }
    let (address, branch) = (address.ok()?, branch.ok()?);
    assert_eq!(address.to_string().parse::<GitAddress>().as_ref(), Ok(&address));
    assert_eq!(branch.to_string().parse::<BranchName>().as_ref(), Ok(&branch));
    let secret = GitSecret::read(&GitCredential::None).expect("there is no file to read");
    let setting = GitSetting { address: &address, secret: &secret };
    Some([setting.poll(Some(&branch)), setting.fetch(&branch.reference())].concat())
}

/// Reads the commit with this `listing`, whose objects are in `contents`.
pub(crate) fn commit(
    listing: &[u8],
    contents: &mut File,
    bounds: SubmissionBounds,
    visit: &mut Visit<'_>,
) -> Result<(), UnpackError> {
    let wanted = objects::wanted(listing, bounds)?;
    assert!(wanted.len() <= bounds.files);
    assert!(objects::names(&wanted).iter().filter(|&&byte| byte == b'\n').count() <= wanted.len());
    objects::each(&wanted, contents, visit)
}

/// The explanation of a failure that `git` describes as `text`.
pub(crate) fn explanation(text: &str) -> String {
    let door = GitDoor {
        address: "https://git.example/bo/bot.git".parse().expect("an address"),
        branch: None,
        subdirectory: None,
        credential: GitCredential::None,
    };
    explained(&GitFailure::Refused(text.to_owned()), &door, GitTask::Fetch).to_string()
}
