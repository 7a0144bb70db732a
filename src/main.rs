//! The `gothello-arena` program. It passes its arguments and its version to [`gothello_arena::cli`], and returns the
//! resulting exit code to the shell. Only this crate knows the commit, so that a commit does not recompile the library.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gothello_arena::cli::main(gothello_version::version!()).code().into()
}
