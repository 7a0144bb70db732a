//! Gathers the files of each submission from the sources that a teacher names on the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::archive::{Source, archive_stem, is_foreign_archive};
use super::group::SubmissionGroup;
use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{EntryKind, SourceEntry, TreeWriter};
use super::{ClassAccount, SubmissionBounds};
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::units::counted;
use crate::base::word_enum::words;
use crate::base::work_count::WorkCount;
use crate::course::roster::{RosterStudent, SubmissionLayout};
use crate::course::submissions::gradescope::submitters;
use crate::course::submissions::{EntryPath, PlatformName, UnsafePath, left_out, platform_name, recognise};

/// The layout that the teacher requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutWish {
    Auto,
    Moodle,
    Canvas,
    Gradescope,
    Plain,
}

words! {
    pub(crate) LayoutWish;
    Auto => "auto",
    Moodle => "moodle",
    Canvas => "canvas",
    Gradescope => "gradescope",
    Plain => "plain",
}

/// How to gather submissions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathering<'a> {
    pub(crate) layout: LayoutWish,
    /// Whether the newer of two submissions by the same student counts; otherwise neither does.
    pub(crate) latest: bool,
    pub(crate) bounds: SubmissionBounds,
    pub(crate) class: &'a ClassAccount,
    /// An empty directory.
    pub(crate) staging: &'a Path,
    /// Counts the submissions that have been unpacked or, if there is only one source, its files.
    pub(crate) work: &'a WorkCount,
}

/// All submissions as they were handed in.
#[derive(Debug)]
pub(crate) struct Gathered<'a> {
    pub(crate) groups: Vec<SubmissionGroup<'a>>,
    /// The students of each submission by its folder, according to Gradescope.
    pub(crate) submitters: BTreeMap<String, Vec<RosterStudent>>,
    /// Findings that do not belong to a submission, as complete clauses.
    pub(crate) warnings: Vec<String>,
}

/// The reason why nothing was gathered.
#[derive(Debug, Error)]
pub(crate) enum GatherError {
    /// A whole source cannot be used, rather than one of its submissions.
    #[error("`{}`: {refusal}", path.shown())]
    Source { path: PathBuf, refusal: UnpackRefusal },
    /// The source does not have the layout that was asked for.
    #[error("no name in `{}` has the form that {wish} uses: leave out `--layout`, or give the archive as downloaded", path.shown())]
    NotOfLayout { path: PathBuf, wish: &'static str },
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Io(UnpackError),
}

impl CommandError for GatherError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Source { .. } | Self::NotOfLayout { .. } => Exit::Usage.alone(),
            Self::Io(_) => Exit::ArenaFailed.alone(),
        }
    }
}

/// How to interpret the paths of one source.
#[derive(Debug)]
struct SourcePlan {
    layout: SubmissionLayout,
    /// A directory that contains all entries, and is stripped from their paths.
    wrapper: Option<String>,
    /// In the layout `Plain`: whether the source is a single submission.
    is_one: bool,
    /// The number of files in the source, not counting those that are left out.
    files: u64,
}

/// The destination of an entry.
enum Route {
    /// To this path in a submission; `None` means the submission's own directory.
    To(PlatformName, Option<EntryPath>),
    /// The entry is Gradescope's list of students.
    Students,
    /// The entry is not needed.
    LeftOut,
    /// The entry belongs to no submission.
    Nowhere,
}

/// The list of students in a Gradescope export.
const STUDENTS: &str = "submission_metadata.yml";

