//! The `gothello-arena` program: arguments to [`gothello_arena::cli`], and its exit code back to the shell.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gothello_arena::cli::main().code().into()
}
