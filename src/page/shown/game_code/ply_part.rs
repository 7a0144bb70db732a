//! One part of a ply: a stone that is placed, or moved from one point to another.

/// The effect of a part of a ply, with points as numbers from 0. A pass has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PlyPart {
    /// The point that loses its stone.
    pub(super) emptied: Option<u8>,
    /// The point that gets a stone of the mover; `None` for a pass.
    pub(super) placed: Option<u8>,
    /// The points that change colour.
    pub(super) flips: Vec<u8>,
}

impl PlyPart {
    /// Writes the part's text.
    pub(super) fn write(&self, text: &mut String) {
        let Some(placed) = self.placed else {
            text.push('Z');
            return;
        };
        if let Some(emptied) = self.emptied {
            text.push(char::from(b'a' + emptied));
        }
        text.push(char::from(b'A' + placed));
        if !self.flips.is_empty() {
            text.push('(');
            text.extend(self.flips.iter().map(|&flip| char::from(b'A' + flip)));
            text.push(')');
        }
    }
}