impl<'a> Gathering<'a> {
    /// Unpacks the contents of `sources` into one directory for each submission.
    ///
    /// # Errors
    /// Returns an error if a source cannot be read at all, or does not have the requested layout.
    pub(crate) fn run(&self, sources: &[Source]) -> Result<Gathered<'a>, GatherError> {
        let mut all = Gathered { groups: Vec::new(), submitters: BTreeMap::new(), warnings: Vec::new() };
        self.work.begin("submissions unpacked", Some(sources.len() as u64));
        for source in sources {
            let found = self.one(source, sources.len() == 1, &mut all);
            self.work.add_one();
            match found {
                Err(UnpackError::Refused(refusal)) if sources.len() > 1 => {
                    let mut group = self.group(plain_name(source), source, all.groups.len());
                    group.refusal = Some(refusal);
                    all.groups.push(group);
                }
                Err(UnpackError::Refused(refusal)) => {
                    return Err(GatherError::Source { path: source.path.clone(), refusal });
                }
                Err(error) => return Err(GatherError::Io(error)),
                Ok(true) => {}
                Ok(false) => {
                    return Err(GatherError::NotOfLayout { path: source.path.clone(), wish: self.layout.name() });
                }
            }
        }
        all.groups = self.without_doubles(all.groups);
        Ok(all)
    }

    /// Adds the submissions in `source` to `all`. Returns whether the source has the requested layout.
    fn one(&self, source: &Source, is_only: bool, all: &mut Gathered<'a>) -> Result<bool, UnpackError> {
        let Some(plan) = self.plan(source, is_only)? else { return Ok(false) };
        if is_only {
            self.work.begin("files unpacked", Some(plan.files));
        }
        let first = all.groups.len();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let (mut strays, mut texts) = (StrayFiles::default(), 0_usize);
        source.each(&mut |entry| {
            if is_only && entry.kind == EntryKind::File {
                self.work.add_one();
            }
            let routed = EntryPath::parse(entry.name).map(|path| plan.route(source, path, entry.kind));
            let (name, path) = match routed {
                Ok(Route::To(name, _)) if !name.holds_files => {
                    texts += usize::from(entry.kind == EntryKind::File);
                    return Ok(());
                }
                Ok(Route::To(name, path)) => (name, Ok(path)),
                Ok(Route::Students) => {
                    all.submitters.extend(students_in(entry));
                    return Ok(());
                }
                Ok(Route::Nowhere) => {
                    if entry.kind == EntryKind::File {
                        let within = plan.wrapper.as_deref().and_then(|wrapper| entry.name.strip_prefix(wrapper));
                        strays.add(within.unwrap_or(entry.name));
                    }
                    return Ok(());
                }
                Ok(Route::LeftOut) | Err(UnsafePath::Empty) => return Ok(()),
                Err(why) => {
                    let refusal = UnpackRefusal::Unsafe { name: entry.name.to_owned(), why };
                    match plan.owner(source, entry.name) {
                        Some(name) => (name, Err(refusal)),
                        None => {
                            all.warnings.push(format!("`{}`: {refusal}; it was left out", sanitised(&source.name())));
                            return Ok(());
                        }
                    }
                }
            };
            let key = format!("{:?}{}{}", name.layout, name.participant.as_deref().unwrap_or_default(), name.full_name);
            let place = *places.entry(key).or_insert_with(|| {
                all.groups.push(self.group(name.clone(), source, all.groups.len()));
                all.groups.len() - 1
            });
            let group = &mut all.groups[place];
            group.name.late |= name.late;
            match path {
                Ok(Some(path)) => group.put(&path, entry),
                Ok(None) => Ok(()),
                Err(refusal) => {
                    group.refusal.get_or_insert(refusal);
                    Ok(())
                }
            }
        })?;
        all.warnings.extend(told(source, &strays, texts));
        if plan.is_one && all.groups.len() == first {
            all.groups.push(self.group(plain_name(source), source, first));
        }
        Ok(true)
    }

    /// How to interpret the paths of `source`; `None` if the source does not have the requested layout.
    fn plan(&self, source: &Source, is_only: bool) -> Result<Option<SourcePlan>, UnpackError> {
        let mut paths = Vec::new();
        source.each(&mut |entry| {
            if entry.kind == EntryKind::File
                && let Ok(path) = EntryPath::parse(entry.name)
                && left_out(&path).is_none()
            {
                paths.push(path);
            }
            Ok(())
        })?;
        let wrapper = wrapper(&paths);
        let within: Vec<EntryPath> = match &wrapper {
            Some(_) => paths.iter().filter_map(|path| path.split_first().1).collect(),
            None => Vec::new(),
        };
        let (layout, wrapper, inner) = match (recognise(&paths), recognise(&within)) {
            (SubmissionLayout::Plain, SubmissionLayout::Plain) if wrapper.is_some() => {
                (SubmissionLayout::Plain, wrapper, &within)
            }
            (SubmissionLayout::Plain, layout) if layout != SubmissionLayout::Plain => (layout, wrapper, &within),
            (layout, _) => (layout, None, &paths),
        };
        let has_it = match self.layout {
            LayoutWish::Auto | LayoutWish::Plain => true,
            LayoutWish::Moodle => matches!(layout, SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles),
            LayoutWish::Canvas => layout == SubmissionLayout::Canvas,
            LayoutWish::Gradescope => layout == SubmissionLayout::Gradescope,
        };
        let layout = if self.layout == LayoutWish::Plain { SubmissionLayout::Plain } else { layout };
        let is_one = layout == SubmissionLayout::Plain && (!is_only || source.is_single() || !is_collection(inner));
        // A directory that contains all of one submission is stripped later, as it is in nested archives.
        let wrapper = wrapper.filter(|_| !is_one);
        Ok(has_it.then_some(SourcePlan { layout, wrapper, is_one, files: paths.len() as u64 }))
    }

    fn group(&self, name: PlatformName, source: &Source, number: usize) -> SubmissionGroup<'a> {
        let root = self.staging.join(number.to_string()).join("raw");
        SubmissionGroup {
            name,
            source: source.name(),
            writer: TreeWriter::new(root, self.bounds, self.class),
            refusal: None,
        }
    }

    /// Reduces the submissions to one for each student.
    fn without_doubles(&self, groups: Vec<SubmissionGroup<'a>>) -> Vec<SubmissionGroup<'a>> {
        let mut kept: Vec<SubmissionGroup<'a>> = Vec::new();
        for group in groups {
            let Some(earlier) = kept.iter_mut().find(|earlier| earlier.key() == group.key()) else {
                kept.push(group);
                continue;
            };
            if !self.latest {
                earlier.refusal = Some(UnpackRefusal::Twice { one: earlier.source.clone(), other: group.source });
            } else if group.modified() >= earlier.modified() {
                *earlier = group;
            }
        }
        kept
    }
}

