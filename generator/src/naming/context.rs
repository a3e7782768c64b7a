//! The operation to name, and how its operation id and summary use a verb.

use toolwright_model::{Kind, ServiceName};

use crate::language::{
    clause::{Clause, VerbAt, VerbPlace},
    reading::Reading,
    vocabulary::{Certainty, Tag, is},
    words,
};

/// The operation that is named.
pub(crate) struct Context<'a> {
    /// Its reading.
    pub(crate) reading: &'a Reading<'a>,
    /// The row of the governance table.
    pub(crate) kind: Kind,
    /// The service.
    pub(crate) service: &'a ServiceName,
    /// The words of the operation id.
    pub(crate) id: Vec<String>,
    /// The words of the summary, or of the description if there is no summary.
    pub(crate) text: Vec<String>,
}

impl<'a> Context<'a> {
    /// Prepares the naming of an operation.
    pub(crate) fn new(reading: &'a Reading<'a>, kind: Kind, service: &'a ServiceName) -> Self {
        Self {
            id: words(reading.id_text),
            text: words(reading.facts.texts().next().unwrap_or_default()),
            reading,
            kind,
            service,
        }
    }
}

impl Context<'_> {
    /// Checks whether the operation id or the summary has this verb.
    pub(crate) fn agrees(&self, verb: VerbAt) -> bool {
        self.reading.clauses().any(|clause| has(clause, verb))
    }

    /// Checks whether a clause surely has this verb, which may be a noun elsewhere.
    pub(crate) fn is_surely(&self, verb: VerbAt) -> bool {
        let mut own = self.reading.clauses().filter_map(|clause| clause.verb);
        verb.sure || own.any(|at| at.sure && at.verb.tool == verb.verb.tool)
    }

    /// Checks whether both the operation id and the summary have this verb.
    pub(crate) fn is_twice(&self, verb: VerbAt) -> bool {
        let mut clauses = self.reading.clauses();
        self.reading.clauses().count() > 1 && clauses.all(|clause| has(clause, verb))
    }

    /// Returns the clauses of the operation id and the summary that surely have another verb.
    pub(crate) fn others(&self, verb: VerbAt) -> impl Iterator<Item = &Clause> {
        self.reading.clauses().filter(move |clause| {
            let own = clause.verb.filter(|at| at.sure);
            // `Invoke action accept`
            const EMPTY: [&str; 13] = [
                "execute", "initiate", "invoke", "make", "patch", "perform", "place", "post",
                "put", "run", "submit", "trigger", "write",
            ];
            let empty = |at: VerbAt| EMPTY.contains(&at.verb.base);
            own.is_some_and(|at| at.verb.tool != verb.verb.tool && !empty(at)) || clause.answers
        })
    }

    /// Checks whether the summary reads.
    pub(crate) fn reads(&self) -> bool {
        let reads = |at: VerbAt| at.sure && at.verb.reads();
        let reads = |clause: &Clause| clause.answers || clause.verb.is_some_and(reads);
        self.reading.summary_clause().is_some_and(reads)
    }

    /// Checks whether the summary has this verb: surely, or with an object if the verb reads.
    pub(crate) fn is_summary_of(&self, verb: VerbAt) -> bool {
        let Some(clause) = self.reading.summary_clause() else {
            return false;
        };
        // `Download zip of the files`, but not `Download status`
        let named = clause.is_about(Tag::State) || clause.is_about(Tag::Hollow);
        let known = verb.verb.reads() && verb.verb.certainty != Certainty::Vague;
        let reads = known && !named && !clause.object.is_empty();
        let own = clause.verb.filter(|own| own.verb.base == verb.verb.base);
        own.is_some_and(|own| own.sure || reads)
    }

    /// Checks whether the operation id surely has another verb than the summary.
    pub(crate) fn says_more_than(&self, verb: VerbAt) -> bool {
        let id = self.reading.id_clause().and_then(|clause| clause.verb);
        let of_method = |id: VerbAt| matches!(id.verb.base, "patch" | "post" | "put");
        let fits = |id: VerbAt| {
            id.sure && id.verb.reads() == (self.kind <= Kind::Derive) && !of_method(id)
        };
        id.is_some_and(|id| fits(id) && id.verb.tool != verb.verb.tool)
    }

    /// Checks whether the operation id or the summary surely has another verb, other than one that
    /// only gets what the verb finds.
    pub(crate) fn says_other(&self, verb: VerbAt) -> bool {
        let other = |clause: &Clause| {
            let own = clause.verb.filter(|at| at.sure);
            let gets =
                |at: VerbAt| verb.verb.reads() && at.verb.reads() && is(at.verb.base, Tag::Basic);
            own.is_some_and(|at| at.verb.tool != verb.verb.tool && !gets(at))
        };
        self.reading.clauses().any(other)
    }

    /// Checks whether the operation id or the summary surely has a verb that says more than the method.
    pub(crate) fn says_more(&self, verb: VerbAt) -> bool {
        let more = |clause: &Clause| {
            let own = clause.verb.filter(|at| at.sure).and_then(|at| at.verb.tool);
            own.is_some_and(|tool| Some(tool) != verb.verb.tool && !is(tool, Tag::Basic))
        };
        self.reading.clauses().any(more)
    }

    /// Checks whether neither the operation id nor the summary has a verb but the word of the method.
    pub(crate) fn is_silent(&self) -> bool {
        self.reading.clauses().all(|clause| {
            let silent = clause.verb.is_none() || self.repeats_method(clause);
            silent && !clause.answers
        })
    }

    /// Checks whether the only verb of an operation id is the word of the method: `PostDeploymentPause`.
    pub(crate) fn repeats_method(&self, clause: &Clause) -> bool {
        let method = self.reading.facts.method.word().to_ascii_lowercase();
        let code = clause.quote == self.reading.id_text;
        let verb = clause.verb.map(|at| at.verb.base);
        code && verb == Some(method.as_str()) && matches!(verb, Some("patch" | "post" | "put"))
    }
}

/// Checks whether the verb of a clause is this one. A verb that has its meaning only in some services
/// must be the same word.
fn has(clause: &Clause, verb: VerbAt) -> bool {
    let noun =
        |at: &VerbAt| at.sure || at.verb.base == verb.verb.base && at.place != VerbPlace::Tail;
    let vague = verb.verb.certainty == Certainty::Vague;
    let same =
        |at: &VerbAt| at.verb.tool == verb.verb.tool && (!vague || at.verb.base == verb.verb.base);
    clause.verb.filter(same).is_some_and(|at| noun(&at))
}
