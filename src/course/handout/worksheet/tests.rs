use proptest::prelude::*;

use super::*;

const HEADER: &str = "Identifier,\"Full name\",\"Email address\",Status,Group,Grade,\"Maximum grade\",\"Grade can be changed\",\
                      \"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n";

const ROWS: &str = "\"Participant 4711\",\"Ada \"\"Countess\"\" King\",ada@example.org,\"Submitted for grading\",Red,,100.00,Yes,\"Friday, 20 November 2026, 5:01 PM\",-,\r\n\
                    \"Participant 4712\",\"Größe, Änne\",\"=cmd|' /C calc'!A0\",\"Submitted for grading\",Red,\"12.00\",100.00,Yes,-,-,\"well\r\nplayed\"\r\n\
                    \"Participant 4713\",Eve,eve@example.org,\"No submission\",Blue,,100.00,Yes,-,-,\r\n";

fn sheet() -> String {
    format!("{HEADER}{ROWS}")
}

fn read(bytes: &[u8]) -> Worksheet {
    Worksheet::read(bytes, &ColumnNumbers::default()).expect("a worksheet")
}

fn problems(text: &str) -> Vec<String> {
    let problems = Worksheet::read(text.as_bytes(), &ColumnNumbers::default()).expect_err("a bad worksheet");
    problems.iter().map(ToString::to_string).collect()
}

fn mark(participant: u64, points: impl Into<Option<f64>>) -> SheetMark {
    let player = format!("player {participant}");
    SheetMark { player, participant, points: points.into(), comment: "legal 20/20; <b>\u{202e}".to_owned() }
}

const PLAIN: GradeFit = GradeFit { is_scaled: false, is_capped: false };

const HUNDRED: SheetTotals = SheetTotals { total: 100.0, bonus: 5.0, fit: PLAIN };

/// The data that Moodle's import reads from a worksheet, restated from its documentation and sources: the file is split
/// into records as by PHP's `fgetcsv`, every record must be as long as the header, three columns must exist under their
/// English names, the text after `Participant ` is the participant, a comma in a grade is a decimal point in languages
/// that use commas, and rows whose grade is missing or out of range are skipped.
mod moodle {
    use std::collections::BTreeMap;

    /// A row that Moodle accepts: the participant, the grade and the comment.
    pub(super) type Taken = BTreeMap<u64, (f64, String)>;

    /// The records of `text`, as `fgetcsv` reads them.
    pub(super) fn records(text: &str, separator: char) -> Vec<Vec<String>> {
        let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
        let mut letters = text.trim_start_matches('\u{feff}').chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
                '"' => quoted = !quoted,
                '\r' if !quoted && letters.peek() == Some(&'\n') => {}
                '\r' | '\n' if !quoted => {
                    record.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut record));
                }
                letter if letter == separator && !quoted => record.push(std::mem::take(&mut field)),
                letter => field.push(letter),
            }
        }
        if !record.is_empty() || !field.is_empty() {
            record.push(field);
            records.push(record);
        }
        records
    }

    pub(super) fn import(text: &str, separator: char, highest: f64) -> Result<Taken, String> {
        let records = records(text, separator);
        let (header, rows) = records.split_first().ok_or("csvemptyfile")?;
        if rows.iter().any(|row| row.len() != header.len()) {
            return Err("csvweirdcolumns".to_owned());
        }
        let column = |name: &str| header.iter().position(|header| header == name);
        let needed = (column("Identifier"), column("Grade"), column("Last modified (grade)"));
        let (Some(id), Some(grade), Some(_)) = needed else { return Err("invalidgradeimport".to_owned()) };
        let mut taken = Taken::new();
        for row in rows {
            let participant = row[id].get("Participant ".len()..).and_then(|number| number.parse().ok());
            let comment = column("Feedback comments").map_or(String::new(), |column| row[column].clone());
            let grade: Option<f64> = row[grade].replace(',', ".").parse().ok();
            if let (Some(participant), Some(grade)) =
                (participant, grade.filter(|grade| (0.0..=highest).contains(grade)))
            {
                taken.insert(participant, (grade, comment));
            }
        }
        Ok(taken)
    }
}