impl SourcePlan {
    /// The destination of the entry at `path`.
    fn route(&self, source: &Source, path: EntryPath, kind: EntryKind) -> Route {
        if self.is_one {
            return Route::To(plain_name(source), Some(path));
        }
        let path = match &self.wrapper {
            Some(wrapper) => match path.split_first() {
                (first, Some(rest)) if first == wrapper => rest,
                _ => return Route::Nowhere,
            },
            None => path,
        };
        if self.layout == SubmissionLayout::Gradescope && path.as_str() == STUDENTS {
            return Route::Students;
        }
        let (first, rest) = path.split_first();
        if EntryPath::parse(first).is_ok_and(|first| left_out(&first).is_some()) {
            return Route::LeftOut;
        }
        let is_file = rest.is_none() && kind != EntryKind::Directory;
        let own = || EntryPath::parse(first).ok().filter(|_| is_file);
        match platform_name(self.layout, first, is_file) {
            Some(name) => {
                let file = name.file.as_deref().and_then(|file| EntryPath::parse(file).ok());
                Route::To(name, file.or(rest))
            }
            None if self.layout == SubmissionLayout::Plain => Route::To(plain(first), rest.or_else(own)),
            None => Route::Nowhere,
        }
    }

    /// The submission that an entry with a rejected name belongs to, if the beginning of the name determines it.
    fn owner(&self, source: &Source, name: &str) -> Option<PlatformName> {
        if self.is_one {
            return Some(plain_name(source));
        }
        let name = name.replace('\\', "/");
        let mut parts = name.split('/').skip(usize::from(self.wrapper.is_some()));
        let first = parts.next().filter(|first| EntryPath::parse(first).is_ok())?;
        let is_file = parts.next().is_none();
        platform_name(self.layout, first, is_file)
            .or_else(|| (self.layout == SubmissionLayout::Plain && !is_file).then(|| plain(first)))
    }
}

