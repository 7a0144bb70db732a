//! Tests of requirements as `JUnit` XML.

use super::*;

/// Asserts that elements are nested and closed and that attributes and text contain no bare markup. Only the subset of
/// XML that `junit` uses is supported.
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    let entity = |text: &str| ["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|name| text.starts_with(name));
    assert!(rest.split('&').skip(1).all(entity), "{xml}");
    assert!(rest.chars().all(|c| c == '\n' || (c >= ' ' && c != '\u{7f}')), "{xml:?}");
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "{xml}");
        let (tag, after) = after.split_once('>').unwrap();
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{xml}"),
            None => open.push(tag.split(' ').next().unwrap()),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{xml}");
        rest = after;
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{xml}");
}

proptest! {
    #[test]
    fn junit_is_well_formed_for_all_names(requirement in any::<String>(), figure in "[<>&'\"\\PC\u{1b}]{0,20}", holds: bool) {
        let judged = JudgedRequirement { requirement, holds, figure, probability: Some(0.5) };
        assert_well_formed(&report::junit(&[judged.clone(), judged]));
    }
}
