//! The two kinds of pages.

use super::bundle::{SCRIPT, STYLE, source};

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

    /// The Content-Security-Policy of a page of this kind.
    pub fn policy(self) -> String {
        let (script, style) = (source(SCRIPT), source(STYLE));
        let connect = match self {
            Self::Report => "",
            Self::Live => "; connect-src 'self'",
        };
        format!(
            "default-src 'none'; script-src {script}; style-src {style}; img-src data:{connect}; base-uri 'none'; \
             form-action 'none'"
        )
    }
}
