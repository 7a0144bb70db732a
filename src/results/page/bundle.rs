//! The script and the style of a page, which need nothing from outside it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

/// The style.
pub(super) const STYLE: &str = concat!(include_str!("bundle/base.css"));

/// The script.
pub(super) const SCRIPT: &str = concat!(include_str!("bundle/start.js"));

/// The word by which a Content-Security-Policy allows exactly `text` as a script or a style.
pub(super) fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_elements_of_the_bundle_early() {
        for text in [STYLE, SCRIPT] {
            let text = text.to_lowercase();
            assert!(!text.contains("</script") && !text.contains("</style") && !text.contains("<!--"));
            // A browser would read another text than the digest is of.
            assert!(!text.contains('\r') && !text.contains('\0') && !text.starts_with('\u{feff}'));
        }
    }

    #[test]
    fn the_bundle_names_no_place_but_the_namespace_of_svg() {
        for text in [STYLE, SCRIPT] {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for foreign in
                ["://", "url(", "@import", "import(", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval("]
            {
                assert!(!text.contains(foreign), "{foreign}");
            }
        }
    }
}
