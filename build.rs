//! Links the program so that it starts quickly.

use std::env;

/// Each confined bot is started by one or two processes of this program. As a position-independent executable, the program
/// would apply a relocation to every pointer in its constants before each of these starts: 24,000 in a release build, and
/// 255,000 in a development build. See docs/dev/decisions/0044-no-relocations.md.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|set| set == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
