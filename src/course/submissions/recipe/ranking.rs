//! Ranks the programs of a submission, in all languages together, to find the bot.

use super::argument_words::ArgumentArray;
use super::arguments::arguments;
use super::asides::{is_set_aside, is_sideline, is_test_or_copy};
use super::client_calls::WrittenValues;
use super::course_files::{ProgramOrigin, connects, is_example};
use super::readings::variables;
use super::readme;
use super::source_text::code_lines;
use super::submitted_files::{SubmittedFiles, depth, dir_of, file_name, stem};
use super::{Certainty, Recipe, roles::ArgumentRole};
use crate::tournament::{HostName, InvalidHost, Transport};

/// A program of a submission that could be the bot.
#[derive(Debug)]
pub(super) struct FoundProgram<'a> {
    /// The file with its main function.
    pub(super) source: &'a str,
    /// The text of `source`, and of the program's own files that it uses.
    pub(super) text: String,
    /// The word by which a README would refer to the program.
    pub(super) started: String,
    /// The syntax for the program's arguments.
    pub(super) array: ArgumentArray<'a>,
    /// The evidence in a build tool's file, as a clause; `None` if there is no such file.
    pub(super) said: Option<String>,
    pub(super) language: &'static str,
    pub(super) dir: String,
    pub(super) build: Option<Vec<String>>,
    /// The words of the program's command before the arguments.
    pub(super) start: Vec<String>,
    /// The software that the program needs on the machine.
    pub(super) needs: Vec<String>,
    /// The reasons why the program may not build or start as it is, as complete clauses.
    pub(super) obstacles: Vec<String>,
}

/// A program with the evidence for it.
#[derive(Debug)]
pub(super) struct ProgramCandidate {
    /// The recipe. Its certainty takes only this program into account, and depends on whether its arguments are known.
    pub(super) recipe: Recipe,
    pub(super) needs: Vec<String>,
    /// Warnings for the teacher if the program becomes the player.
    pub(super) warnings: Vec<String>,
    source: String,
    said: Option<String>,
    origin: ProgramOrigin,
    /// The higher the score, the more likely it is that this is the bot.
    score: i32,
    /// Whether anything in the program is related to the game.
    is_of_game: bool,
}

/// The margin by which the best program must outscore another likely program, and the margin for all others.
const CLEAR: i32 = 6;
const CLEAR_OF_OTHERS: i32 = 3;

/// A program with at most this score is no more than a guess: something suggests that it is not the bot.
const DOUBTFUL: i32 = -3;

impl ProgramCandidate {
    /// Judges `program`.
    pub(super) fn of(files: &SubmittedFiles, program: FoundProgram<'_>) -> Self {
        let FoundProgram { source, text, started, array, said, language, dir, build, start, needs, obstacles } =
            program;
        let origin = if files.is_given(source) {
            ProgramOrigin::Given
        } else if files.is_starter(source) {
            ProgramOrigin::Starter
        } else if is_example(source) {
            ProgramOrigin::Example
        } else {
            ProgramOrigin::Student
        };
        let lines = code_lines(&text);
        let written = WrittenValues::of(&lines, array, &variables(&lines, array));
        let shown = readme::shown(files, &started);
        let arguments = arguments(&text, array, shown.as_ref(), &written);
        let (hosts, mut warnings) = hosts(source, &written);
        let side = written.side.filter(|_| !arguments.words.iter().any(|word| word.contains("{side}")));
        let facts = ProgramFacts {
            files,
            name: source,
            text: &text,
            started: &started,
            is_built: said.is_some() && obstacles.is_empty(),
        };
        let (score, is_of_game) = (facts.score(), facts.is_of_game());
        warnings.extend(obstacles.iter().cloned());
        Self {
            recipe: Recipe {
                dir,
                language,
                build,
                command: start.into_iter().chain(arguments.words).collect(),
                transport: Transport::Tcp,
                hosts,
                side,
                is_told_clock: true,
                follows_openings: false,
                certainty: if arguments.are_known && obstacles.is_empty() {
                    Certainty::Likely
                } else {
                    Certainty::Guess
                },
                why: arguments.why,
            },
            needs,
            warnings,
            source: source.to_owned(),
            said,
            origin,
            score,
            is_of_game,
        }
    }

    /// Whether the program would be the likely bot if it were the only program.
    fn is_likely(&self) -> bool {
        self.origin == ProgramOrigin::Student
            && self.recipe.certainty == Certainty::Likely
            && self.is_of_game
            && self.score > DOUBTFUL
    }

    /// Whether `other` leaves no doubt that this program is the bot.
    fn stands_out_from(&self, other: &Self) -> bool {
        let lead = self.score.saturating_sub(other.score);
        other.origin != ProgramOrigin::Student
            || other.source == self.source
            || lead >= if other.is_likely() { CLEAR } else { CLEAR_OF_OTHERS }
    }

    fn reason(&self, place: usize, number: usize) -> String {
        let source = &self.source;
        let what = match (&self.said, self.origin) {
            (_, ProgramOrigin::Given) => {
                format!("`{source}` is a file that the course handed out, and none of the other files is a program")
            }
            (_, ProgramOrigin::Starter) => {
                format!(
                    "`{source}` is an unchanged `gothello-arena init` starter, and none of the other files is a program"
                )
            }
            (_, ProgramOrigin::Example) => {
                format!("`{source}` has the name of a course example, and none of the other files is a program")
            }
            (Some(said), ProgramOrigin::Student) => said.clone(),
            (None, ProgramOrigin::Student) => format!("`{source}` is {}", choice(place, number)),
        };
        let what = if place > 0 && self.origin != ProgramOrigin::Student {
            what.replace(", and none of the other files is a program", "")
        } else {
            what
        };
        format!("{what}; {}", self.recipe.why)
    }
}