/// Files that do not belong to a submission.
#[derive(Debug, Default)]
struct StrayFiles {
    number: u64,
    /// Some of these files, or of the top-level directories that contain them.
    tops: BTreeSet<String>,
}

impl StrayFiles {
    /// The maximum number of names that are reported.
    const MOST_TOLD: usize = 5;

    /// Adds the file whose name in its source is `name`.
    fn add(&mut self, name: &str) {
        self.number += 1;
        if self.tops.len() <= Self::MOST_TOLD {
            self.tops.extend(name.split(['/', '\\']).find(|part| !part.is_empty()).map(str::to_owned));
        }
    }

    /// The message about these files, as a clause.
    fn told(&self) -> Option<String> {
        let names: Vec<String> =
            self.tops.iter().take(Self::MOST_TOLD).map(|top| format!("`{}`", sanitised(top))).collect();
        let more = if self.tops.len() > Self::MOST_TOLD { " and others" } else { "" };
        let files = counted(self.number, "file");
        let verb = if self.number == 1 { "belongs" } else { "belong" };
        (self.number > 0).then(|| format!("left out {files} that {verb} to no submission: {}{more}", names.join(", ")))
    }
}

/// The messages about files that do not belong to a submission.
fn told(source: &Source, strays: &StrayFiles, texts: usize) -> Vec<String> {
    let name = sanitised(&source.name());
    let strays = strays.told().map(|told| format!("`{name}`: {told}"));
    let texts =
        (texts > 0).then(|| format!("`{name}`: left out {} typed into the platform", counted(texts as u64, "answer")));
    strays.into_iter().chain(texts).collect()
}

/// The students of each submission, read from `entry`, the list in a Gradescope export.
fn students_in(entry: &mut SourceEntry<'_>) -> BTreeMap<String, Vec<RosterStudent>> {
    /// The maximum size of the list in bytes; far more than any course needs.
    const MOST_BYTES: u64 = 16 << 20;
    let mut text = Vec::new();
    let read = entry.content.take(MOST_BYTES).read_to_end(&mut text);
    if read.is_ok() { submitters(&String::from_utf8_lossy(&text)) } else { BTreeMap::new() }
}

/// The directory that contains all of `paths`, if there is one.
pub(super) fn wrapper(paths: &[EntryPath]) -> Option<String> {
    let (first, _) = paths.first()?.split_first();
    let is_inside = |path: &EntryPath| matches!(path.split_first(), (other, Some(_)) if other == first);
    paths.iter().all(is_inside).then(|| first.to_owned())
}

/// Whether `paths` belong to several submissions: the top level contains only archives, and directories whose names are
/// not typical of a single program.
fn is_collection(paths: &[EntryPath]) -> bool {
    const OWN: [&str; 12] =
        ["src", "lib", "libs", "bin", "build", "doc", "docs", "test", "tests", "data", "include", "resources"];
    let is_archive = |name: &str| archive_stem(name).is_some() || is_foreign_archive(name);
    let mut tops: Vec<(&str, bool)> =
        paths.iter().map(|path| (path.split_first().0, path.split_first().1.is_none())).collect();
    tops.dedup();
    let fits = |(top, is_file): &(&str, bool)| if *is_file { is_archive(top) } else { !OWN.contains(top) };
    tops.len() > 1 && tops.iter().all(fits)
}

/// The submission that consists of `source` as a whole.
fn plain_name(source: &Source) -> PlatformName {
    let name = source.name();
    match name.rsplit_once('.').filter(|_| source.is_single() && archive_stem(&name).is_none()) {
        Some((stem, _)) if !stem.is_empty() => plain(stem),
        _ => plain(&name),
    }
}

/// The name of a submission that does not come from a platform: the name of its file or directory.
pub(super) fn plain(name: &str) -> PlatformName {
    PlatformName {
        layout: SubmissionLayout::Plain,
        folder: name.to_owned(),
        full_name: archive_stem(name).unwrap_or(name).to_owned(),
        participant: None,
        late: false,
        holds_files: true,
        file: None,
    }
}

#[cfg(test)]
mod tests;
