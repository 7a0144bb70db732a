//! Accessibility, as checked by axe-core.

use std::fs;

use super::tab::Tab;
use crate::harness::skipping::{Need, skipped};

/// The axe-core script, if `GOTHELLO_ARENA_AXE` names its file.
pub(super) fn script() -> Option<String> {
    let Some(path) = std::env::var_os("GOTHELLO_ARENA_AXE") else {
        skipped(Need::Axe, "GOTHELLO_ARENA_AXE does not name a file axe.min.js");
        return None;
    };
    Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The violations that axe-core, whose script is `axe`, finds in the page that `tab` shows, one line per element.
pub(super) fn violations(tab: &Tab, axe: &str) -> Vec<String> {
    if tab.eval("typeof axe") == "undefined" {
        tab.eval(&format!("{axe}\n0"));
    }
    let found = tab.eval(
        "axe.run(document, { resultTypes: ['violations'] }).then(all => all.violations.flatMap(rule =>
            rule.nodes.map(node => rule.id + ': ' + node.target.join(' ') + ': ' + node.failureSummary)))",
    );
    found.as_array().expect("a list").iter().map(|line| line.as_str().expect("a string").to_owned()).collect()
}
