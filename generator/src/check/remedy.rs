//! The lines of the overlay that make tools of operations without a name of their own.

mod names;
mod roles;
mod target;

use toolwright_model::{ServiceName, ToolName};

use self::{
    names::Names,
    roles::{Role, roles},
    target::Target,
};
use super::{nouns::CandidateNouns, selectors::Selectors};
use crate::{
    document::{
        diagnostic::{Diagnostic, Diagnostics},
        fix::{Change, Fix, quoted},
    },
    ir::{Catalog, CuratedOperation, LeftOut, LeftOutBecause},
    language::words,
    naming::{NameHints, Naming, name_of},
};

/// An operation that needs a line of the overlay to become a tool.
#[derive(Debug)]
pub(super) struct Unsettled {
    /// The position of its service.
    pub(super) service: usize,
    /// The operation, which is in no catalogue any more.
    pub(super) operation: CuratedOperation,
    /// The fault, without help.
    pub(super) diagnostic: Diagnostic,
    /// The reason why it is left out.
    pub(super) why: LeftOutBecause,
}

/// Leaves the operations out, and reports each with the line that it needs.
///
/// The lines fit together: with all of them, each operation has a name that no other one has and
/// that no lock holds.
pub(super) fn leave_out(
    unsettled: Vec<Unsettled>,
    catalog: &mut Catalog<CuratedOperation>,
    diagnostics: &mut Diagnostics,
) {
    if unsettled.is_empty() {
        return;
    }
    for one in &unsettled {
        if let Some(service) = catalog.services.get_mut(one.service) {
            service.left_out.push(one.left_out());
        }
    }
    let mut unsettled = unsettled;
    unsettled.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut remedies = Remedies::new(catalog, &unsettled);
    let targets: Vec<Target> = unsettled.iter().map(|one| remedies.target(one)).collect();
    let roles = roles(&unsettled, &targets);
    let advice: Vec<Option<Advice>> = unsettled
        .iter()
        .zip(targets.into_iter().zip(roles))
        .map(|(one, (target, role))| remedies.advise(one, target, role))
        .collect();
    for (one, advice) in unsettled.into_iter().zip(advice) {
        diagnostics.report(match advice {
            Some(Advice::Line(fix)) => one.diagnostic.fix(fix),
            Some(Advice::Words(help)) => one.diagnostic.help(help),
            None => one.diagnostic,
        });
    }
}

/// The advice for an operation.
enum Advice {
    /// A line to add to the overlay.
    Line(Fix),
    /// Something that only a person can do.
    Words(String),
}

/// The services, and the names that they have or will have.
struct Remedies<'c> {
    services: Vec<(&'c ServiceName, Selectors)>,
    names: Names,
}

impl<'c> Remedies<'c> {
    fn new(catalog: &'c Catalog<CuratedOperation>, unsettled: &[Unsettled]) -> Self {
        let services = catalog.services.iter().map(|service| {
            let operations = service.operations.iter().map(|one| &one.operation);
            (&service.name, Selectors::new(operations, &service.left_out))
        });
        Self {
            services: services.collect(),
            names: Names::new(catalog, unsettled),
        }
    }

    fn target(&self, one: &Unsettled) -> Target {
        let service = self.services.get(one.service);
        let target = service.map(|(_, selectors)| Target::find(one, selectors));
        target.unwrap_or_default()
    }

    fn advise(&mut self, one: &Unsettled, target: Target, role: Role) -> Option<Advice> {
        let (service, _) = self.services.get(one.service)?;
        let service: &ServiceName = service;
        let (change, reason) = match role {
            Role::Keep => {
                let words = "it keeps the name when the others have other names or are excluded";
                return Some(Advice::Words(words.to_owned()));
            }
            Role::Exclude { twin } => (
                Change::Exclude,
                format!("this operation sends the same requests as `{twin}`"),
            ),
            Role::Name | Role::Rename => {
                let Some((noun, name)) = self.free_noun(service, one) else {
                    return Some(Advice::Words(too_little_room(service)));
                };
                if role == Role::Rename {
                    return Some(Advice::Words(rename(one, &noun, &name)));
                }
                let keys = target.keys(&one.operation.curation, noun);
                (Change::Set(keys), one.diagnostic.message.clone())
            }
        };
        let Some(selector) = target.selector else {
            let words = "no line of the overlay can select this operation alone: its path contains `*`, or an entry that also matches others wins";
            return Some(Advice::Words(words.to_owned()));
        };
        Some(Advice::Line(Fix {
            service: service.clone(),
            selector,
            has_entry: target.entry.is_some(),
            change,
            reason,
        }))
    }

    /// Takes the best noun whose name no other operation has or will have.
    fn free_noun(&mut self, service: &ServiceName, one: &Unsettled) -> Option<(String, ToolName)> {
        let naming = one.naming(service);
        let nouns = CandidateNouns::new(service, &one.operation.facts, &naming);
        let written = one.operation.curation.noun.as_ref();
        let written = written.and_then(|noun| {
            let noun = words(&noun.value).join("-");
            let name = nouns.name(&noun)?;
            Some((noun, name))
        });
        let is_refused = |name: &ToolName| one.operation.name.as_ref() == Ok(name);
        let base = naming.name.as_ref().ok();
        let is_free =
            |names: &Names, name: &ToolName| !is_refused(name) && names.is_free(name, base);
        let mut telling = written.into_iter().chain(nouns.telling());
        let mut free = telling.find(|(_, name)| is_free(&self.names, name));
        while free.is_none() {
            let number = self.names.next_number(&naming.noun);
            let numbered = nouns.numbered(number)?;
            free = Some(numbered).filter(|(_, name)| is_free(&self.names, name));
        }
        if let Some((_, name)) = &free {
            self.names.take(name);
        }
        free
    }
}

impl Unsettled {
    fn left_out(&self) -> LeftOut {
        self.operation.operation.leave_out(self.why)
    }

    /// The order in which operations choose their nouns, which does not depend on the document's.
    fn order(&self) -> (usize, &str, &str) {
        let operation = &self.operation.operation;
        (self.service, &operation.path, operation.method.word())
    }

    /// Names the operation without the noun of the overlay.
    fn naming(&self, service: &ServiceName) -> Naming {
        let verb = self.operation.curation.verb.as_ref();
        let hints = NameHints {
            verb: verb.map(|verb| verb.value.as_str()),
            noun: None,
        };
        name_of(service, &self.operation.facts, hints)
    }
}

/// Returns the change of a line that a person wrote.
fn rename(one: &Unsettled, noun: &str, name: &ToolName) -> String {
    let (key, value) = match &one.operation.curation.name {
        Some(_) => ("name", name.as_str()),
        None => ("noun", noun),
    };
    format!(
        "change the line of the overlay to `{key} = {}`",
        quoted(value)
    )
}

fn too_little_room(service: &ServiceName) -> String {
    format!(
        "the service name `{service}` leaves no room for a noun: give the service a shorter name"
    )
}
