//! What an argument is for, by the name that a program gives it.

use crate::tournament::file::Placeholder;

/// What an argument of a bot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentRole {
    /// One of the values that a game fills in.
    Filled(Placeholder),
    /// How far the bot looks ahead.
    Depth,
}

impl ArgumentRole {
    /// The side, which every bot has to be told.
    pub(super) const SIDE: Self = Self::Filled(Placeholder::Side);

    /// The role of an argument called `name`, such as `server_number`, `--side` or `<host>`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let is = |words: &[&str]| words.contains(&name.as_str());
        if has(&["host", "addr", "machine"]) || is(&["ip", "url"]) {
            Some(Self::Filled(Placeholder::Host))
        } else if has(&["port"]) {
            Some(Self::Filled(Placeholder::Port))
        } else if has(&["server"]) {
            Some(Self::Filled(Placeholder::Server))
        } else if has(&["depth", "plies", "lookahead", "level"]) || is(&["ply", "d"]) {
            Some(Self::Depth)
        } else if has(&["seed"]) {
            Some(Self::Filled(Placeholder::Seed))
        } else if has(&["side", "color", "colour"])
            || is(&["me", "who", "player", "whiteorblack", "blackorwhite", "whiteblack", "blackwhite"])
        {
            Some(Self::SIDE)
        } else if is(&["time", "timelimit", "seconds"]) {
            Some(Self::Filled(Placeholder::Time))
        } else {
            None
        }
    }

    /// The role of the argument at `index`, which counts from 0, if nothing else tells.
    pub(super) fn at(index: usize) -> Option<Self> {
        let usual = [Placeholder::Side, Placeholder::Host, Placeholder::Server].map(Self::Filled);
        usual.into_iter().chain([Self::Depth]).nth(index)
    }

    /// The word of a command for this role.
    pub(super) fn word(self) -> String {
        match self {
            Self::Filled(placeholder) => format!("{{{}}}", placeholder.name()),
            Self::Depth => DEPTH.to_owned(),
        }
    }
}

/// The depth for bots that ask for one without saying which: what the course's own bots use.
const DEPTH: &str = "3";

/// A program that takes a port needs no number of a server: what it calls so is then the host.
pub(super) fn told_apart(roles: &mut [Option<ArgumentRole>]) {
    let has = |roles: &[Option<ArgumentRole>], placeholder| roles.contains(&Some(ArgumentRole::Filled(placeholder)));
    if has(roles, Placeholder::Port) && !has(roles, Placeholder::Host) {
        for role in roles.iter_mut().filter(|role| **role == Some(ArgumentRole::Filled(Placeholder::Server))) {
            *role = Some(ArgumentRole::Filled(Placeholder::Host));
        }
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
            ("<server-number>", Some("{server}")),
            ("PORT", Some("{port}")),
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
