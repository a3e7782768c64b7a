//! `toolwright review`: proposals for an overlay, from a command of the user's choice.

mod answers;
mod command;
mod questions;

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use clap::Args;
use serde_json::json;
use toolwright::{ServiceName, ToolName};
use toolwright_generator::{
    generate::{self, Outcome, Proposal},
    load::{Disk, Layered, Memory},
};
use toolwright_model::matches_glob;

use self::{answers::Judged, questions::Question};
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    generation::Files,
    interrupt,
    output::{FormatArguments, Progress, Table, error_line, plural, printable},
    overlay_file::OverlayFile,
    specification::{AS_IT_IS, Specification, refuse, understand, with_slashes},
    workspace,
};

/// Ask a command for better names, texts and classes, and accept what it proposes
///
/// Without an option, this lists the proposals in the overlays. A proposal has no effect until a
/// person accepts it. It may raise the class of a tool and reword it, but never lower the class.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright review\n  \
    toolwright review --with ./ask-a-model.sh\n  \
    toolwright review --service shop --accept listItems\n  \
    toolwright review shop.yaml --overlay shop.overlay.toml --with ./ask-a-model.sh")]
pub(crate) struct ReviewArguments {
    /// One specification, instead of those of the project
    #[arg(value_name = "SPEC", requires = "overlay")]
    spec: Option<PathBuf>,

    /// The service: of the project, only this one (may be repeated); with SPEC, its name
    #[arg(long, value_name = "NAME")]
    service: Vec<ServiceName>,

    /// The overlay of SPEC, which is created if it does not exist
    #[arg(long, value_name = "FILE", requires = "spec")]
    overlay: Option<PathBuf>,

    /// Ask this command. A shell runs it; it reads questions from standard input and prints
    /// proposals, both as JSON
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["accept", "reject"])]
    with: Option<String>,

    /// Print the questions instead of asking
    #[arg(long, conflicts_with_all = ["with", "accept", "reject"])]
    questions: bool,

    /// The most operations in one question
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,

    /// The seconds that the command may take for one question
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,

    /// Accept the proposals for these operations; `*` matches any characters (may be repeated)
    #[arg(long, value_name = "SELECTOR")]
    accept: Vec<String>,

    /// Remove the proposals for these operations (may be repeated)
    #[arg(long, value_name = "SELECTOR")]
    reject: Vec<String>,

    #[command(flatten)]
    format: FormatArguments,
}

/// The result for one operation.
struct Row {
    operation: String,
    proposal: Option<Proposal>,
    state: String,
}

/// A specification with its overlay.
struct Subject {
    specification: Specification,
    overlay: OverlayFile,
    outcome: Outcome,
    tools: Tools,
}

/// The names of tools with the selectors of their operations, by the operations' places in the document.
type Tools = BTreeMap<String, (ToolName, Vec<String>)>;