/// Puts `candidates` in order, with their final certainties and reasons.
pub(super) fn ranked(files: &SubmittedFiles, candidates: Vec<ProgramCandidate>) -> Vec<ProgramCandidate> {
    let mut ranked: Vec<ProgramCandidate> = Vec::new();
    for candidate in candidates {
        // Copies of one file in several folders count as one candidate: the copy with the highest score, and among
        // equal scores, the copy nearest to the top.
        let is_copy = |other: &ProgramCandidate| {
            other.source != candidate.source
                && file_name(&other.source) == file_name(&candidate.source)
                && files.text(&other.source) == files.text(&candidate.source)
        };
        match ranked.iter_mut().find(|other| is_copy(other)) {
            Some(other) if other.score >= candidate.score => {}
            Some(other) => *other = candidate,
            None => ranked.push(candidate),
        }
    }
    ranked.sort_by_key(|candidate| (candidate.origin, std::cmp::Reverse(candidate.score)));
    let is_likely = |place: usize| {
        let mut others = ranked.iter().enumerate().filter(|(other, _)| *other != place);
        let candidate = &ranked[place];
        candidate.is_likely() && (place > 0 || others.all(|(_, other)| candidate.stands_out_from(other)))
    };
    let certainties: Vec<Certainty> =
        (0..ranked.len()).map(|place| if is_likely(place) { Certainty::Likely } else { Certainty::Guess }).collect();
    let mut sources: Vec<&str> = ranked.iter().map(|candidate| candidate.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let number = sources.len();
    for (place, candidate) in ranked.iter_mut().enumerate() {
        candidate.recipe.why = candidate.reason(place, number);
        candidate.recipe.certainty = certainties[place];
    }
    ranked
}

/// Describes the rank of the program at `place`, which counts from 0, among `number` programs.
fn choice(place: usize, number: usize) -> String {
    match (place, number) {
        (_, 0 | 1) => "the only program".to_owned(),
        (0, _) => format!("the most likely of {number} programs"),
        (_, _) => format!("another of {number} programs"),
    }
}

/// The host that is hard-coded in the program `source`, and warnings for the teacher about it.
fn hosts(source: &str, written: &WrittenValues) -> (Vec<String>, Vec<String>) {
    let mut warnings = Vec::new();
    if let Some(number) = written.number {
        warnings.push(format!(
            "the server number {number} is hard-coded in `{source}`, which therefore never finds \
        the referee: change it to 0"
        ));
    }
    let Some(host) = &written.host else { return (Vec::new(), warnings) };
    match HostName::new(host) {
        Ok(name) => {
            warnings.push(format!(
                "the host `{name}` is hard-coded in `{source}`; if bots are confined, `hosts` redirects it to the referee"
            ));
            (vec![name.as_str().to_owned()], warnings)
        }
        Err(InvalidHost::Address) => {
            warnings.push(format!(
                "the address `{host}` is hard-coded in `{source}`, which therefore never finds the referee: change it"
            ));
            (Vec::new(), warnings)
        }
        Err(_) => (Vec::new(), warnings),
    }
}

/// The evidence about a program.
struct ProgramFacts<'a> {
    files: &'a SubmittedFiles,
    name: &'a str,
    text: &'a str,
    started: &'a str,
    is_built: bool,
}

impl ProgramFacts<'_> {
    fn score(&self) -> i32 {
        const TELLING: [&str; 9] =
            ["player", "bot", "agent", "main", "gothello", "gthplay", "client", "minimax", "alphabeta"];
        let Self { files, name, text, started, is_built } = self;
        let own = stem(name).to_lowercase();
        let points = [
            (is_set_aside(dir_of(name)), -8),
            (is_test_or_copy(name), -6),
            (is_sideline(name), -3),
            (TELLING.iter().any(|word| own.contains(word)), 2),
            (reads_arguments(text), 2),
            (connects(text), 4),
            (names_sides(text) || ArgumentRole::named(&own).is_some(), 1),
            (*is_built, 3),
            (readme::is_shown_by_own(files, started), 6),
            (readme::is_named_by_own(files, started), 2),
        ];
        let depth = i32::try_from(depth(name)).unwrap_or(i32::MAX);
        let points: i32 = points.into_iter().filter(|(holds, _)| *holds).map(|(_, points)| points).sum();
        points.saturating_sub(2 * depth.min(99))
    }

    fn is_of_game(&self) -> bool {
        let text = self.text.to_ascii_lowercase();
        connects(self.text)
            || ["white", "black", "side", "color", "colour"].iter().any(|word| text.contains(word))
            || readme::is_shown_by_own(self.files, self.started)
    }
}

/// Whether `text` reads arguments in any of the known languages.
pub(super) fn reads_arguments(text: &str) -> bool {
    ["argv", "args[", "argparse", "ARGV", "os.Args", "flag.", "arg["].iter().any(|word| text.contains(word))
}

fn names_sides(text: &str) -> bool {
    ["white", "black"].iter().all(|side| text.contains(side))
}
