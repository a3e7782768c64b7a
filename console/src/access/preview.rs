//! The effect of an edited policy, before it is loaded.

use std::path::Path;

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use toolwright::{
    ToolName,
    config::{CONFIG_FILE, Config, ConsoleRole},
    policy::{LimitChange, RoleChange},
};

use super::parts;
use crate::{
    console::Console,
    page::{Page, Part, csrf},
    refusal::Refusal,
    session::Submission,
    shown::{plural, text},
    visitor::Visitor,
};

/// The most names that one list of the page shows.
const MOST_NAMES: usize = 100;

/// Asks for the edited policy.
pub(crate) async fn edit(State(console): State<Console>, visitor: Visitor) -> Response {
    page(&console, &visitor, "", html! {}).await
}

/// Shows what an edited policy would change. Nothing is loaded or kept.
pub(crate) async fn preview(
    State(console): State<Console>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    visitor.must_be(ConsoleRole::Viewer, &console, "try a policy")?;
    let written = fields.text("policy").to_owned();
    let effect = effect(&console, &written);
    Ok(page(&console, &visitor, &written, effect).await)
}

async fn page(console: &Console, visitor: &Visitor, written: &str, effect: Markup) -> Response {
    let body = html! {
        h1 { "Try a policy" }
        (parts(console, "/preview"))
        p { "Paste an edited " code { "toolwright.toml" } ". The page shows what each role would gain and lose. Nothing is loaded." }
        form.decide method="post" action=(console.path("/preview")) {
            (csrf(visitor))
            label for="policy" { "Policy" }
            textarea.mono #policy name="policy" rows="16" required spellcheck="false" { "\n" (written) }
            div.buttons { button.primary { "Show what it changes" } }
        }
        (effect)
    };
    let page = Page {
        console,
        visitor,
        part: Part::Access,
        title: "Try a policy",
    };
    page.render(body).await
}

fn effect(console: &Console, written: &str) -> Markup {
    let settings = console.settings();
    let path = settings.config().root.join(CONFIG_FILE);
    let config = Config::parse(Path::new(&path), written);
    let mut config = match config {
        Ok(config) => config,
        Err(error) => return faults(&error.problems),
    };
    config
        .policy_lock
        .clone_from(&settings.config().policy_lock);
    let registry = console.registry();
    match registry.preview(&config) {
        Ok(snapshot) => changes(&registry.snapshot().changes_to(&snapshot)),
        Err(error) => faults(&error.problems),
    }
}

fn faults<T: std::fmt::Display>(faults: &[T]) -> Markup {
    html! {
        div.problem role="alert" {
            h2 { "This policy would be refused" }
            ul { @for fault in faults.iter().take(MOST_NAMES) { li.break { (text(&fault.to_string())) } } }
        }
    }
}

fn changes(changes: &[RoleChange]) -> Markup {
    html! {
        section role="status" {
            @if changes.is_empty() { h2 { "No role gains or loses anything" } }
            @for change in changes {
                h2 { "Role " (text(change.role.as_str())) }
                (names("gains", "good", change.gains.iter()))
                (names("loses", "bad", change.loses.iter()))
                @for (tool, limits) in change.limits.iter().take(MOST_NAMES) { (limit(tool, limits)) }
            }
        }
    }
}

fn names<'a>(
    verb: &str,
    class: &str,
    names: impl ExactSizeIterator<Item = &'a ToolName>,
) -> Markup {
    let number = names.len();
    html! {
        @if number > 0 {
            p class=(class) { (verb) " " (plural(number as u64, "tool")) }
            ul.names { @for name in names.take(MOST_NAMES) { li.mono { (text(name.as_str())) } } }
            @if number > MOST_NAMES { p.sub { "and " (number - MOST_NAMES) " further" } }
        }
    }
}

fn limit(tool: &ToolName, change: &LimitChange) -> Markup {
    html! {
        p.mono { (text(tool.as_str())) }
        ul.plain {
            @for line in &change.before { li.break { del { (text(line)) } } }
            @for line in &change.after { li.break { ins { (text(line)) } } }
        }
    }
}