impl ReviewArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let mut rows = Vec::new();
        let mut exit = Exit::Done;
        let mut unused: Vec<&String> = self.accept.iter().chain(&self.reject).collect();
        let specifications = self.specifications(context)?.into_iter();
        let mut subjects: Vec<Subject> = specifications
            .map(Subject::read)
            .collect::<Result<_, _>>()?;
        for subject in &mut subjects {
            if self.questions {
                for question in subject.questions() {
                    context.output.json(&question)?;
                }
            } else if let Some(command) = &self.with {
                rows.extend(self.ask(command, subject, &mut exit));
            } else {
                let proposals = subject.proposals();
                unused.retain(|selector| !proposals.iter().any(|one| is_selected(selector, one)));
                rows.extend(self.decide(subject)?);
            }
        }
        if let Some(selector) = unused.first() {
            let failure =
                Failure::new(format!("no proposal is for `{selector}`")).code(Code::UnknownEntry);
            return Err(failure.help("`toolwright review` lists the proposals"));
        }
        if !self.questions {
            write(subjects.iter().map(|subject| &subject.overlay))?;
            self.print(&rows, context)?;
        }
        Ok(exit)
    }

    fn specifications(&self, context: &Context) -> Result<Vec<Specification>, Failure> {
        if let Some(path) = &self.spec {
            let service = match self.service.as_slice() {
                [] => None,
                [service] => Some(service.clone()),
                _ => return Err(Failure::usage("a specification has one `--service`")),
            };
            let specification = Specification::new(path.clone(), service, self.overlay.clone());
            return Ok(vec![specification]);
        }
        let config = context.needed_config()?;
        let all = workspace::services(&config.workspace.specs)?;
        let chosen = workspace::select(&all, &self.service)?;
        Ok(chosen.into_iter().map(Into::into).collect())
    }

    /// Lists, accepts and rejects proposals.
    fn decide(&self, subject: &mut Subject) -> Result<Vec<Row>, Failure> {
        let any = |selectors: &[String], one: &Proposal| {
            selectors.iter().any(|selector| is_selected(selector, one))
        };
        let mut rows = Vec::new();
        for proposal in subject.proposals().to_vec() {
            let state = if any(&self.accept, &proposal) {
                subject.overlay.accept(&proposal);
                "accepted"
            } else if any(&self.reject, &proposal) {
                subject.overlay.reject(&proposal.selector);
                "rejected"
            } else {
                "proposed"
            };
            rows.push(Row {
                operation: proposal.selector.clone(),
                proposal: Some(proposal),
                state: state.to_owned(),
            });
        }
        if rows.iter().any(|row| row.state == "accepted") {
            subject.check_accepted()?;
        }
        Ok(rows)
    }

    fn ask(&self, command: &str, subject: &mut Subject, exit: &mut Exit) -> Vec<Row> {
        let progress = Progress::start();
        let questions = subject.questions();
        let mut rows = Vec::new();
        let size = usize::from(self.batch);
        for (number, batch) in questions.chunks(size).enumerate() {
            let done = (number * size).min(questions.len());
            progress.step(format!(
                "asked about {done} of {} operations",
                questions.len()
            ));
            let request = questions::request(subject.service(), batch);
            let limit = Duration::from_secs(self.timeout);
            let answer = match command::answer(command, &request, limit) {
                Ok(answer) => answer,
                Err(why) => {
                    let why = printable(&format!("`{command}` {why}"));
                    error_line(format_args!("error: {why}"));
                    *exit = Exit::Failed;
                    continue;
                }
            };
            for judged in answers::judge(command, &answer, batch) {
                rows.push(match judged {
                    Judged::Refused { operation, why } => Row {
                        operation,
                        proposal: None,
                        state: format!("refused: {why}"),
                    },
                    Judged::Sound(proposal) => Row {
                        operation: proposal.selector.clone(),
                        proposal: Some(proposal),
                        state: "proposed".to_owned(),
                    },
                });
            }
        }
        subject.refuse_unusable(&mut rows);
        for proposal in rows.iter().filter_map(|row| row.proposal.as_ref()) {
            subject.overlay.propose(proposal);
        }
        rows
    }

    fn print(&self, rows: &[Row], context: &mut Context) -> Result<(), Failure> {
        if self.format.is_json() {
            for row in rows {
                let proposal = row.proposal.as_ref();
                let changes = proposal.map_or(&[][..], |proposal| &proposal.changes);
                let changes: serde_json::Map<_, _> = changes
                    .iter()
                    .map(|(key, text)| ((*key).to_owned(), text.as_str().into()))
                    .collect();
                context.output.json(&json!({
                    "operation": row.operation,
                    "state": row.state,
                    "changes": changes,
                    "reason": proposal.map(|proposal| &proposal.reason),
                    "proposed_by": proposal.map(|proposal| &proposal.proposed_by),
                }))?;
            }
            return Ok(());
        }
        let mut table = Table::new(["OPERATION", "STATE", "PROPOSAL", "REASON"]);
        for row in rows {
            let proposal = row.proposal.as_ref();
            let changes = proposal.map_or(&[][..], |proposal| &proposal.changes);
            let changes = changes
                .iter()
                .map(|(key, text)| format!("{key} = {text:?}"));
            let changes: Vec<_> = changes.collect();
            let reason = proposal.map_or("", |proposal| proposal.reason.as_str());
            table.row([
                row.operation.as_str().into(),
                row.state.as_str().into(),
                changes.join(", ").into(),
                reason.into(),
            ]);
        }
        context.output.table(&table)?;
        let open = rows.iter().filter(|row| row.state == "proposed").count();
        if open > 0 {
            let things = plural(open, "proposal");
            error_line(format_args!(
                "{things} without effect\n  = help: accept one with `toolwright review --accept SELECTOR`, or edit the overlay"
            ));
        }
        Ok(())
    }
}

impl Subject {
    fn read(specification: Specification) -> Result<Self, Failure> {
        let overlay = specification.overlay.clone();
        let path = overlay.unwrap_or_else(|| workspace::overlay_of(&specification.path));
        let overlay = OverlayFile::open(&path)?;
        let mut present = specification.clone();
        present.overlay = path.exists().then_some(path);
        let outcome = understand(&[present.input()], AS_IT_IS);
        if outcome.catalog.is_none() {
            return Err(refuse(&outcome));
        }
        Ok(Self {
            specification: present,
            overlay,
            tools: tools(&outcome),
            outcome,
        })
    }

