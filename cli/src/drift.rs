//! Reports on the changes of tools, for people and programs.

mod html;
mod markdown;
mod roles;
mod sides;
mod text;
mod view;

use serde::Serialize;
use toolwright_drift as drift;
use toolwright_drift::Report;

pub(crate) use roles::Standing;
pub(crate) use sides::{Reading, Side};

use crate::{Failure, context::Context};

/// The comparison of two sides.
#[derive(Debug, Serialize)]
pub(crate) struct Drift {
    /// The user's name for the old side.
    pub(crate) old: String,
    /// The user's name for the new side.
    pub(crate) new: String,
    #[serde(flatten)]
    pub(crate) report: Report,
    /// The tools of the roles in `toolwright.toml`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<Standing>,
}

impl Drift {
    /// Compares two sides.
    pub(crate) fn between(old: &Side, new: &Side, context: &Context) -> Result<Self, Failure> {
        Ok(Self {
            old: old.name.clone(),
            new: new.name.clone(),
            report: drift::compare(&old.inventory, &new.inventory),
            roles: roles::standings(&old.inventory, &new.inventory, &context.config()?),
        })
    }

    /// Renders the report for a terminal.
    pub(crate) fn text(&self) -> String {
        text::render(self)
    }

    /// Renders the report for a pull request.
    pub(crate) fn markdown(&self) -> String {
        markdown::render(self)
    }

    /// Renders the report as a page.
    pub(crate) fn html(&self) -> String {
        html::render(self)
    }
}
