//! `gothello-arena docs man`.

use std::io;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::base::files;
use crate::base::sanitise::Shown as _;
use crate::cli::{Cli, CommandResult, Exit, note_of};

/// Write the manual pages: one for the program, and one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Existing pages are replaced. Read a page with `man -l DIR/gothello-arena.1`, or
write the pages to a `man1` directory on your MANPATH.

Example:
  gothello-arena docs man ~/.local/share/man/man1")]
pub(super) struct Args {
    /// Directory for the pages (created if missing)
    dir: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let shown = self.dir.shown();
        std::fs::create_dir_all(&self.dir).with_context(|| format!("could not create `{shown}`"))?;
        let pages = pages().context("could not render the pages")?;
        for (name, page) in &pages {
            let file = self.dir.join(name);
            files::write_whole(&file, page).with_context(|| format!("could not write `{}`", file.shown()))?;
        }
        note_of(&self.dir, format_args!("{} pages in `{shown}`", pages.len()));
        Ok(Exit::Success)
    }
}

/// Every page: the name of its file, and its text.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = shown(Cli::command());
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages)?;
    Ok(pages)
}

/// `command` with all of its commands and options visible, since a manual has enough space for the commands and options
/// that the help only names.
fn shown(command: Command) -> Command {
    command.hide(false).mut_args(|argument| argument.hide(false)).mut_subcommands(shown)
}

/// The preamble that `roff` writes before each section: apostrophes that can be copied into a shell. A page needs this
/// preamble only once.
const PREAMBLE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let source = concat!("gothello-arena ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).manual("gothello-arena").source(source);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    after_help(command).to_writer(&mut page)?;
    let text = String::from_utf8(page).map_err(io::Error::other)?;
    let page = PREAMBLE.to_owned() + &text.replace(PREAMBLE, "");
    pages.push((man.get_filename(), page.into_bytes()));
    command.get_subcommands().try_for_each(|inner| add_pages(inner, pages))
}

/// The text below the options in the help: prose, followed by examples.
fn after_help(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut is_example = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("Example") {
            is_example = true;
            roff.control("SH", ["EXAMPLES"]);
            roff.control("nf", []);
        } else if index == 0 {
            roff.control("SH", ["NOTES"]);
        }
        if line.is_empty() {
            roff.control("PP", []);
        } else if !line.starts_with("Example") {
            roff.text([roman(line)]);
        }
    }
    if is_example {
        roff.control("fi", []);
    }
    roff
}
