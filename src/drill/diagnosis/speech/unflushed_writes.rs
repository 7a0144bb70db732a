//! Finds a write in a bot's sources that is not flushed. The bot's behaviour has already shown that such a write
//! exists.

use super::super::language::Language;
use super::super::source_lines::{CodeLine, SourceCode};

/// Whether the sources flush every write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flushing<'a> {
    /// There are no sources, or none in a supported language.
    Unknown,
    /// Every write to the referee is flushed or needs no flush.
    Always,
    /// This write is not flushed.
    Lacks(CodeLine<'a>),
}

impl<'a> Flushing<'a> {
    /// The write that is not flushed, if there is one.
    pub(super) const fn lacking(self) -> Option<CodeLine<'a>> {
        match self {
            Self::Lacks(line) => Some(line),
            Self::Unknown | Self::Always => None,
        }
    }
}

/// How many lines a call may span.
const LONGEST_CALL: usize = 40;

/// Whether every write in the files that the bot runs is flushed, by the call itself or elsewhere in the same function.
pub(super) fn flushing<'a>(code: &SourceCode<'a>) -> Flushing<'a> {
    if !code.is_known() {
        return Flushing::Unknown;
    }
    let lines: Vec<CodeLine<'a>> = code.lines().collect();
    let has = |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.text.contains(word)));
    let never_buffers = match code.language {
        Language::Python => {
            code.command().iter().any(|word| word == "-u")
                || has(&["line_buffering=True", "write_through=True", "buffering=0"])
        }
        Language::C => has(&["setvbuf(", "setbuf(", "setlinebuf("]),
        Language::Cpp => has(&["setvbuf(", "setbuf(", "setlinebuf(", "unitbuf"]),
        Language::JavaScript => !has(&[".cork("]),
        Language::Java | Language::Rust | Language::Other => false,
    };
    if never_buffers {
        return Flushing::Always;
    }
    let has_auto_flush = lines.iter().any(|line| line.text.contains("PrintWriter(") && line.text.contains(", true"));
    let functions = Functions::of(code.language, &lines);
    let lacks = (0..lines.len()).find(|&at| {
        let call = call_at(&lines, at);
        writes(code.language, &call, has_auto_flush)
            && !flushes(&call)
            && !functions.around(at).any(|line| flushes(lines[line].text))
    });
    lacks.map_or(Flushing::Always, |at| Flushing::Lacks(lines[at]))
}

