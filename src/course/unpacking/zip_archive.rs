//! ZIP archives.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use jiff::civil;
use jiff::tz::TimeZone;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{EntryKind, SourceEntry, Visit};

/// The maximum number of entries in an archive. The whole list is read into memory.
const MOST_ENTRIES: usize = 200_000;

/// The signature of an entry in the central directory at the end of an archive.
const SIGNATURE: &[u8; 4] = b"PK\x01\x02";

/// Calls `visit` for each entry of the archive in `file`, in the order of its central directory.
pub(super) fn each(file: &File, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    if signatures(file).map_err(damaged)? > MOST_ENTRIES {
        return Err(UnpackRefusal::TooManyEntries { most: MOST_ENTRIES }.into());
    }
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(of_zip)?;
    for index in 0..archive.len() {
        let data = archive.by_index_data(index).map_err(of_zip)?;
        // Some programs write UTF-8 without setting the flag for it.
        let name = match str::from_utf8(data.name_raw()) {
            Ok(name) => name.to_owned(),
            Err(_) => data.name().map_err(of_zip)?.into_owned(),
        };
        let mode = data.unix_mode().unwrap_or(0o644);
        let kind = match mode & 0o170_000 {
            0o120_000 => EntryKind::Link,
            0o040_000 => EntryKind::Directory,
            _ if data.is_dir() => EntryKind::Directory,
            0o100_000 | 0 => EntryKind::File,
            _ => EntryKind::Special,
        };
        if data.encrypted() {
            return Err(UnpackRefusal::Encrypted.into());
        }
        if !matches!(data.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(UnpackRefusal::Method.into());
        }
        let modified = data.last_modified().and_then(seconds).unwrap_or(0);
        let packed = data.compressed_size();
        let mut nothing = io::empty();
        let mut content;
        let reader: &mut dyn Read = if matches!(kind, EntryKind::File | EntryKind::Link) {
            content = archive.by_index(index).map_err(of_zip)?;
            &mut content
        } else {
            &mut nothing
        };
        let mut entry =
            SourceEntry { name: &name, kind, is_executable: mode & 0o100 != 0, modified, packed, content: reader };
        visit(&mut entry)?;
    }
    Ok(())
}

/// The number of times that the signature of a central directory entry occurs in the archive, which is at least the
/// number of entries.
fn signatures(mut file: &File) -> io::Result<usize> {
    file.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 256 << 10];
    let (mut kept, mut count) = (0, 0);
    loop {
        let read = file.read(&mut buffer[kept..])?;
        if read == 0 {
            break;
        }
        let end = kept + read;
        count += buffer[..end].windows(SIGNATURE.len()).filter(|window| window == SIGNATURE).count();
        // A signature may span two reads, but must not be counted twice.
        kept = end.min(SIGNATURE.len() - 1);
        buffer.copy_within(end - kept..end, 0);
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(count)
}

/// `time` in seconds since 1970, interpreted as UTC: ZIP archives do not record a time zone.
fn seconds(time: zip::DateTime) -> Option<i64> {
    let [year, month, day] = [time.year().cast_signed(), i16::from(time.month()), i16::from(time.day())];
    let [hour, minute, second] = [time.hour(), time.minute(), time.second()].map(u8::cast_signed);
    let date = civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    let time = civil::Time::new(hour, minute, second, 0).ok()?;
    Some(date.to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

fn damaged(error: io::Error) -> UnpackError {
    super::refusal::refusal_of(error).into()
}

fn of_zip(error: ZipError) -> UnpackError {
    match error {
        ZipError::Io(error) => damaged(error),
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            UnpackRefusal::Encrypted.into()
        }
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => UnpackRefusal::Method.into(),
        other => UnpackRefusal::Damaged { what: other.to_string() }.into(),
    }
}