    fn service(&self) -> &str {
        let overview = self.outcome.overviews.first();
        let service = overview.and_then(|overview| overview.service.as_ref());
        service.map_or("", ServiceName::as_str)
    }

    fn proposals(&self) -> &[Proposal] {
        let overview = self.outcome.overviews.first();
        overview.map_or(&[], |overview| &overview.proposals)
    }

    /// Returns the questions about operations that have no proposal.
    fn questions(&self) -> Vec<Question> {
        let catalog = self.outcome.catalog.iter();
        let services = catalog.flat_map(|catalog| catalog.services());
        let mut questions: Vec<_> = services.flat_map(questions::collect).collect();
        let has_proposal = |question: &Question| {
            let mut proposals = self.proposals().iter();
            proposals.any(|proposal| proposal.selector == question.operation)
        };
        questions.retain(|question| !has_proposal(question));
        questions
    }

    /// Refuses the proposals with which the specification would lose a tool or become faulty.
    fn refuse_unusable(&self, rows: &mut [Row]) {
        let all = rows.iter().filter_map(|row| row.proposal.as_ref());
        if self.fault_with(all).is_none() {
            return;
        }
        let mut accepted: Vec<Proposal> = Vec::new();
        for row in rows {
            let Some(proposal) = row.proposal.take() else {
                continue;
            };
            match self.fault_with(accepted.iter().chain([&proposal])) {
                Some(fault) => row.state = format!("refused: {fault}"),
                None => {
                    accepted.push(proposal.clone());
                    row.proposal = Some(proposal);
                }
            }
        }
    }

    /// Returns the reason why the specification cannot have these entries.
    fn fault_with<'p>(&self, proposals: impl Iterator<Item = &'p Proposal>) -> Option<String> {
        let mut overlay = self.overlay.clone();
        for proposal in proposals {
            overlay.accept(proposal);
        }
        self.fault_of(&overlay)
    }

    /// Returns the reason why the specification cannot have this overlay.
    fn fault_of(&self, overlay: &OverlayFile) -> Option<String> {
        let path = with_slashes(overlay.path());
        let mut input = self.specification.input();
        input.overlay = Some(path.clone());
        let memory = Memory([(path, overlay.text().into())].into());
        let outcome = generate::run(&[input], AS_IT_IS, &Layered::new(&memory, Disk));
        let (before, after) = (&self.tools, tools(&outcome));
        let mut others = before.iter().filter(|(_, (_, selectors))| {
            let mut selectors = selectors.iter();
            !selectors.any(|selector| overlay.has_entry(selector))
        });
        let is_renamed = |pointer: &String, name: &ToolName| {
            after.get(pointer).is_some_and(|(now, _)| now != name)
        };
        if let Some((_, (name, _))) = others.find(|(pointer, (name, _))| is_renamed(pointer, name))
        {
            return Some(format!("it would rename `{name}`"));
        }
        if after.len() >= before.len() {
            return None;
        }
        let mut said = outcome.diagnostics.iter();
        let known = &self.outcome.diagnostics;
        let is_new = |message: &str| !known.iter().any(|known| known.message == message);
        let new = said.find(|diagnostic| is_new(&diagnostic.message));
        let why = new.map(|diagnostic| diagnostic.message.clone());
        Some(why.unwrap_or_else(|| "a tool would be lost".to_owned()))
    }

    fn check_accepted(&self) -> Result<(), Failure> {
        match self.fault_of(&self.overlay) {
            None => Ok(()),
            Some(fault) => Err(Failure::new(fault)
                .note("nothing was written")
                .help("accept the proposals one by one, or edit the overlay")),
        }
    }
}

fn tools(outcome: &Outcome) -> Tools {
    let specs = outcome
        .catalog
        .iter()
        .flat_map(|catalog| catalog.tool_specs());
    let names = specs.map(|spec| {
        let endpoint = spec.endpoint();
        let endpoint = endpoint.map(|(method, path)| format!("{method} {path}"));
        let selectors = endpoint.into_iter().chain(spec.origin.operation_id.clone());
        let selectors: Vec<_> = selectors.collect();
        (spec.origin.pointer, (spec.name, selectors))
    });
    names.collect()
}

fn is_selected(selector: &str, proposal: &Proposal) -> bool {
    matches_glob(selector, &proposal.selector)
}

/// Writes the overlays that differ from their files: all of them, or none.
fn write<'o>(overlays: impl Iterator<Item = &'o OverlayFile>) -> Result<(), Failure> {
    let files: Vec<Files> = overlays.map(Files::of_overlay).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for files in &files {
        found.push((files, files.compare()?));
    }
    if found.iter().any(|(_, before)| !before.is_fresh()) {
        interrupt::replace(&found)?;
    }
    Ok(())
}
