//! The names and strings in the constant pool of a compiled Java class.

/// The name of the class in `bytes`, with `/` between its parts, followed by the strings in its constant pool, one per
/// line: names and types of methods, and string literals. Returns `None` if `bytes` is not a class file.
pub fn class_text(bytes: &[u8]) -> Option<String> {
    let mut reader = ClassBytes(bytes);
    if reader.number(4)? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let count = usize::try_from(reader.number(2)?).ok()?;
    let mut texts: Vec<Option<&str>> = vec![None; count];
    let mut classes: Vec<Option<usize>> = vec![None; count];
    let mut index = 1;
    while index < count {
        // JVM specification, 4.4: the number of bytes after each tag.
        let tag = reader.number(1)?;
        match tag {
            1 => {
                let length = usize::try_from(reader.number(2)?).ok()?;
                texts[index] = str::from_utf8(reader.take(length)?).ok();
            }
            7 => classes[index] = usize::try_from(reader.number(2)?).ok(),
            8 | 16 | 19 | 20 => reader.skip(2)?,
            15 => reader.skip(3)?,
            3 | 4 | 9..=12 | 17 | 18 => reader.skip(4)?,
            5 | 6 => reader.skip(8)?,
            _ => return None,
        }
        // A long or a double takes up two entries.
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
    }
    reader.skip(2)?;
    let own = usize::try_from(reader.number(2)?).ok()?;
    let name = texts.get((*classes.get(own)?)?).copied().flatten()?;
    let all = texts.iter().flatten().map(|text| text.replace(['\n', '\r'], " "));
    Some([name.to_owned()].into_iter().chain(all).collect::<Vec<_>>().join("\n"))
}

struct ClassBytes<'b>(&'b [u8]);

impl<'b> ClassBytes<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.take(length).map(drop)
    }

    /// The big-endian number in the next `length` bytes, at most four.
    fn number(&mut self, length: usize) -> Option<u32> {
        Some(self.take(length)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of the class file that javac would write for the class `name` with the strings `others`.
    pub(crate) fn class(name: &str, others: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61];
        let texts: Vec<&str> = [name].into_iter().chain(others.iter().copied()).collect();
        bytes.extend(u16::try_from(texts.len() + 4).expect("few").to_be_bytes());
        bytes.extend([7, 0, 4, 5, 0, 0, 0, 0, 0, 0, 0, 1]);
        for text in texts {
            bytes.push(1);
            bytes.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
            bytes.extend(text.bytes());
        }
        bytes.extend([0, 0x21, 0, 1, 0, 0]);
        bytes
    }

    #[test]
    fn a_class_tells_its_name_and_its_constants() {
        let bytes = class("a/Bot", &["main", "two\nlines"]);
        assert_eq!(class_text(&bytes).as_deref(), Some("a/Bot\na/Bot\nmain\ntwo lines"));
        for cut in 0..bytes.len() - 2 {
            assert_eq!(class_text(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(class_text(b"PK\x03\x04"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_do_any_harm(bytes: Vec<u8>) {
            let _ = class_text(&[&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61][..], &bytes].concat());
        }
    }
}
