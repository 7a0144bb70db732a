//! Judged requirements as JUnit XML, which CI servers show next to the tests of a program.

use std::fmt::Write as _;

use crate::base::sanitise::sanitised;
use crate::results::require::JudgedRequirement;

/// One test case for each requirement, in order. A requirement that is not met is a failure whose message contains the
/// figure.
///
/// The text depends only on its arguments: it contains no timestamp, and the time of every case is zero.
pub fn junit(requirements: &[JudgedRequirement]) -> String {
    let failures = requirements.iter().filter(|judged| !judged.holds).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", requirements.len());
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut line = |text: String| writeln!(xml, "{text}").expect("writing to a string does not fail");
    line(format!("<testsuites {counts} time=\"0\">"));
    line(format!("  <testsuite name=\"gothello-arena standings\" {counts} skipped=\"0\" time=\"0\">"));
    for judged in requirements {
        let name = escaped(&judged.requirement);
        line(format!("    <testcase classname=\"requirements\" name=\"{name}\" time=\"0\">"));
        let what = escaped(&judged.to_string());
        line(if judged.holds {
            format!("      <system-out>{what}</system-out>")
        } else {
            format!("      <failure type=\"requirement\" message=\"{what}\">{what}</failure>")
        });
        line("    </testcase>".to_owned());
    }
    line("  </testsuite>".to_owned());
    line("</testsuites>".to_owned());
    xml
}

/// Escapes `text` for an element or an attribute. Control characters, which XML cannot represent, are shown as escapes.
pub(crate) fn escaped(text: &str) -> String {
    sanitised(text).chars().fold(String::with_capacity(text.len()), |mut escaped, c| {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // XML forbids these two characters, although they exist in Unicode.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
        escaped
    })
}
