//! The two kinds of pages.

/// How a page comes by its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// The data are inside the file.
    Report,
    /// The script fetches the data.
    Live,
}

impl PageKind {
    /// The word by which the script knows the kind.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Live => "live",
        }
    }
}
