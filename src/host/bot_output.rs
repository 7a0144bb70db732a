//! The output of a bot other than its moves.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::host::ply_offsets::PlyOffsets;

/// The output of a bot other than its moves.
///
/// This is serialised as an object that contains both outputs in base64, and each turn as a pair of a ply and an
/// offset. If the turns are out of order when an object is read, all of them are discarded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotOutput {
    /// The output to stdout, unless stdout was the bot's connection.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub stdout: Vec<u8>,
    /// The output to stderr.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub stderr: Vec<u8>,
    /// The offset in `stderr` at which each turn of the bot begins.
    #[serde(serialize_with = "to_pairs", deserialize_with = "from_pairs")]
    pub turns: PlyOffsets,
}

impl BotOutput {
    /// Whether the bot wrote nothing.
    pub fn is_empty(&self) -> bool {
        self.stdout.is_empty() && self.stderr.is_empty()
    }
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

fn to_pairs<S: Serializer>(turns: &PlyOffsets, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(turns.turns())
}

fn from_pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PlyOffsets, D::Error> {
    Ok(PlyOffsets::new(Vec::deserialize(deserializer)?).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive_json_and_turns_out_of_order_do_not() {
        let turns = PlyOffsets::new(vec![(1, 0), (3, 2)]).expect("in order");
        let output = BotOutput { stdout: b"ready\n".to_vec(), stderr: vec![0xff, 1], turns };
        let json = serde_json::to_string(&output).expect("an object");
        assert_eq!(json, r#"{"stdout":"cmVhZHkK","stderr":"/wE=","turns":[[1,0],[3,2]]}"#);
        assert_eq!(serde_json::from_str::<BotOutput>(&json).expect("read back"), output);
        let turned = json.replace("[[1,0],[3,2]]", "[[3,2],[1,0]]");
        let read: BotOutput = serde_json::from_str(&turned).expect("read back");
        assert_eq!(read, BotOutput { turns: PlyOffsets::default(), ..output });
        assert!(serde_json::from_str::<BotOutput>(&json.replace('/', "?")).is_err());
    }
}
