//! The page for a student whose submission did not become a player.

use maud::html;

use crate::base::sanitise::sanitised;
use crate::course::roster::MissingStudent;
use crate::course::rubric::Rubric;
use crate::page::shown::{PlainPage, plain_page, prose};
use crate::results::quoting::{fenced, markdown as md};

/// Examples for gothello.toml. The course may allow any language, so several are shown.
pub const START_EXAMPLES: &str = r#"# a script, such as one in Python:
command = ["python3", "bot.py", "{side}", "{host}", "{port}"]

# or a program in Java:
build = ["javac", "Bot.java"]
command = ["java", "-cp", ".", "Bot", "{side}", "{host}", "{port}"]

# or a compiled program, such as one in Go:
build = ["go", "build", "-o", "bot", "."]
command = ["./bot", "{side}", "{host}", "{port}"]
"#;

/// The instructions for the student.
const NEXT: &str = "Hand in your bot again, as one ZIP archive. Next to the bot, add a file called gothello.toml that \
                    says how to build and start it, such as:";

/// The page for `student`, who gets no points under `rubric`.
#[derive(Clone, Copy, Debug)]
pub struct MissingPage<'a> {
    /// The rubric of the class.
    pub rubric: &'a Rubric,
    /// The student.
    pub student: &'a MissingStudent,
}

impl MissingPage<'_> {
    fn title(&self) -> String {
        format!("{}: {}", sanitised(&self.rubric.title), self.student.name())
    }

    fn why(&self) -> String {
        format!("Your bot could not be started: {}.", self.student.why())
    }

    /// Renders the page as one HTML file, which loads nothing and has no script.
    pub fn html(&self) -> String {
        let title = self.title();
        let body = html! {
            main id="main" class="feedback" {
                h1 { (title) }
                p class="total" { "No points yet" }
                section class="root" {
                    h2 { (prose(&self.why())) }
                    p { (prose(NEXT)) }
                    pre { (START_EXAMPLES) }
                }
            }
            footer { p { "Made by gothello-arena " (env!("CARGO_PKG_VERSION")) ". This page is only about one bot." } }
        };
        plain_page(&PlainPage { title: &title, styles: &[super::feedback::STYLE], script: None, body: &body })
    }

    /// Renders the page as Markdown.
    pub fn markdown(&self) -> String {
        let texts = [self.title(), self.why(), NEXT.to_owned()].map(|text| md(&text));
        let [title, why, next] = texts;
        format!("# {title}\n\nNo points yet\n\n{why}\n\n{next}\n\n{}", fenced(START_EXAMPLES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::submissions::recipe::{Certainty, GivenFiles, SubmittedFiles, recognise_bot};

    #[test]
    fn each_example_starts_a_bot() {
        for (example, files) in START_EXAMPLES.split("\n\n").zip([["bot.py"], ["Bot.java"], ["main.go"]]) {
            let paths = files.iter().map(|&file| file.to_owned()).chain(["gothello.toml".to_owned()]).collect();
            let texts = [("gothello.toml".to_owned(), example.to_owned())].into_iter().collect();
            let found = recognise_bot(&SubmittedFiles::new(paths, texts, &GivenFiles::default()));
            let certainty = found.recipe.map(|recipe| recipe.certainty);
            assert_eq!((certainty, found.mistake), (Some(Certainty::Sure), None), "{example}");
        }
        assert_eq!(START_EXAMPLES.split("\n\n").count(), 3);
    }
}
