//! The embedded files: a table of the starters, with one row for each language, and the files of a class tournament.

use super::Starter;
use crate::course::rubric::{RUBRIC_SCHEMA, RUBRIC_TOML};
use crate::tournament::file::TOURNAMENT_SCHEMA;

/// The paths and contents of files: the named files under `examples/$dir/`, and the file that all starters share.
///
/// A file may have a different name in the repository, as in `"Cargo.toml" = "bot.toml"`: cargo would treat a directory
/// with a manifest as another package.
macro_rules! files {
    (@$dir:literal $path:literal) => {
        include_str!(concat!("../../../examples/", $dir, "/", $path))
    };
    (@$dir:literal $path:literal $source:literal) => {
        files!(@$dir $source)
    };
    ($dir:literal: $($path:literal $(= $source:literal)?),+ $(,)?) => {
        &[
            $(($path, files!(@$dir $path $($source)?)),)+
            (".github/workflows/bot.yml", include_str!("../../../examples/bot.yml")),
        ]
    };
}

/// All starters, in the order in which they are shown to users.
pub(super) const STARTERS: &[Starter] = &[
    Starter {
        language: "python",
        title: "Python",
        alias: None,
        mind: "bot/bot.py",
        files: files!(
            "python": "README.md", "Makefile", "try.toml", "gothello.toml", ".gitignore",
            "bot/bot.py", "bot/gothello_client.py", "bot/rules.py", "bot/test_bot.py",
        ),
    },
    Starter {
        language: "java",
        title: "Java",
        alias: None,
        mind: "bot/Bot.java",
        files: files!(
            "java": "README.md", "Makefile", "try.toml", "gothello.toml", ".gitignore",
            "bot/Bot.java", "bot/GothelloClient.java", "bot/Rules.java", "bot/TestRules.java",
        ),
    },
    Starter {
        language: "c",
        title: "C",
        alias: None,
        mind: "bot/bot.c",
        files: files!(
            "c": "README.md", "Makefile", "try.toml", "gothello.toml", ".gitignore",
            "bot/bot.c", "bot/gothello_client.c", "bot/gothello_client.h", "bot/rules.c", "bot/rules.h",
            "bot/test_rules.c",
        ),
    },
    Starter {
        language: "cpp",
        title: "C++",
        alias: Some("c++"),
        mind: "bot/bot.cpp",
        files: files!(
            "cpp": "README.md", "Makefile", "try.toml", "gothello.toml", ".gitignore",
            "bot/bot.cpp", "bot/gothello_client.cpp", "bot/gothello_client.hpp", "bot/rules.cpp", "bot/rules.hpp",
            "bot/test_rules.cpp",
        ),
    },
    Starter {
        language: "rust",
        title: "Rust",
        alias: None,
        mind: "bot/bot.rs",
        files: files!(
            "rust": "README.md", "Makefile", "try.toml", "gothello.toml", ".gitignore",
            "bot/Cargo.toml" = "bot/manifest.toml",
            "bot/bot.rs", "bot/gothello_client.rs", "bot/rules.rs", "bot/tests.rs",
        ),
    },
    Starter {
        language: "javascript",
        title: "JavaScript",
        alias: Some("js"),
        mind: "bot/bot.js",
        files: files!(
            "javascript": "README.md", "Makefile", "try.toml", "gothello.toml", ".gitignore",
            "bot/bot.js", "bot/gothello_client.js", "bot/rules.js", "bot/test_bot.js",
        ),
    },
];

/// The files of a class tournament.
pub(super) const TOURNAMENT_FILES: [(&str, &str); 6] = [
    ("class.toml", include_str!("../../../examples/tournament/class.toml")),
    ("tournament.schema.json", TOURNAMENT_SCHEMA),
    ("rubric.toml", RUBRIC_TOML),
    ("rubric.schema.json", RUBRIC_SCHEMA),
    ("README.md", include_str!("../../../examples/tournament/README.md")),
    (".gitignore", include_str!("../../../examples/tournament/.gitignore")),
];
