//! Reports on the changes of tools, for people and programs.

mod html;
mod markdown;
mod roles;
mod sides;
mod text;
mod view;

use std::path::{Path, PathBuf};

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
    /// The corrections of the overlay that the new side no longer needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) needless_corrections: Vec<String>,
    /// The tools of the roles in `toolwright.toml`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<Standing>,
}

/// The most folders and files that a name from elsewhere keeps.
const KEPT: usize = 3;

/// Returns the name of a side without the folders of this machine, which a report must not carry to
/// others.
fn shown_name(name: &str) -> String {
    let path = Path::new(name);
    if path.is_relative() {
        return name.to_owned();
    }
    let here = std::env::current_dir().ok();
    if let Some(below) = here.and_then(|here| path.strip_prefix(here).ok()) {
        return below.display().to_string();
    }
    let parts: Vec<_> = path.components().rev().take(KEPT).collect();
    let last: PathBuf = parts.into_iter().rev().collect();
    let last = last.strip_prefix("/").unwrap_or(&last);
    last.display().to_string()
}

impl Drift {
    /// Compares two sides.
    pub(crate) fn between(old: &Side, new: &Side, context: &Context) -> Result<Self, Failure> {
        Ok(Self {
            old: shown_name(&old.name),
            new: shown_name(&new.name),
            report: drift::compare(&old.inventory, &new.inventory),
            needless_corrections: new.needless.clone(),
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
