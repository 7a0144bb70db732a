//! A finished table as a file.
//!
//! A file consists of a header, an index and the entries of the layers from the empty board upwards, block by block, in
//! one byte each. The header is text, padded with empty lines to [`HEADER`] bytes. It contains the size of the board,
//! the number of layers in the file, the counts and the digest of every layer of the build, the digest of the index,
//! and the digest of the header up to that point. For each block in order, the index contains the set of empty points
//! in four bytes, lowest byte first.
//!
//! A file with the margins in the program is not written by a build. Its header describes only the layers in the file,
//! and contains only the numbers of positions that are won, drawn and lost.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::classes::Classes;
use super::entry::{ILLEGAL, LARGEST};
use super::known::MarginSource;
use super::layer_files::{BlockDigest, LayerTotal};
use super::numbering::{EntryPlace, Numbering};
use super::tally::{Counts, LayerTally};
use crate::base::files::temporary_in;
use crate::base::held_dir::open_named_file;
use crate::base::hex::{self, hex};
use crate::base::machine;
use crate::base::sanitise::{Shown as _, sanitised};

/// The length of the header in bytes.
pub const HEADER: usize = 8192;

/// The first line: the kind of file, and the version of the format.
const MAGIC: &str = "gothello-arena margins of gothello, format ";
const VERSION: &str = "1";

/// The command that builds the file.
pub const BUILD: &str = "gothello-arena tablebase build gothello";

/// The reason why a file of margins cannot be used.
#[derive(Debug, Error)]
pub enum MarginFileError {
    /// There is no such file.
    #[error("there is no file")]
    Missing,
    /// The file cannot be opened or read.
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    /// The table is for a smaller board.
    #[error("it is the table for another board, not for 5x5 points")]
    AnotherBoard,
    /// The file does not begin with a header.
    #[error("it is not a table of Gothello's margins")]
    Foreign,
    /// The file was written by another version of this program.
    #[error("it uses a different version of the table format (`{}`)", sanitised(.0))]
    OtherVersion(String),
    /// The header or the index cannot be understood, or a digest is wrong.
    #[error("its header or its index is damaged")]
    Header,
    /// The file is too short or too long.
    #[error("it is {found} bytes long instead of {expected}; it may have been truncated when it was copied")]
    Length {
        /// The length of the file.
        found: u64,
        /// The length according to the header.
        expected: u64,
    },
}

/// A table in the cache that cannot be used.
#[derive(Debug, Error)]
#[error("the table in `{}` is not used: {source} (rebuild it with `{BUILD}`)", file.shown())]
pub struct UnusableMargins {
    file: PathBuf,
    source: MarginFileError,
}

impl MarginFileError {
    /// Whether a new table may replace the file, because there is no file or because the file is a table. The owner may
    /// want to keep any other file.
    pub const fn is_replaceable(&self) -> bool {
        !matches!(self, Self::Unreadable(_) | Self::Foreign)
    }
}

/// The information in a file about its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarginHeader {
    /// The number of files of the board, which is also the number of ranks.
    pub size: u8,
    /// The maximum number of stones of a position in the file.
    pub kept: u32,
    /// The layers of the whole build, or only those in the file, ordered by the number of stones.
    pub layers: Vec<LayerTotal>,
    /// The digest of the index.
    pub index: BlockDigest,
}

impl MarginHeader {
    /// The layers whose entries are in the file.
    pub fn kept_layers(&self) -> impl Iterator<Item = &LayerTotal> {
        self.layers.iter().take_while(|layer| layer.stones <= self.kept)
    }

    /// The number of entries in the file.
    pub fn entries(&self) -> u64 {
        self.kept_layers().map(|layer| layer.blocks << layer.stones).sum()
    }

    /// The length of the index in bytes.
    fn index_bytes(&self) -> u64 {
        self.kept_layers().map(|layer| layer.blocks * 4).sum()
    }

    fn parse(bytes: &[u8]) -> Result<Self, MarginFileError> {
        let text = std::str::from_utf8(bytes).map_err(|_| MarginFileError::Foreign)?;
        let (first, _) = text.split_once('\n').ok_or(MarginFileError::Foreign)?;
        let version = first.strip_prefix(MAGIC).ok_or(MarginFileError::Foreign)?;
        if version != VERSION {
            return Err(MarginFileError::OtherVersion(version.chars().take(20).collect()));
        }
        let header = Self::parse_lines(text).ok_or(MarginFileError::Header)?;
        if header.is_in(bytes) { Ok(header) } else { Err(MarginFileError::Header) }
    }

