//! The memory that requests need: estimated before they are parsed, and bounded.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    admission::Admission,
    shares::{Shares, semaphore},
};

/// The longest body of a request, in bytes.
pub(super) const LONGEST_BODY: usize = 4 << 20;

/// The most memory per byte of a message while it is handled: as bytes, as values, in canonical
/// form, and in the request to the service.
const PER_BYTE: usize = 8;

/// The most memory per value or field name, in addition to its bytes. Measured with messages of 4
/// MiB: 300 bytes for a number in a list, 350 for an empty object in a list, 550 for a field and
/// its name.
const PER_VALUE: usize = 350;

/// The memory that is left for requests, in KiB. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    all: usize,
    left: Arc<Semaphore>,
    shares: Arc<Shares>,
}

/// A part of the memory. It is returned when the last clone is dropped: the clones travel with the
/// request until its call has ended.
#[derive(Clone, Debug)]
pub(super) struct Reserved {
    _part: Arc<(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>)>,
}

/// The reason why memory cannot be reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// Other requests hold it.
    Now,
    /// There is not as much in all.
    Always,
}

impl Memory {
    /// Begins with all of it, in KiB.
    pub(super) fn new(kib: usize) -> Self {
        Self {
            all: kib,
            left: semaphore(kib),
            shares: Arc::new(Shares::new(kib)),
        }
    }

    /// All of it, in KiB.
    pub(super) const fn all(&self) -> usize {
        self.all
    }

    /// The part that is reserved, in KiB.
    pub(super) fn reserved(&self) -> usize {
        self.all.saturating_sub(self.left.available_permits())
    }

    /// Reserves memory for this many bytes of a client's request.
    pub(super) fn reserve(
        &self,
        bytes: usize,
        client: Option<&Admission>,
    ) -> Result<Reserved, Short> {
        let kib = bytes.div_ceil(1024);
        let share = self.shares.of(client);
        let most = share.as_ref().map_or(self.all, |_| self.shares.share());
        if kib > most {
            return Err(Short::Always);
        }
        let kib = u32::try_from(kib).map_err(|_| Short::Always)?;
        let part = |of: Arc<Semaphore>| of.try_acquire_many_owned(kib).map_err(|_| Short::Now);
        let own = share.map(part).transpose()?;
        let part = part(Arc::clone(&self.left))?;
        Ok(Reserved {
            _part: Arc::new((part, own)),
        })
    }
}

/// Estimates how many bytes of memory a JSON message takes at most while it is handled.
pub(super) fn estimate(message: &[u8]) -> usize {
    let values = values(message).saturating_mul(PER_VALUE);
    message
        .len()
        .saturating_mul(PER_BYTE)
        .saturating_add(values)
}

/// Counts the values and names of JSON without parsing it.
fn values(text: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped, mut opened) = (1, false, false, false);
    for byte in text {
        if in_string {
            in_string = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
            continue;
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            // A list or object that is not empty has one value more than commas.
            b']' | b'}' => {}
            _ if opened => count += 1,
            _ => {}
        }
        count += usize::from(matches!(byte, b',' | b':'));
        in_string = *byte == b'"';
        opened = matches!(byte, b'[' | b'{');
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (text, expected) in [
            ("0", 1),
            ("[]", 1),
            ("[ ]", 1),
            ("[0]", 2),
            ("[0, 0]", 3),
            ("[[], []]", 3),
            ("[[[0]]]", 4),
            (r#"{"a": 0}"#, 3),
            (r#"{"a": 0, "b": [1, 2]}"#, 7),
            (r#""[,,,{:\",,,""#, 1),
            (r#"["\\", ","]"#, 3),
        ] {
            assert_eq!(values(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn memory_is_returned_when_the_last_user_is_gone() {
        let memory = Memory::new(4);
        assert_eq!(memory.reserve(4097, None).unwrap_err(), Short::Always);
        let first = memory.reserve(2049, None).unwrap();
        let clone = first.clone();
        assert_eq!(memory.reserve(2048, None).unwrap_err(), Short::Now);
        drop(first);
        assert_eq!(memory.reserve(2048, None).unwrap_err(), Short::Now);
        drop(clone);
        assert!(memory.reserve(4096, None).is_ok());
    }

    #[test]
    fn a_client_cannot_take_the_memory_of_others() {
        let memory = Memory::new(4);
        let [one, other] = ["one", "other"].map(Admission::with_name);
        assert_eq!(memory.reserve(2049, Some(&one)).unwrap_err(), Short::Always);
        let _kept = memory.reserve(2048, Some(&one)).unwrap();
        assert_eq!(memory.reserve(1, Some(&one)).unwrap_err(), Short::Now);
        assert!(memory.reserve(2048, Some(&other)).is_ok());
    }
}
