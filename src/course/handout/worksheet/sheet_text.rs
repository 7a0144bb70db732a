//! The text of a worksheet, from which every byte can be reproduced.

use std::ops::Range;

/// The encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Utf8,
    /// One byte per character, as in Windows-1252. Only ASCII has the same meaning in all of these encodings.
    SingleByte,
    Utf16Little,
    Utf16Big,
}

/// The text of a file in units of its encoding: bytes, or pairs of bytes in UTF-16.
#[derive(Clone, Debug)]
pub(super) struct SheetText {
    coding: Coding,
    /// The number of units in the byte order mark.
    mark: usize,
    units: Vec<u16>,
}

/// A part of the text that is to be replaced by ASCII text.
#[derive(Clone, Debug)]
pub(super) struct CellEdit {
    pub(super) units: Range<usize>,
    pub(super) text: String,
}

impl SheetText {
    /// Reads a file. Returns `None` if it begins as UTF-16 and ends with half a unit.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let wide = |little: bool| {
            let unit = |pair: &[u8; 2]| if little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
            let (pairs, rest) = bytes.as_chunks::<2>();
            let coding = if little { Coding::Utf16Little } else { Coding::Utf16Big };
            rest.is_empty().then(|| Self { coding, mark: 1, units: pairs.iter().map(unit).collect() })
        };
        if bytes.starts_with(&[0xff, 0xfe]) {
            return wide(true);
        }
        if bytes.starts_with(&[0xfe, 0xff]) {
            return wide(false);
        }
        let coding = if std::str::from_utf8(bytes).is_ok() { Coding::Utf8 } else { Coding::SingleByte };
        let mark = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
        Some(Self { coding, mark, units: bytes.iter().map(|&byte| byte.into()).collect() })
    }

    /// The units after the byte order mark.
    pub(super) fn body(&self) -> Range<usize> {
        self.mark..self.units.len()
    }

    /// The unit at `place`, if it is an ASCII character.
    pub(super) fn ascii(&self, place: usize) -> Option<u8> {
        self.units.get(place).and_then(|&unit| u8::try_from(unit).ok()).filter(u8::is_ascii)
    }

    /// The characters that `units` encode.
    pub(super) fn decoded(&self, units: Range<usize>) -> String {
        let units = &self.units[units];
        let bytes = || units.iter().map(|&unit| unit.to_le_bytes()[0]);
        match self.coding {
            Coding::Utf8 => String::from_utf8_lossy(&bytes().collect::<Vec<u8>>()).into_owned(),
            Coding::SingleByte => bytes().map(windows_1252).collect(),
            Coding::Utf16Little | Coding::Utf16Big => String::from_utf16_lossy(units),
        }
    }

    /// The bytes of the file after applying `edits`, which must be in order and not overlap. All other bytes stay as
    /// they were read.
    pub(super) fn edited(&self, edits: &[CellEdit]) -> Vec<u8> {
        let mut units = Vec::with_capacity(self.units.len());
        let mut at = 0;
        for edit in edits {
            units.extend(&self.units[at..edit.units.start]);
            units.extend(edit.text.bytes().map(u16::from));
            at = edit.units.end;
        }
        units.extend(&self.units[at..]);
        match self.coding {
            Coding::Utf8 | Coding::SingleByte => units.into_iter().map(|unit| unit.to_le_bytes()[0]).collect(),
            Coding::Utf16Little => units.into_iter().flat_map(u16::to_le_bytes).collect(),
            Coding::Utf16Big => units.into_iter().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// The character of `byte` in Windows-1252, or in ISO 8859-1 if Windows-1252 does not define it.
fn windows_1252(byte: u8) -> char {
    /// The characters of the bytes from 0x80 to 0x9f.
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_byte_of_every_file_comes_back(bytes: Vec<u8>, start in prop::sample::select(vec![
            &b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff",
        ])) {
            let file = [start, &bytes].concat();
            if let Some(text) = SheetText::read(&file) {
                prop_assert_eq!(text.edited(&[]), file);
                text.decoded(text.body());
            } else {
                prop_assert!(file.len() % 2 == 1);
            }
        }
    }

    #[test]
    fn what_replaces_a_part_is_in_the_coding_of_the_file() {
        let edit =
            |text: &SheetText| text.edited(&[CellEdit { units: text.mark + 1..text.mark + 2, text: "7".to_owned() }]);
        for (file, edited) in [
            (&b"\xef\xbb\xbfa-\xc3\xa4"[..], &b"\xef\xbb\xbfa7\xc3\xa4"[..]),
            (b"a-\xe4", b"a7\xe4"),
            (b"\xff\xfea\0-\0\xe4\0", b"\xff\xfea\x007\0\xe4\0"),
            (b"\xfe\xff\0a\0-\0\xe4", b"\xfe\xff\0a\x007\0\xe4"),
        ] {
            let text = SheetText::read(file).expect("a text");
            assert_eq!(edit(&text), edited);
            assert!(text.decoded(text.body()).ends_with('\u{e4}'));
        }
        assert!(SheetText::read(b"\xff\xfea").is_none());
        let single = SheetText::read(b"\x8aimon \x92\x80\xe4\x81").expect("a text");
        assert_eq!(single.decoded(single.body()), "Šimon ’€ä\u{81}");
    }
}
