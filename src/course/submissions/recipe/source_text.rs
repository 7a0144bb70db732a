//! Lines, words and calls in source files of any known language, found without parsing the files.

/// `line` without its comment, if one can be recognised; empty if the whole line is a comment.
pub(super) fn code(line: &str) -> &str {
    let trimmed = line.trim_start();
    let is_comment = trimmed.starts_with('#') && !trimmed.starts_with("#include")
        || ["//", "* ", "/*", "--"].iter().any(|sign| trimmed.starts_with(sign));
    if is_comment {
        return "";
    }
    [" # ", " // ", "\t# ", "\t// "].iter().filter_map(|sign| line.find(sign)).min().map_or(line, |end| &line[..end])
}

/// Every line of `text` without its comment.
pub(super) fn code_lines(text: &str) -> Vec<&str> {
    text.lines().map(code).collect()
}

/// Whether `c` can be a part of a name.
pub(super) fn is_name_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of `text` that can be names.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_name_letter(c)).filter(|word| !word.is_empty())
}

/// The last name in `text`, if it ends with one.
pub(super) fn last_word(text: &str) -> &str {
    text.trim().rsplit(|c: char| !is_name_letter(c)).next().unwrap_or_default()
}

/// The beginning of `text` up to the bracket that closes the one opened before `text`.
pub(super) fn enclosed(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return &text[..at],
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Splits the arguments of a call at the commas outside of brackets and quotes. `inner` is the text between the call's
/// brackets.
pub(super) fn split_arguments(inner: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut quote) = (Vec::new(), 0_usize, 0, None);
    for (at, c) in inner.char_indices() {
        if let Some(open) = quote {
            quote = (c != open).then_some(open);
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = inner[start..].trim();
    if !last.is_empty() || !parts.is_empty() {
        parts.push(last);
    }
    parts
}

/// The left-hand side of an assignment, and whether there is one.
pub(super) fn assigned(line: &str) -> (&str, bool) {
    let is_sign = |at: usize| {
        let (left, right) = (line[..at].chars().next_back(), line[at + 1..].chars().next());
        !matches!(right, Some('=' | '>' | '~')) && !left.is_some_and(|c| "=!<>+-*/|".contains(c))
    };
    match line.match_indices('=').map(|(at, _)| at).find(|at| is_sign(*at)) {
        Some(at) => (line[..at].strip_suffix(':').unwrap_or(&line[..at]), true),
        None => ("", false),
    }
}

/// The right-hand side of an assignment.
pub(super) fn assigned_value(line: &str) -> Option<&str> {
    let (left, has_sign) = assigned(line);
    let right = line.get(left.len()..)?.trim_start_matches(':').strip_prefix('=')?;
    has_sign.then(|| right.trim().trim_end_matches([';', ',']).trim())
}

/// The content of the string literal that `text` consists of; `None` if `text` is anything else.
pub(super) fn string_literal(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix(['u', 'b', 'r']).filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(text);
    let quote = text.chars().next().filter(|c| "\"'".contains(*c))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(quote)).then_some(inner)
}

/// The positions in `text` at which `word` occurs as a whole name.
pub(super) fn places_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_edge = |c: Option<char>| !c.is_some_and(is_name_letter);
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| is_edge(text[..*at].chars().next_back()) && is_edge(text[*at + word.len()..].chars().next()))
}

/// Whether the name `word` occurs in `text`.
pub(super) fn has_name(text: &str, word: &str) -> bool {
    places_of(text, word).next().is_some()
}

/// The text between the brackets of each call of `name` in `text`, with the position of the name.
pub(super) fn calls<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (usize, &'t str)> + 't {
    places_of(text, name).filter_map(move |at| {
        let inner = text[at + name.len()..].trim_start().strip_prefix('(')?;
        Some((at, enclosed(inner)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_assignments_are_cut_as_languages_write_them() {
        assert_eq!(split_arguments("a, f(b, c), \"x,y\", [1, 2]"), ["a", "f(b, c)", "\"x,y\"", "[1, 2]"]);
        assert_eq!(split_arguments(" "), Vec::<&str>::new());
        for (line, left, value) in [
            ("side = sys.argv[1]", "side ", Some("sys.argv[1]")),
            ("side := os.Args[1]", "side ", Some("os.Args[1]")),
            ("if a == b:", "", None),
            ("x += 1", "", None),
            ("String h = args[1];", "String h ", Some("args[1]")),
        ] {
            assert_eq!(assigned(line).0, left, "{line}");
            assert_eq!(assigned_value(line), value, "{line}");
        }
        let found: Vec<&str> =
            calls("new GthClient(a, (b)); xGthClient(c); GthClient (d)", "GthClient").map(|it| it.1).collect();
        assert_eq!(found, ["a, (b)", "d"]);
        assert_eq!(
            (string_literal("'a'"), string_literal("\"a\" + \"b\""), string_literal("u'a'")),
            (Some("a"), None, Some("a"))
        );
    }
}
