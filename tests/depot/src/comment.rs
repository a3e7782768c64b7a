//! Comments on items.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::values::Text;

/// A comment on an item.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Comment {
    pub(crate) id: Uuid,
    pub(crate) author: Text<60>,
    pub(crate) text: Text<2000>,
    pub(crate) created_at: Timestamp,
}

/// The fields of a new comment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewComment {
    text: Text<2000>,
    #[serde(default = "Text::anonymous")]
    author: Text<60>,
}

impl Comment {
    pub(crate) fn new(from: NewComment, now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4(),
            author: from.author,
            text: from.text,
            created_at: now,
        }
    }
}