#[test]
fn moodle_takes_the_filled_worksheet_and_only_two_columns_have_changed() {
    let sheet = sheet();
    let filled = read(sheet.as_bytes()).filled(&[mark(4711, 85.5), mark(4712, 100.0)], HUNDRED).expect("filled");
    let text = String::from_utf8(filled.bytes).expect("UTF-8");
    let taken = moodle::import(&text, ',', 100.0).expect("a worksheet that Moodle accepts");
    let comment = "gothello-arena: legal 20/20; ?b??".to_owned();
    // The teacher's own comment, with its line break, stays.
    assert_eq!(taken, [(4711, (85.5, comment)), (4712, (100.0, "well\r\nplayed".to_owned()))].into());
    let expected = sheet
        .replace(
            "Red,,100.00,Yes,\"Friday, 20 November 2026, 5:01 PM\",-,\r",
            "Red,85.50,100.00,Yes,\"Friday, 20 November 2026, 5:01 PM\",-,\"gothello-arena: legal 20/20; ?b??\"\r",
        )
        .replace("\"12.00\"", "\"100.00\"");
    assert_eq!(text, expected);
    assert_eq!(filled.warnings, [WorksheetWarning::CommentKept { line: 3, player: "player 4712".to_owned() }]);
    // Cells that were filled in before are filled in again, and nothing else changes.
    let again = read(text.as_bytes()).filled(&[mark(4711, 85.5), mark(4712, 100.0)], HUNDRED).expect("filled");
    assert_eq!(String::from_utf8(again.bytes).expect("UTF-8"), text);
}

#[test]
fn every_coding_separator_and_line_end_stays() {
    let plain = sheet().replace("\r\nplayed", " played");
    let german = plain.replace(',', ";").replace("100.00", "100,00").replace("12.00", "12,00");
    let sixteen = |text: &str| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    let latin =
        |text: &str| text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin 1")).collect::<Vec<u8>>();
    let files = [
        (plain.clone().into_bytes(), "42.50"),
        (format!("\u{feff}{plain}").into_bytes(), "42.50"),
        (plain.replace("\r\n", "\n").into_bytes(), "42.50"),
        (plain.replace("\r\n", "\r").into_bytes(), "42.50"),
        (plain.replace(',', "\t").into_bytes(), "42.50"),
        (german.clone().into_bytes(), "42,50"),
        (latin(&german), "42,50"),
        (sixteen(&german), "42,50"),
    ];
    for (file, grade) in files {
        let filled = read(&file).filled(&[mark(4713, 42.5)], HUNDRED).expect("filled").bytes;
        let wide = |text: &str| if file.starts_with(&[0xff, 0xfe]) { sixteen(text)[2..].to_vec() } else { text.into() };
        let comment = wide("\"gothello-arena: legal 20/20; ?b??\"");
        // Without the new grade and the new comment, the filled file equals the original.
        let without = remove(&remove(&filled, &wide(grade)), &comment);
        assert_eq!(without, file);
    }
}

/// `bytes` without the only occurrence of `part`.
fn remove(bytes: &[u8], part: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(part)).collect();
    let [at] = places[..] else { panic!("{places:?}") };
    [&bytes[..at], &bytes[at + part.len()..]].concat()
}

#[test]
fn a_comma_in_a_grade_is_quoted_where_commas_separate() {
    let comma = sheet().replace("100.00", "\"100,00\"");
    let filled = read(comma.as_bytes()).filled(&[mark(4711, 7.25)], HUNDRED).expect("filled").bytes;
    assert!(String::from_utf8(filled).expect("UTF-8").contains("Red,\"7,25\",\"100,00\""));
}

