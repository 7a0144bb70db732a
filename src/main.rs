//! The `gothello-arena` program. It passes its arguments to [`gothello_arena::cli`], and returns the resulting exit
//! code to the shell.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gothello_arena::cli::main().code().into()
}
