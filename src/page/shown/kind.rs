//! The two kinds of pages.

use super::bundle::{live_script, live_style, report_script, report_style, source};

/// How a page gets its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// The data is inside the file.
    Report,
    /// The script fetches the data.
    Live,
}

impl PageKind {
    /// The name of the kind for the script.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Live => "live",
        }
    }

    /// The script of a page of this kind.
    pub(super) fn script(self) -> String {
        match self {
            Self::Report => report_script(),
            Self::Live => live_script(),
        }
    }

    /// The style of a page of this kind.
    pub(super) fn style(self) -> String {
        match self {
            Self::Report => report_style(),
            Self::Live => live_style(),
        }
    }

    /// The Content-Security-Policy of a page of this kind.
    pub fn policy(self) -> String {
        let (script, style) = (source(&self.script()), source(&self.style()));
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
