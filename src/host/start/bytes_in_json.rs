//! Paths and environment variables in JSON. They can contain bytes that are not UTF-8, so each byte is written as the
//! character with the same code.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that can be written as text without loss.
pub(in crate::host) trait Bytes: Sized {
    /// The JSON form of the value.
    type Json: Serialize + DeserializeOwned;

    fn text(&self) -> Self::Json;

    /// The value with this JSON form; `None` if there is none.
    fn of(text: Self::Json) -> Option<Self>;
}

impl Bytes for OsString {
    type Json = String;

    fn text(&self) -> String {
        self.as_bytes().iter().copied().map(char::from).collect()
    }

    fn of(text: String) -> Option<Self> {
        let bytes: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(character).ok()).collect();
        bytes.map(Self::from_vec)
    }
}

impl Bytes for PathBuf {
    type Json = String;

    fn text(&self) -> String {
        self.as_os_str().to_owned().text()
    }

    fn of(text: String) -> Option<Self> {
        OsString::of(text).map(Self::from)
    }
}

impl<A: Bytes, B: Bytes> Bytes for (A, B) {
    type Json = (A::Json, B::Json);

    fn text(&self) -> Self::Json {
        (self.0.text(), self.1.text())
    }

    fn of((first, second): Self::Json) -> Option<Self> {
        Some((A::of(first)?, B::of(second)?))
    }
}

impl<T: Bytes> Bytes for Vec<T> {
    type Json = Vec<T::Json>;

    fn text(&self) -> Self::Json {
        self.iter().map(T::text).collect()
    }

    fn of(texts: Self::Json) -> Option<Self> {
        texts.into_iter().map(T::of).collect()
    }
}

/// For `#[serde(with = "bytes_in_json")]`.
pub(in crate::host) fn serialize<S: Serializer>(value: &impl Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    value.text().serialize(serializer)
}

/// For `#[serde(with = "bytes_in_json")]`.
pub(in crate::host) fn deserialize<'de, T: Bytes, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::of(T::Json::deserialize(deserializer)?)
        .ok_or_else(|| D::Error::custom("a character that does not represent a byte"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all = OsString::from_vec((1..=255).collect());
        let value = vec![(all.clone(), PathBuf::from(all)), (OsString::new(), PathBuf::from("/tmp/Übung"))];
        let json = serde_json::to_string(&value.text()).expect("text");
        let back = Vec::of(serde_json::from_str(&json).expect("the same text"));
        assert_eq!(back, Some(value));
        assert_eq!(OsString::of("Ā".to_owned()), None);
    }
}
