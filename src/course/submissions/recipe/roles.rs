//! The purpose of an argument, judging by the name that a program gives it.

use crate::tournament::Placeholder;

/// The purpose of a bot's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentRole {
    /// A value that is filled in for each game.
    Filled(Placeholder),
    /// The depth of the bot's search.
    Depth,
}

impl ArgumentRole {
    /// The side, which every bot has to know.
    pub(super) const SIDE: Self = Self::Filled(Placeholder::Side);
    pub(super) const HOST: Self = Self::Filled(Placeholder::Host);
    pub(super) const SERVER: Self = Self::Filled(Placeholder::Server);
    pub(super) const PORT: Self = Self::Filled(Placeholder::Port);

    /// The role of an argument called `name`, such as `server_number`, `--side` or `<host>`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| letters.contains(word));
        let is = |words: &[&str]| words.contains(&letters.as_str());
        let of_server = has(&["server", "host", "srv"]);
        let is_number =
            has(&["num", "index"]) || of_server && ["no", "id", "nr"].iter().any(|end| letters.ends_with(end));
        if has(&["port"]) && !has(&["support", "import", "report"]) {
            Some(Self::PORT)
        } else if of_server && is_number {
            Some(Self::SERVER)
        } else if has(&["host", "addr", "machine"]) || of_server && has(&["name", "ip", "url"]) || is(&["ip", "url"]) {
            Some(Self::HOST)
        } else if has(&["server"]) {
            Some(Self::SERVER)
        } else if has(&["depth", "plies", "lookahead", "level"]) || is(&["ply", "d"]) {
            Some(Self::Depth)
        } else if has(&["seed"]) {
            Some(Self::Filled(Placeholder::Seed))
        } else if has(&["side", "color", "colour"]) || is(&SIDES) {
            Some(Self::SIDE)
        } else if is(&["time", "timelimit", "seconds"]) {
            Some(Self::Filled(Placeholder::Time))
        } else {
            None
        }
    }

    /// The default role of the argument at `index`, which counts from 0.
    pub(super) fn at(index: usize) -> Option<Self> {
        [Self::SIDE, Self::HOST, Self::SERVER, Self::Depth].into_iter().nth(index)
    }

    /// The role that `word` in a command represents, if all of it is a placeholder.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        let name = word.strip_prefix('{')?.strip_suffix('}')?;
        Placeholder::ALL.into_iter().find(|placeholder| placeholder.name() == name).map(Self::Filled)
    }

    /// The word of a command for this role.
    pub(super) fn word(self) -> String {
        match self {
            Self::Filled(placeholder) => format!("{{{}}}", placeholder.name()),
            Self::Depth => DEPTH.to_owned(),
        }
    }

    /// Whether a number is a valid value for the role.
    pub(super) fn takes_number(self) -> bool {
        !matches!(self, Self::HOST | Self::SIDE)
    }
}

/// Names of arguments that mean the side although they do not contain the word `side`.
const SIDES: [&str; 9] =
    ["me", "who", "player", "whiteorblack", "blackorwhite", "whiteblack", "blackwhite", "playerside", "mycolor"];

/// The depth for bots that require one. The course's own bots use the same depth.
const DEPTH: &str = "3";

/// Turns the server argument into the host if the program takes a port but no host: a program that takes a port has no
/// use for a server number.
pub(super) fn told_apart(roles: &mut [Option<ArgumentRole>]) {
    if roles.contains(&Some(ArgumentRole::PORT))
        && !roles.contains(&Some(ArgumentRole::HOST))
        && let Some(server) = roles.iter_mut().find(|role| **role == Some(ArgumentRole::SERVER))
    {
        *server = Some(ArgumentRole::HOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_an_argument_is_for() {
        let word = |name: &str| ArgumentRole::named(name).map(ArgumentRole::word);
        for (name, expected) in [
            ("side", Some("{side}")),
            ("--my_color", Some("{side}")),
            ("serverHost", Some("{host}")),
            ("server_name", Some("{host}")),
            ("[server name]", Some("{host}")),
            ("host_name", Some("{host}")),
            ("host_number", Some("{server}")),
            ("<server-number>", Some("{server}")),
            ("serverNo", Some("{server}")),
            ("server", Some("{server}")),
            ("PORT", Some("{port}")),
            ("host_port", Some("{port}")),
            ("maxDepth", Some("3")),
            ("seed", Some("{seed}")),
            ("client", None),
            ("", None),
        ] {
            assert_eq!(word(name).as_deref(), expected, "{name}");
        }
        let mut roles = ["side", "server", "port"].map(ArgumentRole::named);
        told_apart(&mut roles);
        assert_eq!(roles.map(|role| role.unwrap().word()), ["{side}", "{host}", "{port}"]);
    }
}