    /// Whether a file that begins with `bytes` has this header. The text of a header with impossible counts may be
    /// longer than [`HEADER`].
    fn is_in(&self, bytes: &[u8]) -> bool {
        let padding = bytes.strip_prefix(self.to_string().as_bytes());
        bytes.len() == HEADER && padding.is_some_and(|padding| padding.iter().all(|&byte| byte == b'\n'))
    }

    fn parse_lines(text: &str) -> Option<Self> {
        let mut lines = text.trim_end_matches('\n').lines().skip(1);
        let size: u8 = lines.next()?.strip_prefix("size ")?.parse().ok().filter(|size| (3..=5).contains(size))?;
        let kept = lines.next()?.strip_prefix("stones 0 to ")?.parse().ok()?;
        let points = u32::from(size) * u32::from(size);
        let (layers, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("layer "));
        let layers: Option<Vec<LayerTotal>> = layers.into_iter().map(layer).collect();
        let layers = layers.filter(|layers| layers.iter().zip(0..).all(|(layer, stones)| layer.stones == stones))?;
        let index = hex::parse(rest.first()?.strip_prefix("index sha256 ")?)?;
        let are_layers = kept < points && [points, kept + 1].contains(&u32::try_from(layers.len()).ok()?);
        // The numbers of blocks determine how much memory the index takes, and they are known for every board.
        let has_blocks = |layer: &LayerTotal| layer.blocks == Classes::number(size, points - layer.stones);
        (are_layers && layers.iter().all(has_blocks)).then_some(Self { size, kept, layers, index })
    }

    /// Whether the header describes the layers of a whole build.
    fn is_of_build(&self) -> bool {
        self.layers.len() == usize::from(self.size) * usize::from(self.size)
    }

    /// This header as it is stored in a file.
    fn padded(&self) -> Vec<u8> {
        let mut bytes = self.to_string().into_bytes();
        debug_assert!(bytes.len() < HEADER, "a line for a layer takes fewer than 300 bytes");
        bytes.resize(HEADER, b'\n');
        bytes
    }
}

/// Parses the line of a layer.
fn layer(line: &str) -> Option<LayerTotal> {
    let mut words = line.split(' ');
    let mut after = |name: &str| (words.next()? == name).then(|| words.next()).flatten();
    let stones = after("layer")?.parse().ok().filter(|&stones| stones < 25)?;
    let blocks = after("blocks")?.parse().ok()?;
    let mut numbers = [[0; Counts::FIELDS]; 2];
    for (numbers, name) in numbers.iter_mut().zip(["board", "classes"]) {
        let fields = after(name)?;
        for (number, field) in numbers.iter_mut().zip(fields.split('/')) {
            *number = field.parse().ok()?;
        }
    }
    let [of_board, of_classes] = numbers.map(Counts::from_array);
    let is_verified = match after("verified")? {
        "yes" => true,
        "no" => false,
        _ => return None,
    };
    let digest = hex::parse(after("sha256")?)?;
    Some(LayerTotal { stones, blocks, tally: LayerTally { of_classes, of_board }, digest, is_verified })
}

impl fmt::Display for MarginHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{MAGIC}{VERSION}\nsize {}\nstones 0 to {}\n", self.size, self.kept);
        let fields = if self.is_of_build() { Counts::FIELDS } else { 3 };
        for layer in &self.layers {
            let [board, classes] = [layer.tally.of_board, layer.tally.of_classes]
                .map(|counts| counts.to_array().map(|number| number.to_string())[..fields].join("/"));
            let verified = if layer.is_verified { "yes" } else { "no" };
            let digest = hex(&layer.digest);
            let LayerTotal { stones, blocks, .. } = layer;
            writeln!(
                text,
                "layer {stones} blocks {blocks} board {board} classes {classes} verified {verified} sha256 {digest}"
            )?;
        }
        writeln!(text, "index sha256 {}", hex(&self.index))?;
        let digest = hex(&Sha256::digest(&text));
        write!(f, "{text}header sha256 {digest}\n\n")
    }
}

