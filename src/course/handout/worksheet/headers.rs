//! The headers that Moodle gives the columns of a worksheet, in the languages of its language packs.
//!
//! Moodle takes these headers from the current language: `recordid`, `maxgrade`, `submissionteam` and `scale` of
//! `mod_assign`, `fullname`, `email`, `status` and `gradenoun` (formerly `grade`) of Moodle's core, and the name of
//! `assignfeedback_comments`. The strings listed here come from the packs. Some of them have changed over time, such as
//! `Maximum Grade`; both spellings are listed.

use unicode_normalization::UnicodeNormalization as _;

use super::columns::SheetColumn;

/// The names of each column in the packs: English, German, Spanish, French, Italian, Portuguese, Polish, Dutch and
/// Japanese first, then Catalan, Basque, Galician, Swedish, Romanian, Lithuanian, Turkish, Greek, Russian, Ukrainian,
/// Arabic, Chinese and Korean.
const HEADERS: [(SheetColumn, &[&str]); 8] = [
    (
        SheetColumn::Id,
        &[
            "Identifier",
            "ID",
            "Identificador",
            "Identifiant",
            "Identificativo",
            "Número de identificação",
            "identyfikator",
            "Identificatie",
            "Identifikatzailea",
            "Identifierare",
            "Identificator",
            "Identifikatorius",
            "Tanımlayıcı",
            "Αναγνωριστικό",
            "Идентификатор",
            "Ідентифікатор",
            "المُعرَّف",
            "标识符",
            "식별자",
        ],
    ),
    (
        SheetColumn::Name,
        &[
            "Full name",
            "Vollständiger Name",
            "Nombre completo",
            "Nom complet",
            "Nome",
            "Nome completo",
            "Pełna nazwa",
            "Volledige naam",
            "フルネーム",
            "名称",
            "Izen osoa",
            "Fullständigt namn",
            "Nume complet",
            "Visas pavadinimas",
            "Tam adı",
            "Πλήρες όνομα",
            "Полное имя",
            "Повна назва",
            "ًالاسم كاملا",
            "全名",
            "전체 이름",
        ],
    ),
    (
        SheetColumn::Email,
        &[
            "Email address",
            "E-Mail-Adresse",
            "Dirección de correo",
            "Adresse de courriel",
            "Indirizzo email",
            "E-mail",
            "Endereço de e-mail",
            "E-mailadres",
            "メールアドレス",
            "Adreça electrònica",
            "Helbide elektronikoa",
            "Enderezo de correo",
            "E-postadress",
            "Adresa de e-mail",
            "El. pašto adresas",
            "E-posta adresi",
            "Διεύθυνση ηλε.ταχυδρομείου",
            "Адрес электронной почты",
            "Електронна пошта",
            "عنوان البريد الإلكتروني",
            "电子邮件地址",
            "이메일 주소",
        ],
    ),
    (
        SheetColumn::Status,
        &[
            "Status",
            "Estado",
            "Statut",
            "Stato",
            "ステータス",
            "状態",
            "Estat",
            "Egoera",
            "Būsena",
            "Durum",
            "Κατάσταση",
            "Статус",
            "الحالة",
            "状态",
            "상태",
        ],
    ),
    (
        SheetColumn::Group,
        &[
            "Group",
            "Gruppe",
            "Grupo",
            "Groupe",
            "Gruppo",
            "Grupa",
            "Groep",
            "グループ",
            "Grup",
            "Taldea",
            "Grupp",
            "Grupė",
            "Ομάδα",
            "Группы",
            "Група",
            "المجموعة",
            "小组",
            "그룹",
        ],
    ),
    (
        SheetColumn::Grade,
        &[
            "Grade",
            "Bewertung",
            "Calificación",
            "Note",
            "Valutazione",
            "Avaliação",
            "Nota",
            "Ocena",
            "Cijfer",
            "評点",
            "Qualificació",
            "Kalifikazioa",
            "Cualificación",
            "Betyg",
            "Notă",
            "Įvertinimas",
            "Not",
            "Βαθμός",
            "Оценка",
            "Оцінка",
            "الدرجة",
            "成绩",
            "성적",
        ],
    ),
    (
        SheetColumn::Max,
        &[
            "Maximum grade",
            "Bestwertung",
            "Calificación máxima",
            "Note maximale",
            "Valutazione massima",
            "Nota máxima",
            "Maksymalna ocena",
            "Maximaal cijfer",
            "最大評点",
            "Qualificació màxima",
            "Gehieneko kalifikazioa",
            "Cualificación máxima",
            "Maxbetyg",
            "Notă maximă",
            "Didžiausias įvertinimas",
            "Enyüksek not",
            "Μέγιστος Βαθμός",
            "Максимальная оценка",
            "Максимальна оцінка",
            "أعلى تقدير",
            "最高分",
            "최대 성적",
        ],
    ),
    (
        SheetColumn::Feedback,
        &[
            "Feedback comments",
            "Feedback als Kommentar",
            "Comentarios de retroalimentación",
            "Feedback par commentaires",
            "Commenti",
            "Comentários de feedback",
            "Komentarz zwrotny",
            "Feedback tekstvak",
            "フィードバックコメント",
            "Comentaris de retroacció.",
            "Feedback-iruzkinak",
            "Comentarios",
            "Återkopplingskommentarer",
            "Comentarii de feedback",
            "Grįžtamojo ryšio komentarai",
            "Geri bildirim yorumları",
            "Σχόλια ανατροφοδότησης",
            "Отзыв в виде комментария",
            "Відгук - коментарем",
            "تعليقات الإفادة",
            "反馈意见",
            "피드백 코멘트",
        ],
    ),
];

