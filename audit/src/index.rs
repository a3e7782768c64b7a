//! The index of a compressed segment: the blocks that contain a run, a call, a role or a tool.
//!
//! It only makes searches quick. Nothing is verified with it, and it can be deleted at any time.

use std::collections::BTreeSet;

use crate::Entry;

/// The begin of the file, with the version of the format.
const FORMAT: &[u8; 8] = b"TWAIDX1\n";

/// The length of a block's record: its place, its first and its last second.
const BLOCK_RECORD: usize = 24;

/// The length of a posting: the hash of a value, and the number of a block.
const POSTING: usize = 12;

/// A field that is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The run.
    Run = 1,
    /// The id of a call, also of the one that made a call.
    Call = 2,
    /// The role.
    Role = 3,
    /// The tool.
    Tool = 4,
}

/// The index of a compressed segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    content: Vec<u8>,
    blocks: usize,
}

/// A block of a compressed segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its number in the segment, from 0.
    pub number: u32,
    /// Its first byte in the file.
    pub offset: u64,
    /// The second of its earliest event.
    pub earliest: i64,
    /// The second of its latest event.
    pub latest: i64,
}

/// Builds an index.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    blocks: Vec<(u64, i64, i64)>,
    postings: BTreeSet<(u64, u32)>,
}

impl Builder {
    /// Begins the block at a place of the compressed file.
    pub(crate) fn begin_block(&mut self, offset: u64) {
        self.blocks.push((offset, i64::MAX, i64::MIN));
    }

    /// Adds an event of the block.
    pub(crate) fn add(&mut self, entry: &Entry<'_>) {
        let number = u32::try_from(self.blocks.len().saturating_sub(1)).unwrap_or(u32::MAX);
        if let (Some((_, earliest, latest)), Some(time)) = (self.blocks.last_mut(), entry.time) {
            *earliest = (*earliest).min(time.as_second());
            *latest = (*latest).max(time.as_second());
        }
        let values = [
            (Field::Run, &entry.run),
            (Field::Call, &entry.correlation_id),
            (Field::Call, &entry.parent),
            (Field::Role, &entry.role),
            (Field::Tool, &entry.tool),
        ];
        for (field, value) in values {
            if let Some(value) = value {
                self.postings.insert((hash(field, value), number));
            }
        }
    }

    /// Returns the index of a compressed file of this length.
    pub(crate) fn finish(self, length: u64) -> Index {
        let mut content = FORMAT.to_vec();
        content.extend(length.to_le_bytes());
        content.extend((self.blocks.len() as u64).to_le_bytes());
        for (offset, earliest, latest) in &self.blocks {
            content.extend(offset.to_le_bytes());
            content.extend(earliest.to_le_bytes());
            content.extend(latest.to_le_bytes());
        }
        for (hash, block) in &self.postings {
            content.extend(hash.to_le_bytes());
            content.extend(block.to_le_bytes());
        }
        Index {
            content,
            blocks: self.blocks.len(),
        }
    }
}

impl Index {
    /// Reads an index. Returns none if it does not belong to a compressed file of this length.
    pub(crate) fn decode(content: Vec<u8>, length: u64) -> Option<Self> {
        let rest = content.strip_prefix(FORMAT)?;
        let (own, rest) = rest.split_first_chunk()?;
        let (blocks, rest) = rest.split_first_chunk()?;
        let blocks = usize::try_from(u64::from_le_bytes(*blocks)).ok()?;
        let postings = rest.len().checked_sub(blocks.checked_mul(BLOCK_RECORD)?)?;
        if u64::from_le_bytes(*own) != length || postings % POSTING != 0 {
            return None;
        }
        Some(Self { content, blocks })
    }

    pub(crate) fn encoded(&self) -> &[u8] {
        &self.content
    }

    /// Returns the blocks that may contain all of these values; all blocks if there are none.
    #[must_use]
    pub fn find(&self, values: &[(Field, &str)]) -> Vec<Block> {
        let mut found: Option<BTreeSet<u32>> = None;
        for (field, value) in values {
            let blocks = self.blocks_of(hash(*field, value));
            found = Some(match found {
                None => blocks,
                Some(found) => found.intersection(&blocks).copied().collect(),
            });
        }
        match found {
            None => self.blocks().collect(),
            Some(found) => self
                .blocks()
                .filter(|block| found.contains(&block.number))
                .collect(),
        }
    }

    fn blocks(&self) -> impl Iterator<Item = Block> {
        let begin = FORMAT.len() + 16;
        let records = self.content.get(begin..begin + self.blocks * BLOCK_RECORD);
        let (records, _) = records.unwrap_or_default().as_chunks::<BLOCK_RECORD>();
        records.iter().zip(0..).filter_map(|(record, number)| {
            let (offset, rest) = record.split_first_chunk()?;
            let (earliest, rest) = rest.split_first_chunk()?;
            let (latest, _) = rest.split_first_chunk()?;
            Some(Block {
                number,
                offset: u64::from_le_bytes(*offset),
                earliest: i64::from_le_bytes(*earliest),
                latest: i64::from_le_bytes(*latest),
            })
        })
    }

    fn blocks_of(&self, hash: u64) -> BTreeSet<u32> {
        let begin = FORMAT.len() + 16 + self.blocks * BLOCK_RECORD;
        let (postings, _) = self
            .content
            .get(begin..)
            .unwrap_or_default()
            .as_chunks::<POSTING>();
        let read = |posting: &[u8; POSTING]| {
            let (hash, block) = posting.split_first_chunk()?;
            let (block, _) = block.split_first_chunk()?;
            Some((u64::from_le_bytes(*hash), u32::from_le_bytes(*block)))
        };
        let first = postings.partition_point(|posting| read(posting) < Some((hash, 0)));
        let rest = postings.get(first..).unwrap_or_default().iter();
        rest.map_while(read)
            .take_while(|(found, _)| *found == hash)
            .map(|(_, block)| block)
            .collect()
    }
}

/// Returns the FNV-1a hash of a value of a field. Two values with one hash cost time, no more.
fn hash(field: Field, value: &str) -> u64 {
    let bytes = [field as u8].into_iter().chain(value.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
