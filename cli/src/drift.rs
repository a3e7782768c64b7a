//! What became of tools, as people and programs are told it.

mod html;
mod markdown;
mod roles;
mod sides;
mod text;
mod words;

use serde::Serialize;
use toolwright_generator::drift::{self, Report};

pub(crate) use roles::Standing;
pub(crate) use sides::{Reading, Side};

use crate::{Failure, context::Context};

/// What is told of two sides.
#[derive(Debug, Serialize)]
pub(crate) struct Drift {
    /// What the user called the old side.
    pub(crate) old: String,
    /// What the user called the new side.
    pub(crate) new: String,
    #[serde(flatten)]
    pub(crate) report: Report,
    /// What the roles of `toolwright.toml` may do, where it has any.
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

    /// The report for a terminal.
    pub(crate) fn text(&self) -> String {
        text::render(self)
    }

    /// The report for a pull request.
    pub(crate) fn markdown(&self) -> String {
        markdown::render(self)
    }

    /// The report as a page.
    pub(crate) fn html(&self) -> String {
        html::render(self)
    }
}