/// A file of margins, open for lookups.
#[derive(Debug)]
pub struct MarginFile {
    file: File,
    header: MarginHeader,
    /// For each number of stones, where its layer begins in the file.
    offsets: Vec<u64>,
}

impl MarginFile {
    /// Opens the table in `file`. This checks its header and its length; to check its entries, see [`super::checking`].
    ///
    /// # Errors
    /// Returns an error that says why the table cannot be used.
    pub fn open(file: &Path) -> Result<Self, MarginFileError> {
        let mut file = open_named_file(file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => MarginFileError::Missing,
            _ => MarginFileError::Unreadable(error),
        })?;
        let mut bytes = Vec::with_capacity(HEADER);
        io::Read::by_ref(&mut file).take(HEADER as u64).read_to_end(&mut bytes).map_err(MarginFileError::Unreadable)?;
        let header = MarginHeader::parse(&bytes)?;
        let found = file.metadata().map_err(MarginFileError::Unreadable)?.len();
        let mut at = HEADER as u64 + header.index_bytes();
        let expected = at + header.entries();
        if found != expected {
            return Err(MarginFileError::Length { found, expected });
        }
        let mut index = Vec::new();
        io::Read::by_ref(&mut file)
            .take(header.index_bytes())
            .read_to_end(&mut index)
            .map_err(MarginFileError::Unreadable)?;
        if *Sha256::digest(&index) != header.index {
            return Err(MarginFileError::Header);
        }
        let offset = |layer: &LayerTotal| {
            let begin = at;
            at += layer.blocks << layer.stones;
            begin
        };
        let offsets = header.layers.iter().map(offset).collect();
        Ok(Self { file, header, offsets })
    }

    /// The table of Gothello at its [`default_place`], if there is one.
    ///
    /// # Errors
    /// Returns an error that says where the table is and why it cannot be used.
    pub fn cached() -> Result<Option<Self>, UnusableMargins> {
        let Some(file) = default_place(5) else { return Ok(None) };
        match Self::open(&file) {
            Ok(table) if table.header.size == 5 => Ok(Some(table)),
            Ok(_) => Err(UnusableMargins { file, source: MarginFileError::AnotherBoard }),
            Err(MarginFileError::Missing) => Ok(None),
            // The cache belongs to another user, whose `HOME` this process inherited.
            Err(MarginFileError::Unreadable(error)) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            Err(source) => Err(UnusableMargins { file, source }),
        }
    }

    /// The same table as [`MarginFile::cached`] returns. If it cannot be used, `tell` is called with the reason.
    pub fn cached_or(tell: impl FnOnce(UnusableMargins)) -> Option<Self> {
        Self::cached().unwrap_or_else(|unusable| {
            tell(unusable);
            None
        })
    }

    /// The information in the file about its table.
    pub const fn header(&self) -> &MarginHeader {
        &self.header
    }

    /// The margin at `place`, whose layer must be in the file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if the entry is not a possible margin.
    pub fn margin(&self, place: EntryPlace) -> io::Result<i8> {
        let mut byte = [0];
        let offset = self.offsets[place.stones as usize] + ((place.block as u64) << place.stones) + place.index as u64;
        self.file.read_exact_at(&mut byte, offset)?;
        let margin = i8::from_le_bytes(byte);
        if margin == ILLEGAL || margin.abs() <= LARGEST { Ok(margin) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// Reads the entries of a block into `entries`.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read_block(&self, stones: u32, block: usize, entries: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(entries, self.offsets[stones as usize] + ((block as u64) << stones))
    }
}

impl MarginSource for MarginFile {
    fn most_stones(&self) -> u32 {
        self.header.kept
    }

    fn entry(&self, place: EntryPlace) -> Option<i8> {
        self.margin(place).ok()
    }
}

/// The default location of the table for the board of `size` by `size` points, in the user's cache directory. `None` if
/// neither `XDG_CACHE_HOME` nor `HOME` is set to an absolute path.
pub fn default_place(size: u8) -> Option<PathBuf> {
    let name = if size == 5 { "gothello.table".to_owned() } else { format!("gothello-{size}x{size}.table") };
    Some(machine::cache_dir()?.join(name))
}

/// The index of the layers of up to `kept` stones.
pub fn index_of(numbering: &Numbering, kept: u32) -> Vec<u8> {
    (0..=kept).flat_map(|stones| numbering.layer(stones).sets()).flat_map(|set| set.to_le_bytes()).collect()
}

