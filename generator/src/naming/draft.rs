//! The draft of a name: the verb and the atoms that the rules give to an operation.

use toolwright_model::Method;

use super::{
    context::Context,
    noun::{NounAtom, Number},
    rule::{
        Apply::{Choice, Leave, Noun, Path, Shape, Verb},
        Rule, RuleSubject,
    },
    rules::RULES,
    verb::VerbChoice,
};

/// The verb and the atoms that the rules give to an operation.
pub(crate) struct Draft {
    /// The verb and the resource.
    pub(crate) choice: VerbChoice,
    /// The atoms of the noun.
    pub(crate) atoms: Vec<NounAtom>,
    /// The rules that decided something.
    pub(crate) by: Vec<&'static Rule>,
}

impl Draft {
    /// Applies the rules.
    pub(crate) fn new(context: &Context<'_>) -> Self {
        let mut steps = context.reading.path.steps.clone();
        let mut by = Vec::new();
        let mut choice = None;
        // what HEAD and OPTIONS do is not what the path and the texts describe
        let method = context.reading.facts.method;
        let acts = !matches!(method, Method::Head | Method::Options);
        for rule in RULES {
            match rule.apply {
                Path(shows) if shows(&context.reading.path) => by.push(rule),
                Shape(change) if change(context, &mut steps) => by.push(rule),
                Verb(choose) if choice.is_none() && (acts || rule.id == "method") => {
                    choice = choose(context, &steps);
                    by.extend(choice.is_some().then_some(rule));
                }
                _ => {}
            }
        }
        let mut choice = choice.unwrap_or(VerbChoice {
            verb: "call",
            steps,
            object: Vec::new(),
            number: Number::AsWritten,
            all: false,
        });
        for rule in RULES {
            if let Choice(change) = rule.apply {
                by.extend(change(context, &mut choice).then_some(rule));
            }
        }
        let mut atoms = Vec::new();
        let subject = RuleSubject {
            context,
            choice: &choice,
        };
        for rule in RULES {
            if let Noun(give) = rule.apply {
                let given = give(&subject);
                by.extend((!given.is_empty()).then_some(rule));
                atoms.extend(given);
            }
        }
        for rule in RULES {
            if let Leave(mark) = rule.apply {
                by.extend(mark(&subject, &mut atoms).then_some(rule));
            }
        }
        Self { choice, atoms, by }
    }

    /// Returns the reason for the verb, for `explain`.
    pub(crate) fn because(&self) -> &'static str {
        let mut rules = self.by.iter().filter(|rule| matches!(rule.apply, Verb(_)));
        match rules.next().map(|rule| rule.id) {
            Some("spelt-out" | "last-step") => "the path ends in what is called",
            Some("leading-step") => "the path has it before the thing",
            Some("text" | "upsert") => "the operation id or the summary has it",
            _ => "by the method and the form of the path",
        }
    }
}
