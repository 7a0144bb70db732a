//! Options whose values are the words of an enum.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::settings::choices::{ColourChoice, ProgressChoice};
use crate::drill::report::ReadinessFormat;
use crate::run::campaign::Keep;
use crate::run::journal::Durability;
use crate::tournament::Isolation;

/// A parser for `--isolation`.
pub(super) fn isolation() -> impl TypedValueParser<Value = Isolation> {
    const KNOWN: [(Isolation, &str); Isolation::ALL.len()] = [
        (Isolation::Require, "Confine bots in namespaces, or refuse to start the run"),
        (Isolation::Auto, "Confine bots as well as possible on this machine"),
        (Isolation::Off, "Do not confine bots"),
    ];
    word(&KNOWN, Isolation::name)
}

/// A parser for `--color`.
pub(super) fn color() -> impl TypedValueParser<Value = ColourChoice> {
    const KNOWN: [(ColourChoice, &str); ColourChoice::ALL.len()] = [
        (ColourChoice::Auto, "On a terminal, unless the environment says otherwise"),
        (ColourChoice::Always, "Always"),
        (ColourChoice::Never, "Never"),
    ];
    word(&KNOWN, ColourChoice::name)
}

/// A parser for `--progress`.
pub(super) fn progress() -> impl TypedValueParser<Value = ProgressChoice> {
    const KNOWN: [(ProgressChoice, &str); ProgressChoice::ALL.len()] = [
        (ProgressChoice::Auto, "`bar` on a terminal, and `counter` elsewhere and in CI"),
        (ProgressChoice::Bar, "A block with a bar on the terminal"),
        (ProgressChoice::Counter, "A line for each game, with a counter"),
        (ProgressChoice::None, "Nothing about games"),
    ];
    word(&KNOWN, ProgressChoice::name)
}

/// A parser for `--durability`.
pub(super) fn durability() -> impl TypedValueParser<Value = Durability> {
    const KNOWN: [(Durability, &str); Durability::ALL.len()] = [
        (Durability::Safe, "A result counts once it is on the disk"),
        (
            Durability::Fast,
            "A result counts once the system has received it: a crash of the machine may lose the last games, but a \
             crash of the arena loses none",
        ),
    ];
    word(&KNOWN, Durability::name)
}

/// A parser for `--keep`.
pub(super) fn keep() -> impl TypedValueParser<Value = Keep> {
    const KNOWN: [(Keep, &str); Keep::ALL.len()] = [(Keep::First, "The record from the run named first")];
    word(&KNOWN, Keep::name)
}

/// A parser for `--format` of `check`.
pub(super) fn readiness_format() -> impl TypedValueParser<Value = ReadinessFormat> {
    const KNOWN: [(ReadinessFormat, &str); ReadinessFormat::ALL.len()] = [
        (ReadinessFormat::Text, "For people"),
        (ReadinessFormat::Tap, "The Test Anything Protocol, version 14"),
        (ReadinessFormat::Junit, "JUnit XML"),
        (ReadinessFormat::Json, "One JSON object"),
    ];
    word(&KNOWN, ReadinessFormat::name)
}

/// A parser for the words in `known`. The text next to each word is for shell completions.
pub(super) fn word<T>(
    known: &'static [(T, &'static str)],
    name: impl Fn(T) -> &'static str + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let values = known.iter().map(|&(value, help)| PossibleValue::new(name(value)).help(help));
    let values: Vec<PossibleValue> = values.collect();
    PossibleValuesParser::new(values).try_map(move |text| {
        let value = known.iter().map(|&(value, _)| value).find(|&value| name(value) == text);
        value.ok_or("not one of the option's values")
    })
}
