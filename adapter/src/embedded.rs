//! The records of a service's tools.

use toolwright_model::ToolSpec;

/// The [`ToolSpec`]s of one service, compiled into the program.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedTools {
    service: &'static str,
    json: &'static str,
}

impl EmbeddedTools {
    /// `json` is the array of specs that the generator wrote.
    #[must_use]
    pub const fn new(service: &'static str, json: &'static str) -> Self {
        Self { service, json }
    }

    /// The name of the service.
    #[must_use]
    pub const fn service(&self) -> &'static str {
        self.service
    }

    /// Reads the specs.
    ///
    /// # Errors
    /// Fails if the JSON does not have the format of this version of the generator.
    pub fn specs(&self) -> Result<Vec<ToolSpec>, serde_json::Error> {
        ToolSpec::list_from_json(self.json)
    }
}