/// Writes a table to `file` in one step: `index`, and the entries of each layer that is kept. `layer` opens the entries
/// of the layer with a given number of stones.
///
/// # Errors
/// Fails if a layer cannot be read, if a layer does not match its digest, or if the file cannot be written; an older
/// file is then unchanged.
pub fn write<R: io::Read>(
    file: &Path,
    header: &MarginHeader,
    index: &[u8],
    mut layer: impl FnMut(u32) -> io::Result<R>,
) -> io::Result<()> {
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let mut written = io::BufWriter::new(temporary_in(dir)?);
    written.write_all(&header.padded())?;
    written.write_all(index)?;
    for total in header.kept_layers() {
        let (mut entries, mut digest) = (io::BufReader::new(layer(total.stones)?), Sha256::new());
        let mut block = vec![0; 1_usize << total.stones];
        for _ in 0..total.blocks {
            entries.read_exact(&mut block)?;
            digest.update(Sha256::digest(&block));
            written.write_all(&block)?;
        }
        if *digest.finalize() != total.digest {
            let what = format!("the {}-stone layer changed after it was computed; delete its files", total.stones);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
    }
    // The layers are deleted next, so the table must be on disk by then.
    let written = written.into_inner()?;
    written.as_file().sync_all()?;
    written.persist(file)?;
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use super::*;

    /// A header of the board of `size` by `size` points with these counts in each layer, and with the digest of an index
    /// of zeros.
    fn header(size: u8, counts: Counts) -> MarginHeader {
        let points = u32::from(size) * u32::from(size);
        let layer = |stones| LayerTotal {
            stones,
            blocks: Classes::number(size, points - stones),
            tally: LayerTally { of_classes: counts, of_board: counts },
            digest: [0; 32],
            is_verified: true,
        };
        let header = MarginHeader { size, kept: points - 1, layers: (0..points).map(layer).collect(), index: [0; 32] };
        with_zeros(header)
    }

    fn with_zeros(header: MarginHeader) -> MarginHeader {
        let index = vec![0; usize::try_from(header.index_bytes()).expect("small")];
        MarginHeader { index: Sha256::digest(index).into(), ..header }
    }

    /// Opens a file that begins with `text` and has the length that `header` claims. The rest is a sparse run of zeros.
    fn opened(text: &str, header: &MarginHeader) -> Result<MarginFile, MarginFileError> {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("table");
        let mut bytes = text.to_owned().into_bytes();
        assert!(bytes.len() < HEADER);
        bytes.resize(HEADER, b'\n');
        fs::write(&file, bytes).expect("written");
        let length = HEADER as u64 + header.index_bytes() + header.entries();
        OpenOptions::new().write(true).open(&file).expect("opened").set_len(length).expect("resized");
        MarginFile::open(&file)
    }

    #[test]
    fn a_header_that_claims_other_blocks_than_its_board_has_is_refused() {
        let sound = header(3, Counts::default());
        assert_eq!(opened(&sound.to_string(), &sound).expect("a table").header(), &sound);
        // The length of the file and the digest of the index agree with the header, so only the number of blocks is
        // wrong. An index of this many blocks would take 4 MiB.
        for (stones, blocks) in [(8, (1 << 20) - 1), (8, sound.layers[8].blocks + 1), (0, 0)] {
            let mut forged = sound.clone();
            forged.layers[stones].blocks = blocks;
            let forged = with_zeros(forged);
            let refused = opened(&forged.to_string(), &forged).expect_err("refused");
            assert!(matches!(refused, MarginFileError::Header), "{blocks} blocks: {refused}");
        }
    }

    #[test]
    fn counts_that_need_more_room_than_a_header_has_are_refused() {
        let counts = Counts::from_array([u64::MAX; Counts::FIELDS]);
        let header = MarginHeader { kept: 9, ..header(5, counts) };
        // The last counts of each layer are missing, so that the text fits.
        let last = format!("/{}", u64::MAX).repeat(3);
        let short: String = header.to_string().lines().map(|line| line.replacen(&last, "", 1) + "\n").collect();
        assert!(header.to_string().len() > HEADER && short.len() < HEADER);
        assert!(matches!(opened(&short, &header), Err(MarginFileError::Header)));
    }
}
