//! Why a tool was classed as it is.

use serde::{Deserialize, Serialize};

use crate::{Kind, words::words};

words! {
    /// Where a piece of evidence was found.
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
        /// Our overlay.
        Overlay = "overlay",
        /// What the author of a hand-written tool declared.
        Declared = "declared",
    }
}

/// One piece of evidence for the class of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Where it was found.
    pub source: EvidenceSource,
    /// What was found, quoted: `DELETE`, `…/archive`, `documents.info`.
    pub found: String,
    /// The kind of operation that it speaks for.
    pub suggests: Kind,
    /// Whether it decided the class. The others were outweighed, or agree.
    pub decided: bool,
}