#[test]
fn headers_in_other_languages_are_found_by_number() {
    let finnish = sheet()
        .replace("Identifier", "Tunnus")
        .replace("Grade,", "Arvosana,")
        .replace("Maximum grade", "Paras arvosana");
    // Without rows, there are no cells by which columns could be identified.
    let found = problems(finnish.lines().next().expect("a header"));
    assert_eq!(found.len(), 3);
    assert!(found[0].starts_with("1: no column has the header `Identifier` in any known language"), "{found:?}");
    assert!(found[0].contains("(found `Tunnus`, `Full name`, "), "{found:?}");
    assert!(found[0].ends_with("give the columns by number: --columns id=1,grade=7,max=8"), "{found:?}");
    let numbers = "id=1,grade=6,max=7".parse().expect("numbers");
    let filled =
        Worksheet::read(finnish.as_bytes(), &numbers).expect("a worksheet").filled(&[mark(4711, 1.0)], HUNDRED);
    assert!(String::from_utf8(filled.expect("filled").bytes).expect("UTF-8").contains(",Red,1.00,"));
    let beyond = "max=12".parse().expect("numbers");
    let problems = Worksheet::read(sheet().as_bytes(), &beyond).expect_err("too few columns");
    assert_eq!(problems[0].to_string(), "--columns: `max=12`, but the header has 11 columns");
}

#[test]
fn all_mistakes_of_a_worksheet_are_reported_at_once() {
    let broken = sheet()
        .replace("Participant 4712", "Participant 4711")
        .replace("Participant 4713", "Eve's")
        .replace("eve@", "a,eve@")
        + "\"Participant 5\",,,,,,20,,,,\n\"nobody\",,,,,,\"good\u{1b}\",,,,\n\"Participant 6\",,,,,,good,,,,\n";
    assert_eq!(
        problems(&broken),
        [
            "3: participant 4711 has a second row (the first is line 2)",
            "5: 12 cells, but the header has 11; Moodle refuses such a file",
            "6: the maximum grade is 20, but 100 in the rows above",
            "7:7: `good\\u{1b}` is not a maximum grade (if it is a word of a scale, set the type of the grade to `Point` in Moodle)",
            "7:1: `nobody` does not end with a participant number",
            "8:7: `good` is not a maximum grade (if it is a word of a scale, set the type of the grade to `Point` in Moodle)",
        ]
    );
    assert_eq!(problems(""), ["the file is empty; download the worksheet again"]);
    assert_eq!(
        problems(&(sheet() + "\"Participant 5,,,\n,")),
        ["6: a cell begins with a quotation mark that is never closed"]
    );
    assert!(problems(&sheet().replace("Maximum grade", "Scale"))[0].contains("graded on a scale"));
}

#[test]
fn the_file_of_a_spreadsheet_program_is_not_read_as_text() {
    for bytes in [&b"PK\x03\x04Identifier"[..], b"\xd0\xcf\x11\xe0\xa1"] {
        let problems = Worksheet::read(bytes, &ColumnNumbers::default()).expect_err("no CSV");
        assert_eq!(problems, [WorksheetProblem::NoCsv]);
    }
}

#[test]
fn points_that_do_not_fit_the_highest_grade_are_refused() {
    let sheet = read(sheet().as_bytes());
    let errors = |marks: &[SheetMark], totals| -> Vec<String> {
        sheet.filled(marks, totals).expect_err("refused").iter().map(ToString::to_string).collect()
    };
    let forty = SheetTotals { total: 40.0, bonus: 2.0, fit: PLAIN };
    assert_eq!(
        errors(&[mark(4711, 1.0)], forty),
        ["the maximum grade is 100, but the rubric's `total` is 40 (plus 2 points for bonus items); change one \
          of the two, or convert the points with --scale"]
    );
    assert_eq!(sheet.surpassable(forty), None, "no grade fits at all");
    assert_eq!(
        errors(&[mark(1, 1.0), mark(2, None)], HUNDRED),
        ["none of the 2 students in the class has a row; is this the worksheet of another assignment?"]
    );
    let scaled = SheetTotals { fit: GradeFit { is_scaled: true, is_capped: false }, ..forty };
    let filled = sheet.filled(&[mark(4711, 10.5), mark(4712, None), mark(9, 1.0)], scaled).expect("filled");
    assert!(String::from_utf8(filled.bytes).expect("UTF-8").contains("Red,26.25,100.00"));
    let warnings: Vec<String> = filled.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings[0], "`player 4712` has no grade yet, so its row stays as it was");
    assert_eq!(
        warnings[1],
        "`player 9` (participant 9) has no row in the worksheet, so this grade is not in moodle.csv"
    );
    // If Moodle's maximum includes the bonus, the grade equals the points.
    let bonus = SheetTotals { total: 95.0, bonus: 5.0, fit: PLAIN };
    assert!(sheet.filled(&[mark(4711, 100.0)], bonus).is_ok());
}

