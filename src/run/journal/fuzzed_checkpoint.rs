//! The state in a checkpoint, read and written again without files and checksums, for the fuzz targets.

use super::Header;
use super::stored_ledger::StoredLedger;

/// Reads `state`, the state in the checkpoint of a journal that begins with `header` and has `lines` lines. Returns the
/// state as it would be written again, and the number of decided games in it; `None` if the state cannot be used.
pub(crate) fn restored(state: &[u8], header: Header, lines: u64) -> Option<(String, usize)> {
    let ledger = serde_json::from_slice::<StoredLedger>(state).ok()?.ledger(header, lines)?;
    let again = StoredLedger::of(&ledger).expect("a ledger from a checkpoint can be stored again");
    Some((serde_json::to_string(&again).expect("plain data"), ledger.finished()))
}