/// The text of the call that begins on line `at`, up to its closing parenthesis.
fn call_at(lines: &[CodeLine<'_>], at: usize) -> String {
    let mut text = String::new();
    let mut open = 0_i32;
    for line in lines[at..].iter().take(LONGEST_CALL).take_while(|line| line.is_in_file_of(&lines[at])) {
        text += line.text;
        text.push(' ');
        let count = |bracket| i32::try_from(line.text.matches(bracket).count()).unwrap_or(i32::MAX);
        open = open.saturating_add(count('(')).saturating_sub(count(')'));
        if open <= 0 {
            break;
        }
    }
    text
}

/// The grouping of lines into functions.
struct Functions {
    /// For each line, the first line of its function (`None` outside functions) and the first line of its file.
    begins: Vec<(Option<usize>, usize)>,
}

impl Functions {
    fn of(language: Language, lines: &[CodeLine<'_>]) -> Self {
        let begins = match language {
            Language::Python => by_indentation(lines),
            _ => by_braces(lines),
        };
        Self { begins }
    }

    /// The lines of the function that contains line `at`.
    fn around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let own = self.begins[at];
        (0..self.begins.len()).filter(move |line| self.begins[*line] == own)
    }
}

/// In Python, a line belongs to the nearest `def` above it that is indented less.
fn by_indentation(lines: &[CodeLine<'_>]) -> Vec<(Option<usize>, usize)> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut begins = Vec::with_capacity(lines.len());
    let mut first = 0;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 && !line.is_in_file_of(&lines[at - 1]) {
            open.clear();
            first = at;
        }
        let text = line.text.trim_start();
        let indent = line.text.len() - text.len();
        if !text.is_empty() {
            open.retain(|(outer, _)| *outer < indent);
        }
        begins.push((open.last().map(|(_, begin)| *begin), first));
        if text.starts_with("def ") || text.starts_with("async def ") {
            open.push((indent, at));
        }
    }
    begins
}

/// Words before a parenthesis that do not begin a function.
const NO_FUNCTIONS: [&str; 10] =
    ["if", "for", "while", "switch", "catch", "else", "do", "try", "synchronized", "match"];

/// In languages with braces, a line belongs to the innermost enclosing block that begins with a call-like header that
/// is not a statement.
fn by_braces(lines: &[CodeLine<'_>]) -> Vec<(Option<usize>, usize)> {
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut begins = Vec::with_capacity(lines.len());
    let mut first = 0;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 && !line.is_in_file_of(&lines[at - 1]) {
            open.clear();
            first = at;
        }
        let head = line.text.trim_start().trim_start_matches(['}', ' ']);
        let word = head.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let is_function = head.contains('(') && !NO_FUNCTIONS.contains(&word) && !head.contains("-> {");
        // A header may have its brace on the next line.
        let is_header_above = |at: usize| {
            at.checked_sub(1).and_then(|above| lines.get(above)).is_some_and(|above| {
                let above = above.text.trim();
                let word = above.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                above.ends_with(')') && !NO_FUNCTIONS.contains(&word)
            })
        };
        for letter in line.text.chars() {
            match letter {
                '{' if is_function || (head.starts_with('{') && is_header_above(at)) => open.push(Some(at)),
                '{' => open.push(None),
                '}' => {
                    open.pop();
                }
                _ => {}
            }
        }
        begins.push((open.iter().rev().find_map(|block| *block), first));
    }
    begins
}

/// Whether `line` writes to a stream, other than stderr, that may buffer the output.
fn writes(language: Language, line: &str, has_auto_flush: bool) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    match language {
        Language::Python => has(&["print(", ".write(", ".writelines("]) && !has(&["stderr", "flush=True", "def "]),
        Language::Java => {
            let line_end = has(&[".println(", ".printf(", ".format("]);
            // `System.out` flushes after each print.
            let is_out = has(&[".print(", ".println(", ".printf(", ".write(", ".append("])
                && !has(&["System.err", "System.out"]);
            is_out && !(line_end && has_auto_flush)
        }
        Language::C => {
            has(&["printf(", "puts(", "putchar(", "fputc(", "putc(", "fwrite("])
                && !has(&["stderr", "snprintf(", "sprintf("])
        }
        Language::Cpp => {
            let streams = line.contains("cout") && line.contains("<<") && !has(&["endl", "flush"]);
            let stdio = has(&["printf(", "puts(", "putchar(", "fwrite("]) && !has(&["stderr", "snprintf(", "sprintf("]);
            streams || stdio
        }
        Language::Rust => {
            // `println!` ends with a line feed, which flushes stdout.
            has(&["print!", "write!(", "writeln!(", ".write_all("]) && !has(&["eprint", "stderr", "println!"])
        }
        Language::JavaScript => line.contains(".cork("),
        Language::Other => false,
    }
}