#[test]
fn groups_have_members_with_names() {
    let sheet = read(sheet().as_bytes());
    let ada = SheetParticipant { participant: 4711, name: "Ada \"Countess\" King".to_owned() };
    let anne = SheetParticipant { participant: 4712, name: "Größe, Änne".to_owned() };
    assert_eq!(sheet.members_of("Red"), [ada, anne]);
    assert!(sheet.has_groups() && sheet.members_of("Green").is_empty());
}

/// A cell with any contents, as a program that writes CSV would write it.
fn any_cell() -> impl Strategy<Value = String> {
    "[ -~äß\u{202e}\r\n]{0,12}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\"")))
}

proptest! {
    /// Whatever else a worksheet contains, Moodle reads the same cells from the filled file, except for the grades.
    #[test]
    fn no_other_cell_changes(
        names in prop::collection::vec(any_cell(), 1..6), grades in prop::collection::vec(0.0..100.0, 6),
        separator in prop::sample::select(vec![',', ';', '\t']), points in 0..6_usize,
    ) {
        let row = |(number, name): (usize, &String)| format!("Participant {number}|{name}||100,00|{name}|-\n");
        let text: String = names.iter().enumerate().map(row).collect();
        let text = format!("Identifier|Full name|Grade|Maximum grade|Note|Last modified (grade)\n{text}")
            .replace("100,00", "\"100,00\"");
        let text = text.split('|').collect::<Vec<_>>();
        // A name may contain `|`, which adds cells to the file. This test does not cover such files.
        prop_assume!(text.len() == 5 * (names.len() + 1) + 1);
        let text = text.join(&separator.to_string());
        let marks: Vec<SheetMark> =
            (0..names.len()).zip(&grades).map(|(at, &grade)| mark(at as u64, (at != points).then_some(grade))).collect();
        let filled = read(text.as_bytes()).filled(&marks, HUNDRED).expect("filled");
        let filled = String::from_utf8(filled.bytes).expect("UTF-8");
        let [old, new] = [&text, &filled].map(|text| moodle::records(text, separator));
        prop_assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(&new) {
            let others = |record: &[String]| [&record[..2], &record[3..]].concat();
            prop_assert_eq!(others(old), others(new));
        }
        let taken = moodle::import(&filled, separator, 100.0).expect("a worksheet that Moodle accepts");
        prop_assert!(taken.len() + 1 >= names.len());
        for (participant, (grade, _)) in taken {
            let at = usize::try_from(participant).expect("small");
            prop_assert!((grade - grades[at]).abs() < 1e-5);
        }
    }

    #[test]
    fn no_file_panics(bytes: Vec<u8>, text in "(Identifier|Grade|Maximum grade|,|\"|\r|\n|Participant 1|100|ä){0,30}") {
        for file in [&bytes[..], text.as_bytes()] {
            if let Ok(sheet) = Worksheet::read(file, &ColumnNumbers::default()) {
                let _ = sheet.filled(&[mark(1, 5.0)], HUNDRED);
            }
        }
    }
}

