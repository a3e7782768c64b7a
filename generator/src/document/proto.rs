//! Protocol Buffers: `.proto` files and descriptor sets become the tree of a document.
//!
//! The tree has the services with their methods, and a schema for each message and enum that the
//! methods reach, in the JSON mapping of Protocol Buffers. It also has the descriptors of these
//! messages, which the runtime needs to send and receive them.

#[cfg(feature = "grpc")]
mod closure;
#[cfg(feature = "grpc")]
mod compile;
#[cfg(feature = "grpc")]
mod header;
#[cfg(feature = "grpc")]
mod known;
#[cfg(feature = "grpc")]
mod options;
#[cfg(feature = "grpc")]
mod places;
#[cfg(feature = "grpc")]
mod schema;
#[cfg(feature = "grpc")]
mod texts;
#[cfg(feature = "grpc")]
mod tree;
#[cfg(feature = "grpc")]
mod wire;

#[cfg(feature = "grpc")]
pub(crate) use compile::{ProtoFile, compile, decode, listing};
#[cfg(feature = "grpc")]
pub(crate) use header::{Header, HeaderFault, built_in, is_well_known};
#[cfg(feature = "grpc")]
pub use wire::{WireField, fields_on_the_wire};

/// The key of the tree that holds its version.
pub(crate) const MARK: &str = "grpc";

/// The extensions of files with a `FileDescriptorSet`.
const SETS: [&str; 5] = ["binpb", "desc", "fdset", "pb", "protoset"];

/// Checks whether a path is that of a `.proto` file.
pub(crate) fn is_source(path: &str) -> bool {
    extension(path).is_some_and(|extension| extension.eq_ignore_ascii_case("proto"))
}

/// Checks by its extension whether a path is that of a descriptor set of Protocol Buffers.
#[must_use]
pub fn is_descriptor_set(path: &str) -> bool {
    let known = |extension: &str| SETS.iter().any(|set| extension.eq_ignore_ascii_case(set));
    extension(path).is_some_and(known)
}

fn extension(path: &str) -> Option<&str> {
    let file = path.rsplit(['/', '\\']).next()?;
    file.rsplit_once('.').map(|(_, extension)| extension)
}
