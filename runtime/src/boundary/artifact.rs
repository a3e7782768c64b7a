//! A method of domain services, named by the type of artifact that it takes.

use toolwright_model::ToolSpec;

/// A method, and the type of artifact that it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArtifactMethod<'a> {
    pub(crate) method: &'a str,
    pub(crate) artifact_type: &'a str,
}

impl ArtifactMethod<'_> {
    /// Checks whether a tool is this method of a service that takes artifacts of the type.
    pub(crate) fn is_for(self, spec: &ToolSpec) -> bool {
        spec.eab().is_some_and(|eab| {
            let mut types = eab.artifact_types.iter();
            eab.method == self.method && types.any(|known| known == self.artifact_type)
        })
    }
}