#[test]
fn grades_above_the_highest_one_are_left_out_or_cut_and_the_others_stay() {
    let sheet = read(sheet().as_bytes());
    let marks = [mark(4711, 104.5), mark(4712, 100.0)];
    let one_alone = sheet.filled(&[mark(4711, None), marks[1].clone()], HUNDRED).expect("filled");
    let left_out = sheet.filled(&marks, HUNDRED).expect("filled");
    assert_eq!(left_out.bytes, one_alone.bytes);
    let warnings: Vec<String> = left_out.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings[0].starts_with("line 2: the grade of `player 4711` is 104.5, above the maximum of 100, so its row")
    );
    assert_eq!(sheet.surpassable(HUNDRED).as_deref(), Some("100"));

    let capped = SheetTotals { fit: GradeFit { is_scaled: false, is_capped: true }, ..HUNDRED };
    let cut = sheet.filled(&marks, capped).expect("filled");
    assert_eq!(cut.bytes, sheet.filled(&[mark(4711, 100.0), marks[1].clone()], HUNDRED).expect("filled").bytes);
    assert!(cut.warnings.iter().all(|warning| !warning.to_string().contains("above the maximum")));
    assert_eq!(sheet.surpassable(capped), None);
    assert_eq!(sheet.surpassable(SheetTotals { bonus: 0.0, ..HUNDRED }), None);
}

/// The headers of worksheets in the languages of Moodle's packs: identifier, name, address, status, group, grade,
/// highest grade, whether the grade can be changed, when submission and grade were changed, and comments.
const LANGUAGES: [(&str, &str, &str); 10] = [
    // The header that Moodle versions before 4.5 write.
    (
        "Participant ",
        "Yes",
        "Identifier,\"Full name\",\"Email address\",Status,Group,Grade,\"Maximum Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"",
    ),
    (
        "Participant ",
        "Yes",
        "IDENTIFIER,\"full name\",\"email address\",status,group,GRADE,\"maximum grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"feedback comments\"",
    ),
    (
        "Teilnehmer/in",
        "Ja",
        "ID,\"Vollständiger Name\",E-Mail-Adresse,Status,Gruppe,Bewertung,Bestwertung,\"Bewertung kann geändert werden\",\"Zuletzt geändert (Abgabe)\",\"Zuletzt geändert (Bewertung)\",\"Feedback als Kommentar\"",
    ),
    (
        "Participante",
        "Sí",
        "Identificador,\"Nombre completo\",\"Dirección de correo\",Estado,Grupo,Calificación,\"Calificación máxima\",\"La calificación puede ser cambiada\",\"Última modificación (entrega)\",\"Última modificación (calificación)\",\"Comentarios de retroalimentación\"",
    ),
    (
        "Participant",
        "Oui",
        "Identifiant,\"Nom complet\",\"Adresse de courriel\",Statut,Groupe,Note,\"Note maximale\",\"La note peut être modifiée\",\"Dernière modification (travail remis)\",\"Dernière modification (note)\",\"Feedback par commentaires\"",
    ),
    (
        "Partecipante",
        "Sì",
        "Identificativo,Nome,\"Indirizzo email\",Stato,Gruppo,Valutazione,\"Valutazione massima\",\"La valutazione può essere cambiata\",\"Ultima modifica (consegna)\",\"Ultima modifica (valutazione)\",Commenti",
    ),
    (
        "Participante",
        "Sim",
        "Identificador,\"Nome completo\",E-mail,Estado,Grupo,Avaliação,\"Nota máxima\",\"A nota pode ser alterada.\",\"Última atualização (submissão)\",\"Última atualização (avaliação)\",\"Comentários de feedback\"",
    ),
    (
        "Uczestnik",
        "Tak",
        "identyfikator,\"Pełna nazwa\",E-mail,Status,Grupa,Ocena,\"Maksymalna ocena\",\"Ocena może być zmieniona\",\"Ostatnia modyfikacja (przesłane rozwiązanie)\",\"Ostatnia aktualizacja (ocena)\",\"Komentarz zwrotny\"",
    ),
    (
        "Deelnemer",
        "Ja",
        "Identificatie,\"Volledige naam\",E-mailadres,Status,Groep,Cijfer,\"Maximaal cijfer\",\"Het cijfer kan gewijzigd worden\",\"Laatst gewijzigd (inzending)\",\"Laatst gewijzigd (beoordeling)\",\"Feedback tekstvak\"",
    ),
    (
        "参加者",
        "Yes",
        "ID,フルネーム,メールアドレス,ステータス,グループ,評点,最大評点,評点変更可,\"最終更新日時 (提出)\",\"最終更新日時 (評定)\",フィードバックコメント",
    ),
];

