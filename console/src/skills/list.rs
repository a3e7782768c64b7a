//! The list of the skills, and proposals from the audit.

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use jiff::Timestamp;
use maud::{Markup, html};
use tokio::task::spawn_blocking;
use toolwright_skills::{
    KnownTools, Skill, governance,
    propose::{Options, Proposal, Proposals, propose, read},
    standing::of_file,
};
use toolwright_state::{Recent, StoredSkill};

use super::mark;
use crate::{
    console::Console,
    form::Fields,
    governance::class,
    page::{Page, Part},
    record::run_path,
    refusal::Refusal,
    shown::{code, plural, text},
    time::ago,
    visitor::Visitor,
};

/// The most proposals that the page shows.
const MOST_PROPOSALS: usize = 10;

/// Lists the skills of the folder.
pub(crate) async fn list(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let failed = |error: &dyn std::fmt::Display| Refusal::failed(&console, error);
    let settings = console.settings();
    let skills = spawn_blocking(move || settings.skills()).await;
    let skills = skills.map_err(|error| failed(&error))?;
    let (skills, faults) = skills.map_err(|error| failed(&error))?;
    let records = console.state().skills().await;
    let records = records.map_err(|error| failed(&error))?;
    let proposed = match fields.text("propose") {
        "" => None,
        _ => Some(proposals(&console).await?),
    };
    let body = html! {
        h1 { "Skills" }
        (table(&console, &skills, &records).await?)
        @if !faults.is_empty() {
            div.problem {
                h2 { "Files with faults" }
                ul { @for fault in &faults { li.break { (text(fault)) } } }
            }
        }
        section aria-labelledby="proposals" {
            h2 #proposals { "Proposals from the audit" }
            @match &proposed {
                None => form.inline method="get" action=(console.path("/skills")) {
                    input type="hidden" name="propose" value="1";
                    button { "Find sequences of calls that repeat" }
                    span.sub { " reads the whole audit" }
                },
                Some(found) => (found_proposals(&console, found)),
            }
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Skills,
        title: "Skills",
    };
    Ok(page.render(body).await)
}

async fn table(
    console: &Console,
    skills: &[Skill],
    records: &[StoredSkill],
) -> Result<Markup, Refusal> {
    let mut rows = Vec::new();
    for skill in skills {
        let record = records
            .iter()
            .find(|record| record.name == skill.name.value);
        rows.push((skill, record, health(console, record).await?));
    }
    let now = Timestamp::now();
    Ok(html! {
        @if rows.is_empty() { p.sub { "The folder of skills has none." } } @else {
            table.stacked {
                thead { tr { th { "skill" } th { "standing" } th { "class" } th { "health" } th { "changed" } } }
                tbody { @for (skill, record, recent) in &rows { (row(console, skill, *record, *recent, records, now)) } }
            }
        }
    })
}

/// Returns the runs that count for the health of a skill.
pub(super) async fn health(
    console: &Console,
    record: Option<&StoredSkill>,
) -> Result<Recent, Refusal> {
    let Some(record) = record else {
        return Ok(Recent::default());
    };
    let runs = console.settings().health().runs;
    let recent = console.state().skill_health(record, runs).await;
    recent.map_err(|error| Refusal::failed(console, error))
}

fn row(
    console: &Console,
    skill: &Skill,
    record: Option<&StoredSkill>,
    recent: Recent,
    records: &[StoredSkill],
    now: Timestamp,
) -> Markup {
    let name = &skill.name.value;
    let standing = of_file(name, &skill.digest, records);
    let tools = skill.tools().into_iter();
    let specs = tools.filter_map(|tool| console.registry().spec(tool.as_str()));
    let specs: Vec<_> = specs.collect();
    let known = KnownTools::new(specs.iter().map(AsRef::as_ref));
    let spec = governance(skill, &known).ok();
    html! {
        tr {
            th scope="row" data-label="skill" {
                a.mono href=(console.path(&format!("/skills/{name}"))) data-row { (text(name.as_str())) }
                div.sub { (text(&skill.line)) }
            }
            td data-label="standing" { span class=(mark(standing)) { (standing) } }
            td data-label="class" {
                @match &spec {
                    Some(spec) => (class(spec.category, spec.hints.destructive)),
                    None => span.sub { "unknown: a tool does not exist" },
                }
            }
            td data-label="health" { (runs(recent)) }
            td data-label="changed" {
                @if let Some(record) = record {
                    (text(record.person.as_deref().unwrap_or("by itself"))) ", " (ago(record.changed_at, now)) ": " (text(&record.reason))
                }
            }
        }
    }
}

/// Shows the runs that count for the health of a skill.
pub(super) fn runs(recent: Recent) -> Markup {
    html! {
        @if recent.runs == 0 { span.sub { "no runs" } } @else {
            (plural(recent.runs, "run")) ", " (recent.failures) " failed"
        }
    }
}

async fn proposals(console: &Console) -> Result<Proposals, Refusal> {
    let audit = console.settings().audit_file().to_owned();
    let registry = console.registry().clone();
    let search = spawn_blocking(move || {
        let events = read(&audit)?;
        let specs: Vec<_> = registry.tools().map(|(spec, _)| spec).collect();
        let known = KnownTools::new(specs.iter().map(AsRef::as_ref));
        Ok::<_, std::io::Error>(propose(&events, &known, Options::default()))
    });
    let found = search
        .await
        .map_err(|error| Refusal::failed(console, error))?;
    found.map_err(|error| Refusal::failed(console, error))
}

fn found_proposals(console: &Console, found: &Proposals) -> Markup {
    html! {
        p.sub { (plural(found.calls as u64, "call")) " of " (plural(found.runs as u64, "run")) " were read." }
        @if let Some(missing) = found.missing() { p { (text(missing)) } }
        @if found.proposals.is_empty() { p { "No sequence repeats often enough." } }
        @for proposal in found.proposals.iter().take(MOST_PROPOSALS) { (proposed(console, proposal)) }
    }
}

fn proposed(console: &Console, proposal: &Proposal) -> Markup {
    let evidence = &proposal.evidence;
    html! {
        article {
            h3.mono { (text(proposal.name.as_str())) }
            p {
                (plural(evidence.occurrences as u64, "time")) " in " (plural(evidence.runs as u64, "run")) ". Saves "
                (plural(evidence.calls_saved as u64, "call")) @if evidence.tokens_saved > 0 { " and " (plural(evidence.tokens_saved, "token")) }
                " each time."
            }
            ol { @for step in &proposal.skill.sequence.steps { li { (code(step.tool.value.as_str())) } } }
            @for (parameter, values) in &evidence.values {
                p.sub { (code(parameter)) " was " @for (at, value) in values.iter().enumerate() { @if at > 0 { ", " } (code(&value.to_string())) } }
            }
            p.sub { "Runs: " @for example in &evidence.examples { a href=(run_path(console, &example.run)) { (text(&example.run)) } " " } }
            details { summary { "The file" } pre { (text(&proposal.text)) } }
        }
    }
}
