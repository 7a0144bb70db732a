//! Enums whose values are words.

/// Defines the word for each value of an enum used in files, messages and the command line.
///
/// The list is the only place that pairs values with words. It defines `ALL` in its own order, `name`, and `Display`,
/// which supports padding. The match in `name` is exhaustive, so an enum cannot gain a value that is missing from
/// `ALL`. If an error type follows the enum's name, `FromStr` is implemented as well.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($vis:vis $Enum:ident, $Unknown:ident, $($list:tt)+) => {
        $crate::base::word_enum::words!($vis $Enum; $($list)+);

        impl std::str::FromStr for $Enum {
            type Err = $Unknown;

            fn from_str(text: &str) -> Result<Self, $Unknown> {
                Self::ALL.into_iter().find(|known| known.name() == text).ok_or($Unknown)
            }
        }
    };
    ($vis:vis $Enum:ident; $($value:ident $(($($inner:tt)+))? => $word:literal),+ $(,)?) => {
        impl $Enum {
            /// Every value, in the order of the documentation.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$value $(($($inner)+))?),+];

            /// The word for the value.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$value $(($($inner)+))? => $word),+
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub use words;

/// Formats words for a message: `` `a`, `b` or `c` ``.
pub fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => format!("`{}` or `{last}`", first.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Shade {
        Dark,
        Bright(bool),
    }

    #[derive(Debug, PartialEq, Eq)]
    struct NoShade;

    words! { Shade, NoShade, Dark => "dark", Bright(false) => "bright", Bright(true) => "very bright" }

    #[test]
    fn every_value_has_its_word_and_every_word_its_value() {
        assert_eq!(Shade::ALL, [Shade::Dark, Shade::Bright(false), Shade::Bright(true)]);
        for shade in Shade::ALL {
            assert_eq!(shade.name().parse(), Ok(shade));
            assert_eq!(format!("{shade:>12}"), format!("{:>12}", shade.name()));
        }
        assert_eq!("light".parse::<Shade>(), Err(NoShade));
    }

    #[test]
    fn alternatives_are_listed_as_a_sentence_lists_them() {
        assert_eq!(alternatives(&[]), "");
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b"]), "`a` or `b`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