/// A worksheet with `header` and the rows of two students.
fn in_language(word: &str, yes: &str, header: &str) -> String {
    format!(
        "{header}\r\n\"{word}4711\",\"Ada King\",ada@example.org,x,Red,,\"100,00\",{yes},-,-,\r\n\
         \"{word}4712\",\"Bob Ray\",bob@example.org,x,Blue,,\"100,00\",{yes},-,-,\r\n"
    )
}

#[test]
fn worksheets_in_every_language_are_read_by_import_and_grade_alike() {
    for (word, yes, header) in LANGUAGES {
        let text = in_language(word, yes, header);
        let listed = listed_rows(text.as_bytes()).expect("a list");
        let ada = ListedRow {
            participant: "4711".to_owned(),
            name: "Ada King".to_owned(),
            email: Some("ada@example.org".to_owned()),
            group: Some("Red".to_owned()),
            is_late: false,
        };
        assert_eq!(listed[0], ada, "{header}");
        let filled = read(text.as_bytes()).filled(&[mark(4712, 85.5)], HUNDRED).expect("filled");
        let expected = text.replace(
            &format!("Blue,,\"100,00\",{yes},-,-,\r"),
            &format!("Blue,\"85,50\",\"100,00\",{yes},-,-,\"gothello-arena: legal 20/20; ?b??\"\r"),
        );
        assert_eq!(String::from_utf8(filled.bytes).expect("UTF-8"), expected, "{header}");
        assert_eq!(filled.warnings, []);
    }
}

#[test]
fn columns_whose_words_are_not_known_are_found_by_their_cells() {
    for (_, yes, header) in LANGUAGES {
        let number = header.split(',').count();
        let unknown = (0..number).map(|place| format!("x{place}")).collect::<Vec<_>>().join(",");
        let text = in_language("Osallistuja", yes, &unknown);
        let sheet = read(text.as_bytes());
        let places = [SheetColumn::Id, SheetColumn::Name, SheetColumn::Email, SheetColumn::Grade, SheetColumn::Max];
        assert_eq!(places.map(|column| sheet.places.get(&column).copied()), [0, 1, 2, 5, 6].map(Some));
        assert_eq!(listed_rows(text.as_bytes()).expect("a list")[1].name, "Bob Ray");
    }
    // A column of equal grades is not mistaken for the column of the highest grade, which comes after the grades.
    let same = in_language("P", "x", "a,b,c,d,e,f,g,h,i,j,k").replace(",,", ",\"100,00\",");
    assert_eq!(read(same.as_bytes()).places.get(&SheetColumn::Max), Some(&6));
    // Without rows, only headers identify columns.
    assert!(Worksheet::read(b"a,b,c\r\n", &ColumnNumbers::default()).is_err());
}

#[test]
fn a_worksheet_with_a_scale_is_refused_and_still_a_list() {
    // The header and the status come from a worksheet of a German site.
    let text = "\u{feff}ID,\"Vollständiger Name\",E-Mail-Adresse,Status,Bewertung,Skala,\"Bewertung kann geändert werden\",\"Zuletzt geändert (Abgabe)\",\"Texteingabe online\",\"Zuletzt geändert (Bewertung)\",\"Feedback als Kommentar\"\n\
                Teilnehmer/in1234567,\"Max Mustermann\",max@example.org,\"Zur Bewertung abgegeben - 36 Tage 10 Stunden zu spät -  - \",,\"nicht bestanden    bestanden\",Ja,-,,-,\n";
    let problems = Worksheet::read(text.as_bytes(), &ColumnNumbers::default()).expect_err("a scale");
    assert_eq!(problems, [WorksheetProblem::Scale]);
    let listed = listed_rows(text.as_bytes()).expect("a list");
    assert_eq!((listed[0].name.as_str(), listed[0].is_late), ("Max Mustermann", true));
}
