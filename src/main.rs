//! The `gothello-arena` program. It passes its arguments and its version to [`gothello_arena::cli`], and returns the
//! resulting exit code to the shell. Only this crate contains the commit, so a new commit does not cause the library to
//! be recompiled.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gothello_arena::cli::main(gothello_version::version!()).code().into()
}
