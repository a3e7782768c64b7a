//! The decision about a call of a role, with the rules that were evaluated.

use axum::{
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde_json::{Map, Value};
use toolwright::{Explanation, policy::Decision};

use super::{declared, parts};
use crate::{
    console::Console,
    form::Fields,
    governance::steps,
    page::{Page, Part},
    refusal::Refusal,
    shown::{code, text},
    visitor::Visitor,
};

/// Leads to the explanation of a tool whose name was typed.
pub(crate) async fn asked(
    State(console): State<Console>,
    _: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let role = declared(&console, fields.text("role"))?;
    let tool = fields.text("tool");
    let tool = console.registry().spec(tool);
    let tool = tool.ok_or_else(|| Refusal::not_found(&console, "There is no such tool."))?;
    let path = console.path(&format!("/access/{role}/{}", tool.name));
    Ok(Redirect::to(&path).into_response())
}

/// Explains the decision about a call.
pub(crate) async fn why(
    State(console): State<Console>,
    visitor: Visitor,
    Path((role, tool)): Path<(String, String)>,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let role = declared(&console, &role)?;
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let written = fields.given("arguments").unwrap_or("{}");
    let arguments = serde_json::from_str::<Map<String, Value>>(written);
    let path = console.path(&format!("/access/{role}/{tool}"));
    let body = html! {
        h1 { span.mono { (text(&tool)) } " by " (text(role.as_str())) }
        (parts(&console, "/access"))
        form.decide method="get" action=(path) {
            label for="arguments" { "Arguments" span.sub { " as JSON" } }
            textarea.mono #arguments name="arguments" rows="4" { (written) }
            div.buttons { button { "Explain" } }
        }
        @match arguments {
            Err(error) => div.problem role="alert" { "These are no arguments: " (text(&error.to_string())) },
            Ok(arguments) => (explained(&console.registry().for_agent(&role).explain(&tool, arguments))),
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Access,
        title: "Why",
    };
    Ok(page.render(body).await)
}

fn explained(explanation: &Explanation) -> Markup {
    html! {
        section role="status" {
            (verdict(explanation))
            (steps(&explanation.steps))
            @if !explanation.violations.is_empty() {
                h2 { "The arguments do not fit the schema" }
                ul { @for violation in &explanation.violations { li { (text(&violation.to_string())) } } }
            }
            @if let Some(target) = &explanation.target { p { "Request: " (code(target)) } }
            p.sub { "Variables and the node of a run are not known here. Nothing was called." }
        }
    }
}

fn verdict(explanation: &Explanation) -> Markup {
    html! {
        @match &explanation.decision {
            Decision::Deny(refusal) => h2.bad { "Refused: " (text(&refusal.to_string())) },
            Decision::Allow(_) if !explanation.violations.is_empty() => h2.bad { "Refused: the arguments are wrong" },
            Decision::Allow(permit) => {
                h2.good { "Allowed" @if permit.needs_approval { ", after a person has approved it" } }
                @if !permit.source.is_empty() { p { "Granted by " (text(&permit.source)) } }
            }
        }
    }
}