/// Whether `line` flushes a stream.
fn flushes(line: &str) -> bool {
    ["flush(", "flush=True", "fflush", "endl", "std::flush", "<< flush", "uncork("]
        .iter()
        .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::super::super::SourceFiles;
    use super::*;

    /// The unflushed line of a bot whose only file, `name`, contains `text`; `None` if every write is flushed.
    fn lacking(name: &str, text: &str, command: &[&str]) -> Option<String> {
        let files = vec![(name.to_owned(), text.to_owned())];
        let sources =
            SourceFiles { files, command: command.iter().map(|word| (*word).to_owned()).collect(), hosts: Vec::new() };
        match flushing(&SourceCode::new(&sources)) {
            Flushing::Lacks(line) => Some(line.text.trim().to_owned()),
            Flushing::Always => None,
            Flushing::Unknown => panic!("{name} is understood"),
        }
    }

    #[test]
    fn unflushed_writes_are_found_in_each_language() {
        for (name, text) in [
            ("a.py", "import sys\nprint('0.9.1 player black')\n"),
            ("a.py", "print('x', file=sys.stderr)\nf.write(line)\nx = 1\n"),
            ("a.py", "def say(line):\n    print(line, flush=True)\nprint(move)\n"),
            ("a.py", "# input() reads\ndef hello():\n    f.write(x)\n    f.flush()\ndef move():\n    f.write(x)\n"),
            (
                "A.java",
                "class A {\n  void hello() {\n    out.print(x);\n    out.flush();\n  }\n  void move()\n  {\n    out.print(x);\n  }\n}\n",
            ),
            ("A.java", "PrintWriter out = new PrintWriter(s.getOutputStream());\nout.println(line);\n"),
            ("A.java", "PrintWriter out = new PrintWriter(s.getOutputStream(), true);\nout.print(line + \"\\r\");\n"),
            ("a.c", "fprintf(stderr, \"x\");\nprintf(\"%d %s\\n\", n, m);\n"),
            ("a.cpp", "std::cout << n << \" \" << m << \"\\n\";\n"),
            ("a.rs", "println!(\"x\");\nprint!(\"{line}\\r\");\n"),
            ("a.js", "process.stdout.cork();\n"),
        ] {
            assert!(lacking(name, text, &[]).is_some(), "{text}");
        }
    }

    #[test]
    fn flushed_writes_are_not() {
        for (name, text) in [
            ("a.py", "print('x', flush=True)\nprint('y', file=sys.stderr)\n"),
            ("a.py", "sys.stdout.write(line)\nsys.stdout.flush()\n"),
            ("a.py", "sys.stdout.reconfigure(line_buffering=True)\nprint(1)\n"),
            (
                "a.py",
                "print(f'{number} {move}',\n      end='\\r\\n',\n      file=out,\n      sep='',\n      flush=True)\n",
            ),
            (
                "a.py",
                "def say(self, move):\n    print(self.number,\n        self.dots,\n        move,\n        file=self.out)\n    self.number += 1\n    x = 1\n    self.out.flush()\n",
            ),
            (
                "A.java",
                "class A {\n  void say(String line) {\n    out.print(line);\n    if (verbose) {\n      log(line);\n    }\n    count++;\n    out.flush();\n  }\n}\n",
            ),
            (
                "A.java",
                "class A {\n  void say(String line)\n  {\n    if (line != null)\n    {\n      out.print(line);\n    }\n    a++;\n    b++;\n    c++;\n    d++;\n    out.flush();\n  }\n}\n",
            ),
            ("a.py", "sock.sendall(line)\n"),
            ("A.java", "out = new PrintWriter(s.getOutputStream(), true);\nout.println(line);\n"),
            ("A.java", "out.print(line);\nout.flush();\n"),
            ("a.c", "setvbuf(stdout, NULL, _IONBF, 0);\nprintf(\"x\");\n"),
            ("a.c", "printf(\"x\");\nfflush(stdout);\n"),
            ("a.cpp", "std::cout << line << std::endl;\n"),
            ("a.rs", "print!(\"{line}\\r\");\nio::stdout().flush().unwrap();\n"),
            ("a.js", "process.stdout.write(line);\n"),
        ] {
            assert_eq!(lacking(name, text, &[]), None, "{text}");
        }
        assert_eq!(lacking("a.py", "print(1)\n", &["python3", "-u", "a.py"]), None);
    }
}
