//! Key presses for the DevTools protocol.

use serde_json::{Value, json};

/// The keys that are called by a name instead of the character that they print: each with its name, its code, and that
/// character, if any.
const NAMED: [(&str, u32, &str); 11] = [
    ("Backspace", 8, ""),
    ("Tab", 9, ""),
    ("Enter", 13, "\r"),
    ("Escape", 27, ""),
    ("Space", 32, " "),
    ("End", 35, ""),
    ("Home", 36, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
];

/// The events of pressing and releasing `key`: a name such as `ArrowLeft`, or the character that it prints.
pub(super) fn press(key: &str) -> [Value; 2] {
    let (code, text) = NAMED.iter().find(|(name, ..)| *name == key).map_or_else(
        || (u32::from(key.to_uppercase().chars().next().expect("a key")), key),
        |(_, code, text)| (*code, *text),
    );
    let name = if key == "Space" { " " } else { key };
    let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
    [(down, text), ("keyUp", "")].map(|(event, text)| {
        let mut params = json!({ "type": event, "key": name, "windowsVirtualKeyCode": code });
        if !text.is_empty() {
            params["text"] = json!(text);
        }
        params
    })
}
