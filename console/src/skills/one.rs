//! The page of one skill: its steps and its computed class, and the decision about its standing.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Redirect, Response},
};
use jiff::Timestamp;
use maud::{Markup, html};
use tokio::task::spawn_blocking;
use toolwright::{ToolSpec, config::ConsoleRole};
use toolwright_model::Standing;
use toolwright_skills::{
    KnownTools, Script, Skill, Step, check, governance,
    standing::{Decided, move_skill, of_file},
};
use toolwright_state::FinishedRun;

use super::{
    list::{health, runs},
    mark,
};
use crate::{
    console::Console,
    governance::class,
    page::{Page, Part, csrf},
    refusal::Refusal,
    session::Submission,
    shown::{code, json, text},
    time::ago,
    visitor::Visitor,
};

/// The most runs that the page lists.
const MOST_RUNS: u64 = 20;

/// Shows one skill.
pub(crate) async fn one(
    State(console): State<Console>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let skill = find(&console, &name).await?;
    let name = &skill.name.value;
    let failed = |error: &dyn std::fmt::Display| Refusal::failed(&console, error);
    let records = console.state().skills().await;
    let records = records.map_err(|error| failed(&error))?;
    let standing = of_file(name, &skill.digest, &records);
    let record = records.iter().find(|record| record.name == *name);
    let recent = health(&console, record).await?;
    let last = console.state().skill_runs(name, MOST_RUNS).await;
    let last = last.map_err(|error| failed(&error))?;
    let specs = specs(&console, &skill);
    let known = KnownTools::new(specs.iter().map(AsRef::as_ref));
    let faults = check(&skill, &known);
    let spec = governance(&skill, &known).ok();
    let body = html! {
        div.title {
            h1.mono { (text(name.as_str())) }
            @if let Some(spec) = &spec { (class(spec.category, spec.hints.destructive)) }
        }
        p.lead { (text(&skill.line)) }
        div.review {
            div.content {
                @if !faults.is_empty() {
                    div.problem { h2 { "Faults" } ul { @for fault in &faults { li.break { (text(&fault.to_string())) } } } }
                }
                (parameters(&skill))
                @match &skill.script {
                    Some(found) => (script(&console, found)),
                    None => (steps(&console, &skill)),
                }
                (past(&console, &last))
            }
            aside.side {
                section.decision aria-labelledby="standing" {
                    h2 #standing { "Standing" }
                    p { span class=(mark(standing)) { (standing) } }
                    @if let Some(record) = record { p.sub { (text(record.person.as_deref().unwrap_or("by itself"))) ": " (text(&record.reason)) } }
                    p { "Health: " (runs(recent)) }
                    @if visitor.may(ConsoleRole::Operator) { (form(&console, &visitor, &skill, standing)) }
                    @else { p.sub { "Your role sees the standing and does not change it." } }
                }
                (facts(&skill, spec.as_ref()))
            }
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Skills,
        title: name.as_str(),
    };
    Ok(page.render(body).await)
}

async fn find(console: &Console, name: &str) -> Result<Skill, Refusal> {
    let settings = console.settings();
    let read = spawn_blocking(move || settings.skills()).await;
    let read = read.map_err(|error| Refusal::failed(console, error))?;
    let (skills, _) = read.map_err(|error| Refusal::failed(console, error))?;
    let mut skills = skills.into_iter();
    let found = skills.find(|skill| skill.name.value.as_str() == name);
    found.ok_or_else(|| Refusal::not_found(console, "There is no such skill."))
}

/// Returns the records of the tools that a skill calls.
fn specs(console: &Console, skill: &Skill) -> Vec<Arc<ToolSpec>> {
    let tools = skill.tools().into_iter();
    tools
        .filter_map(|tool| console.registry().spec(tool.as_str()))
        .collect()
}

fn facts(skill: &Skill, spec: Option<&ToolSpec>) -> Markup {
    html! {
        section {
            h2 { "Computed" }
            dl.facts {
                dt { "owner" } dd { (text(&skill.owner)) }
                @if let Some(spec) = spec {
                    dt { "effect" } dd { (spec.effect) }
                    dt { "approval" } dd { (if spec.approval_required { "a person approves each run" } else { "not needed" }) }
                }
                @if let Some(when) = &skill.when_to_use { dt { "when to use" } dd { (text(when)) } }
                @if let Some(other) = &skill.alternative { dt { "alternative" } dd { (code(other.value.as_str())) } }
                dt { "digest" } dd.break { (code(&skill.digest)) }
            }
        }
    }
}

fn parameters(skill: &Skill) -> Markup {
    html! {
        section aria-labelledby="parameters" {
            h2 #parameters { "Parameters" }
            @if skill.sequence.parameters.is_empty() { p.sub { "none" } } @else {
                table.stacked {
                    thead { tr { th { "name" } th { "values" } } }
                    tbody {
                        @for parameter in &skill.sequence.parameters {
                            tr {
                                th scope="row" data-label="name" { (code(&parameter.name)) @if parameter.optional { " " span.sub { "optional" } } }
                                td data-label="values" { (json(&parameter.schema)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn steps(console: &Console, skill: &Skill) -> Markup {
    html! {
        section aria-labelledby="steps" {
            h2 #steps { "Steps" }
            ol.steps { @for step in &skill.sequence.steps { (shown_step(console, step)) } }
        }
    }
}

/// Shows the script as a person reviews it, and the tools that it may call.
fn script(console: &Console, script: &Script) -> Markup {
    html! {
        section aria-labelledby="script" {
            h2 #script { "Script" }
            p.sub { "It runs in a sandbox, for at most " (script.seconds) " seconds, and may call these tools:" }
            ul.plain {
                @for tool in &script.tools { li { (tool_link(console, tool.value.as_str())) } }
            }
            pre { (text(&script.text)) }
        }
    }
}

/// Returns a link to a tool, with its class.
fn tool_link(console: &Console, tool: &str) -> Markup {
    let spec = console.registry().spec(tool);
    html! {
        a.mono href=(console.path(&format!("/tools/{tool}"))) { (text(tool)) }
        @match spec {
            Some(spec) => { " " (class(spec.category, spec.hints.destructive)) }
            None => span.bad { " does not exist" },
        }
    }
}

fn shown_step(console: &Console, step: &Step) -> Markup {
    html! {
        li {
            p {
                (tool_link(console, step.tool.value.as_str()))
                @if let Some(each) = &step.each { span.sub { " for each element of a list, at most " (each.most) } }
                @if !step.conditions.is_empty() { span.sub { " only under conditions" } }
            }
            (json(&step.arguments.to_json()))
        }
    }
}

fn past(console: &Console, runs: &[FinishedRun]) -> Markup {
    let now = Timestamp::now();
    html! {
        section aria-labelledby="past" {
            h2 #past { "Last runs" }
            @if runs.is_empty() { p.sub { "none" } }
            ul.plain {
                @for run in runs {
                    li {
                        a.mono href=(console.path(&format!("/record/call/{}", run.id))) { (text(&run.id)) }
                        " " (ago(run.ended_at, now)) ", " (run.calls) " calls "
                        @if run.failed { span.outcome.bad { "failed" } } @else { span.outcome.good { "ok" } }
                        @if let Some(step) = &run.step { " at " (code(step)) }
                        @if let Some(error) = &run.error { " " (text(error)) }
                    }
                }
            }
        }
    }
}

fn form(console: &Console, visitor: &Visitor, skill: &Skill, standing: Standing) -> Markup {
    let next = Standing::ALL.iter().filter(|to| standing.can_become(**to));
    let next: Vec<&Standing> = next.collect();
    html! {
        @if next.is_empty() { p.sub { "This standing is the last." } } @else {
            form.decide method="post" action=(console.path(&format!("/skills/{}", skill.name.value))) {
                (csrf(visitor))
                input type="hidden" name="digest" value=(skill.digest);
                label for="reason" { "Reason" }
                textarea #reason name="reason" rows="2" maxlength="500" required {}
                div.buttons {
                    @for to in next { button name="to" value=(to) { "Make it " (to) } }
                }
            }
        }
    }
}

/// Moves a skill to another standing.
pub(crate) async fn decide(
    State(console): State<Console>,
    Path(name): Path<String>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    visitor.must_be(ConsoleRole::Operator, &console, "move a skill")?;
    let skill = find(&console, &name).await?;
    // A person decides about the bytes that the page showed.
    if fields.text("digest") != skill.digest {
        let message = "the file has changed: open the page again";
        return Err(Refusal::invalid(&console, message));
    }
    let to = Standing::from_word(fields.text("to"));
    let to = to.ok_or_else(|| Refusal::invalid(&console, "choose a standing"))?;
    let specs = specs(&console, &skill);
    let known = KnownTools::new(specs.iter().map(AsRef::as_ref));
    let known = known.pinning(console.settings().pinned());
    let why = fields.line("reason").unwrap_or_default();
    let decided = Decided {
        to,
        person: visitor.person(),
        why: &why,
        at: Timestamp::now(),
    };
    let record = |event: &_| console.registry().record(event);
    let moved = move_skill(console.state(), record, &skill, &known, decided).await;
    moved.map_err(|error| Refusal::invalid(&console, error))?;
    let page = console.path(&format!("/skills/{}", skill.name.value));
    Ok(Redirect::to(&page).into_response())
}
