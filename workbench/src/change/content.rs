//! The change of a file's content, in the child process: it reads the old content from an open file, and writes
//! the new one to another.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::fd::OwnedFd,
};

use serde::{Deserialize, Serialize};
use toolwright_commands::Failure;
use toolwright_sandbox::{JOBS, Job, RegisteredJob, Repeatable};

use super::Changed;
use crate::{diff, workspace::AccessError};

#[linkme::distributed_slice(JOBS)]
static CHANGE_CONTENT: RegisteredJob = RegisteredJob::new::<ChangeContent>();

/// The job that changes the content of a file. Its open files are those of [`Target::files`](super::Target::files).
pub(super) struct ChangeContent;

/// A change of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The path of the file, for the diff.
    pub(super) path: String,
    pub(super) change: Change,
    /// The size of the largest file, in bytes.
    pub(super) largest_file: u64,
}

/// The change of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Change {
    /// Replaces the content of a file, which must exist.
    Write { content: String },
    /// Replaces a string in a file, which must occur once, unless all occurrences are replaced.
    Edit { old: String, new: String, all: bool },
    /// Creates a file, which must not exist.
    Create { content: String, executable: bool },
    /// Deletes a file.
    Delete,
}

impl Job for ChangeContent {
    const NAME: &'static str = "toolwright-change-content";
    type Input = Order;
    /// The change, and true if the file is another one after it.
    type Output = Result<(Changed, bool), Failure>;

    fn run(order: Order, files: Vec<OwnedFd>) -> Result<Self::Output, String> {
        Ok(carry_out(&order, files))
    }
}

// The files that it has are closed at its end.
impl Repeatable for ChangeContent {}

impl Change {
    /// Checks whether the change creates the file, and the folders of its path.
    pub(super) const fn creates(&self) -> bool {
        matches!(self, Self::Create { .. })
    }

    /// Returns the content of the file after the change; none if there is no file.
    fn apply(&self, old: Option<&[u8]>) -> Result<Option<Vec<u8>>, Failure> {
        Ok(match self {
            Self::Write { content } | Self::Create { content, .. } => {
                Some(content.clone().into_bytes())
            }
            Self::Edit {
                old: text,
                new,
                all,
            } => Some(replaced(old.unwrap_or_default(), text, new, *all)?.into_bytes()),
            Self::Delete => None,
        })
    }
}

fn carry_out(order: &Order, files: Vec<OwnedFd>) -> Result<(Changed, bool), Failure> {
    let mut files = files.into_iter().map(File::from);
    let old = match order.change.creates() {
        true => None,
        false => files.next().map(|file| order.read(file)).transpose()?,
    };
    let new = order.change.apply(old.as_deref())?;
    let differs = old != new;
    if let (Some(new), true) = (&new, differs) {
        order.check_size(new.len())?;
        let written = files.try_for_each(|mut file| file.write_all(new));
        written.map_err(AccessError::from)?;
    }
    let changed = Changed {
        diff: diff::unified(&order.path, old.as_deref(), new.as_deref()),
        size_bytes: new.map(|new| new.len()),
        path: order.path.clone(),
    };
    Ok((changed, differs))
}

impl Order {
    /// Reads the file before it is changed.
    fn read(&self, file: File) -> Result<Vec<u8>, Failure> {
        let mut content = Vec::new();
        let mut limited = file.take(self.largest_file.saturating_add(1));
        let read = limited.read_to_end(&mut content);
        read.map_err(AccessError::from)?;
        self.check_size(content.len())?;
        Ok(content)
    }

    fn check_size(&self, size: usize) -> Result<(), Failure> {
        let largest = self.largest_file;
        if u64::try_from(size).is_ok_and(|size| size <= largest) {
            return Ok(());
        }
        let message = format!("the file would be, or is, larger than {largest} bytes");
        Err(Failure::new("file_too_large", message))
    }
}

/// Returns the content with one occurrence of a string replaced, or with all of them.
fn replaced(content: &[u8], old: &str, new: &str, all: bool) -> Result<String, Failure> {
    let text = str::from_utf8(content);
    let text = text.map_err(|_| Failure::new("not_text", "the file is not text in UTF-8"))?;
    if old.is_empty() {
        return Err(Failure::new("no_match", "`old_text` is empty"));
    }
    match text.matches(old).count() {
        0 => Err(Failure::new(
            "no_match",
            "`old_text` is not in the file; read the file again and copy the text exactly",
        )),
        1 => Ok(text.replacen(old, new, 1)),
        _ if all => Ok(text.replace(old, new)),
        count => Err(Failure::new(
            "several_matches",
            format!(
                "`old_text` is in the file {count} times; add lines around it, or set `replace_all`"
            ),
        )),
    }
}