/// The names that the packs give to the column that contains the words of a scale instead of the highest grade.
const SCALES: [&str; 16] = [
    "Scale",
    "Skala",
    "Escala",
    "Barème",
    "Scala",
    "Schaal",
    "評価尺度",
    "Eskala",
    "المقياس",
    "Шкала",
    "量表",
    "Skalė",
    "Ölçek",
    "Κλίμακα",
    "Scală",
    "척도",
];

/// The words that the packs use for a late submission; each is a part of a status.
const LATE: [&str; 20] = [
    "late",
    "zu spät",
    "después",
    "en retard",
    "in ritardo",
    "atrasado",
    "po terminie",
    "laat",
    "遅く提出",
    "tard",
    "beranduago",
    "fora de prazo",
    "sent",
    "întârziere",
    "vėluojama",
    "sonrası",
    "αργά",
    "Срок выполнения закончился",
    "пізніше",
    "متأخر",
];

/// `text` without surrounding white space, in lower case, and with a single spelling of letters that Unicode can
/// represent in several ways.
fn folded(text: &str) -> String {
    text.trim().to_lowercase().nfc().collect()
}

/// Whether `header` is one of the known names of `column`. Case is ignored.
pub(super) fn is_header_of(column: SheetColumn, header: &str) -> bool {
    let header = folded(header);
    HEADERS
        .iter()
        .filter(|(known, _)| *known == column)
        .any(|(_, names)| names.iter().any(|name| folded(name) == header))
}

/// Whether `header` is the header of a column with the words of a scale.
pub(super) fn is_scale(header: &str) -> bool {
    let header = folded(header);
    SCALES.iter().any(|name| folded(name) == header)
}

/// Whether the status of a submission says that it was late. The part about lateness comes after the status itself.
pub(super) fn is_late(status: &str) -> bool {
    let status = folded(status);
    let Some((_, behind)) = status.split_once(" - ") else { return status.split(' ').any(|word| word == "late") };
    LATE.iter().any(|late| {
        let late = folded(late);
        let is_ascii_word = late.is_ascii() && !late.contains(' ');
        if is_ascii_word {
            behind.split(|c: char| !c.is_alphanumeric()).any(|word| word == late)
        } else {
            behind.contains(&late)
        }
    }) || behind.starts_with('迟')
        || behind.ends_with("늦음")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_belongs_to_two_columns() {
        let all: Vec<(SheetColumn, &str)> =
            HEADERS.iter().flat_map(|(column, names)| names.iter().map(|name| (*column, *name))).collect();
        for (column, name) in &all {
            assert!(
                is_header_of(*column, &format!(" {} ", name.to_uppercase()))
                    || name.to_uppercase().to_lowercase() != folded(name)
            );
            assert!(!all.iter().any(|(other, same)| other != column && folded(same) == folded(name)), "{name}");
            assert!(!is_scale(name), "{name}");
        }
        assert!(HEADERS.iter().all(|(column, names)| names[0] == column.header()));
    }

    #[test]
    fn late_submissions_are_known_by_the_words_behind_the_status() {
        for status in [
            "Submitted for grading - 2 days 3 hours late",
            "Zur Bewertung abgegeben - 36 Tage 10 Stunden zu spät -  - ",
            "Remis pour évaluation - En retard de 2 heures",
            "評定のために提出済み - 2 日 遅く提出",
            "Przesłane do oceny - 1 dzień po terminie",
            "Submitted for grading - Late",
        ] {
            assert!(is_late(status), "{status}");
        }
        for status in [
            "Submitted for grading",
            "No submission",
            "Zur Bewertung abgegeben -  - ",
            "Submitted for grading - Graded",
            "Latest",
        ] {
            assert!(!is_late(status), "{status}");
        }
    }
}
