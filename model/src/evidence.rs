//! The evidence for a tool's classification.

use serde::{Deserialize, Serialize};

use crate::{Kind, words::words};

words! {
    /// The source of a piece of evidence.
    EvidenceSource {
        /// The HTTP method.
        Method = "method",
        /// A word of the path.
        Path = "path",
        /// A word of the operation id.
        OperationId = "operation-id",
        /// The summary or the description.
        Summary = "summary",
        /// The request body, or that there is none.
        Body = "body",
        /// The answers: their status codes and types.
        Answer = "answer",
        /// An OAuth scope or a permission that the operation needs.
        Scope = "scope",
        /// An `x-` extension of the document.
        Extension = "extension",
        /// Another operation of the document, which answers the same.
        Document = "document",
        /// Our overlay.
        Overlay = "overlay",
        /// A declaration by the author of a hand-written tool.
        Declared = "declared",
    }
}

/// One piece of evidence for the class of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The source.
    pub source: EvidenceSource,
    /// The quoted evidence: `DELETE`, `…/archive`, `documents.info`.
    pub found: String,
    /// The kind of operation that it speaks for.
    pub suggests: Kind,
    /// Its weight against other evidence; 0 if nothing is weighed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub weight: u8,
    /// True if this evidence decided the class. Other evidence was outweighed or agrees.
    pub decided: bool,
}

/// Checks whether evidence has no weight.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(weight: &u8) -> bool {
    *weight == 0
}
