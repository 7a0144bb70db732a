//! A data set as numpy arrays, in a ZIP file without compression.
//!
//! The format of an array is version 1.0 of "numpy.lib.format".

use std::io::{Cursor, Write as _};

use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::dataset::example::{DatasetExample, own};
use crate::dataset::label::UNKNOWN;
use crate::game::Side;

/// The data set exceeds the maximum size of a ZIP file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the data set is too large for NPZ, whose arrays are limited to 4 GiB each: write CSV or JSON lines")]
pub struct NpzTooLarge;

/// An array: its name, the type of its elements, its shape without the first axis, and its bytes.
struct NpzArray {
    name: &'static str,
    element: &'static str,
    shape: &'static [usize],
    bytes: Vec<u8>,
}

/// The data set as the bytes of a file.
///
/// # Errors
/// Fails if an array or the file is too large.
pub fn npz(examples: &[DatasetExample], has_values: bool) -> Result<Vec<u8>, NpzTooLarge> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644);
    let mut file = ZipWriter::new(Cursor::new(Vec::new()));
    for array in arrays(examples, has_values) {
        file.start_file(format!("{}.npy", array.name), options).map_err(|_| NpzTooLarge)?;
        file.write_all(&header(&array, examples.len())).map_err(|_| NpzTooLarge)?;
        file.write_all(&array.bytes).map_err(|_| NpzTooLarge)?;
    }
    Ok(file.finish().map_err(|_| NpzTooLarge)?.into_inner())
}

fn arrays(examples: &[DatasetExample], has_values: bool) -> Vec<NpzArray> {
    let column = |name, element, shape, of: &dyn Fn(&DatasetExample) -> Vec<u8>| NpzArray {
        name,
        element,
        shape,
        bytes: examples.iter().flat_map(of).collect(),
    };
    let signed = |values: &[i8]| values.iter().map(|value| value.cast_unsigned()).collect::<Vec<u8>>();
    let side = |side: Side| if side == Side::Black { 1 } else { -1 };
    let planes = |example: &DatasetExample| -> Vec<u8> {
        let own = own(&example.game);
        [1, -1, 0].iter().flat_map(|kind| own.map(|value| u8::from(value == *kind))).collect()
    };
    let mut all = vec![
        column("board", "|i1", &[25], &|example| {
            signed(&own(&example.game).map(|value| value * side(example.game.side())))
        }),
        column("planes", "|u1", &[3, 5, 5], &planes),
        column("to_move", "|i1", &[], &|example| signed(&[side(example.game.side())])),
        column("passed", "|u1", &[], &|example| vec![u8::from(example.game.passed())]),
        column("legal", "|u1", &[26], &|example| example.legal().to_vec()),
        column("best", "|u1", &[26], &|example| example.label.marks().to_vec()),
        column("winner", "|i1", &[], &|example| signed(&[example.label.winner])),
        column("margin", "|i1", &[], &|example| signed(&[example.label.margin.unwrap_or(UNKNOWN)])),
        column("empty", "|u1", &[], &|example| vec![u8::try_from(example.game.empty_points()).unwrap_or(u8::MAX)]),
        column("count", "<u4", &[], &|example| example.count.to_le_bytes().to_vec()),
        column("cls", "<u8", &[], &|example| example.class.to_le_bytes().to_vec()),
        column("split", "|u1", &[], &|example| vec![example.split as u8]),
    ];
    if has_values {
        all.push(column("values", "|i1", &[26], &|example| signed(&example.label.values(&example.game))));
    }
    all
}

/// The header of an array with `length` elements on its first axis, padded to a multiple of 64 bytes.
fn header(array: &NpzArray, length: usize) -> Vec<u8> {
    let shape = array.shape.iter().fold(String::new(), |shape, axis| format!("{shape} {axis},"));
    let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({length},{shape}), }}", array.element);
    let before = 10;
    let padded = (before + text.len() + 1).next_multiple_of(64) - before;
    text.extend(std::iter::repeat_n(' ', padded - text.len() - 1));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a header is short");
    [b"\x93NUMPY\x01\x00".as_slice(), &length.to_le_bytes(), text.as_bytes()].concat()
}
