//! CSV with a line for each player.

use super::column::{TableColumn, csv_fields, csv_header};

/// A header, and a record for each player.
pub(super) struct CsvSheet {
    records: Vec<Vec<String>>,
}

impl CsvSheet {
    /// A sheet for `players` players, without columns.
    pub(super) fn new(players: usize) -> Self {
        Self { records: vec![Vec::new(); players + 1] }
    }

    /// Adds `columns`, with `prefix` before each name. `rows` contains one row for each player, in order.
    pub(super) fn add<R: Copy>(
        &mut self,
        prefix: &str,
        columns: &[TableColumn<'_, R>],
        rows: impl IntoIterator<Item = Option<R>>,
    ) {
        self.records[0].extend(csv_header(columns, prefix));
        for (record, row) in self.records[1..].iter_mut().zip(rows) {
            record.extend(csv_fields(columns, row));
        }
    }

    /// The header and the records.
    pub(super) fn into_records(self) -> Vec<Vec<String>> {
        self.records
    }
}

/// Records as CSV. Each line ends with a newline.
pub(super) fn text_of<R, F>(records: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item = F>,
    F: AsRef<[u8]>,
{
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("records have equal lengths, and writing to memory does not fail");
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("CSV written from text is text")
}
