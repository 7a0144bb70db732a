//! The command line and its output.

pub(crate) mod closed_streams;
pub(crate) mod colours;
pub(crate) mod command_line;
pub(crate) mod ggf;
pub(crate) mod init;
pub(crate) mod links;
pub(crate) mod messages;
pub(crate) mod pager;
pub(crate) mod replay;
pub(crate) mod settings;
pub(crate) mod sgf;
