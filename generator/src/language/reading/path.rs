//! The reading of a path: its steps, and the call at its end if it spells one out.

use super::{
    parameter::{bears_name, is_like, own_words},
    segment::{
        Segment, is_domain, is_format_parameter, is_namespace, is_version, is_version_parameter,
        literal_words, parse, split_call, without_extension, without_qualifier,
    },
};
use crate::language::{
    clause, is_plural,
    vocabulary::{Tag, is, is_past, verb},
    words,
};

/// A path, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathReading {
    /// The resource, from its furthest parent to itself.
    pub(crate) steps: Vec<Step>,
    /// The words of a call at the end: `info` of `documents.info`, `cancel` of `{name}:cancel`.
    pub(crate) call: Vec<String>,
    /// The segments that are no part of the resource, with the reasons.
    pub(crate) dropped: Vec<(String, Dropped)>,
}

/// The reason why a segment is no part of the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// It is a prefix of APIs: `/api`.
    Prefix,
    /// It precedes a namespace: `/providers/Example.Compute`.
    Namespace,
    /// It is a version.
    Version,
    /// It selects the format of the response.
    Format,
    /// It is a number or an opaque string.
    Opaque,
}

/// One step of a path: words, and the parameters that select an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// The words.
    pub(crate) words: Vec<String>,
    /// The names of the parameters after it that select an item.
    pub(crate) keys: Vec<String>,
    /// The names of the query parameters that the path contains.
    pub(crate) filters: Vec<String>,
    /// The source of the words.
    pub(crate) source: StepSource,
}

/// The source of a step's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StepSource {
    /// A literal segment.
    #[default]
    Literal,
    /// The first label of a domain name that names a group of resources.
    Domain,
    /// The name of a parameter.
    Parameter,
}

impl Step {
    /// Creates a step of a literal.
    pub(crate) fn from_words(words: Vec<String>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// Checks whether a parameter selects an item.
    pub(crate) fn is_item(&self) -> bool {
        !self.keys.is_empty() || self.source == StepSource::Parameter
    }

    /// Returns the last word, or an empty one. A relation does not count: `users` of `users-by-group`.
    pub(crate) fn last(&self) -> &str {
        let end = clause::relation(&self.words).unwrap_or(self.words.len());
        let last = end.checked_sub(1).and_then(|last| self.words.get(last));
        last.map_or("", String::as_str)
    }

    /// Checks whether its last word is a plural.
    pub(crate) fn is_many(&self) -> bool {
        is_plural(self.last())
    }
}

impl PathReading {
    /// Reads a path template.
    pub(crate) fn parse(path: &str) -> Self {
        let (path, fragment) = match path.split_once(['#', '?']) {
            // `/send/#env/v1/transfers` goes on as a path
            Some((_, fragment)) if fragment.contains('/') => (path, ""),
            split => split.unwrap_or((path, "")),
        };
        let mut reading = Self::default();
        let segments = path.split(['/', '#']).filter(|text| !text.is_empty());
        let segments: Vec<&str> = segments.collect();
        let mut rest = segments.as_slice();
        while let [segment, after @ ..] = rest {
            rest = after;
            if is_namespace(segment, after) {
                reading.drop(segment, Dropped::Namespace);
                rest = after.get(1..).unwrap_or_default();
            } else {
                reading.take(segment, after);
            }
        }
        reading.take_fragment(fragment);
        reading
    }

    fn take(&mut self, segment: &str, after: &[&str]) {
        let last = after.is_empty();
        if without_extension(segment) != segment {
            self.drop(segment, Dropped::Format);
        }
        let segment = if self.steps.is_empty() {
            segment
        } else {
            without_qualifier(segment)
        };
        let (segment, call) = if last {
            split_call(segment)
        } else {
            (segment, "")
        };
        let leads = self.steps.is_empty() && !last;
        let numbered = after
            .first()
            .is_some_and(|next| next.bytes().all(|b| b.is_ascii_digit()));
        let version = is_version(segment) || matches!(segment, "v" | "V") && numbered;
        if version || leads && is_version_parameter(segment) {
            self.drop(segment, Dropped::Version);
        } else if (leads || last) && is_format_parameter(segment) {
            self.drop(segment, Dropped::Format);
        } else {
            match parse(segment) {
                Segment::Literal(text) => self.take_literal(text, after),
                Segment::Parameters(beginning, names, ending) => {
                    self.push(words(beginning));
                    self.take_parameters(&names, after);
                    let ending = words(ending).into_iter();
                    self.push(ending.filter(|word| !is(word, Tag::Format)).collect());
                }
            }
        }
        self.call = words(call);
    }

    fn take_literal(&mut self, text: &str, after: &[&str]) {
        let last = after.is_empty();
        let prefix = is(&text.to_ascii_lowercase(), Tag::Prefix);
        let lower = text.to_ascii_lowercase();
        let ends = last && !self.steps.is_empty() && matches!(lower.as_str(), "json" | "xml");
        let item = after.len() == 1 && after.first().is_some_and(|next| next.starts_with('{'));
        let format = ends || is(&lower, Tag::Format) && self.steps.is_empty() && !last && !item;
        let versioned = after.first().is_some_and(|next| is_version(next));
        let words = literal_words(text);
        if prefix && !last && (self.steps.is_empty() || versioned) {
            self.drop(text, Dropped::Prefix);
        } else if format {
            self.drop(text, Dropped::Format);
        } else if words
            .iter()
            .all(|word| word.bytes().all(|b| b.is_ascii_digit()))
        {
            self.drop(text, Dropped::Opaque);
            if let Some(step) = self.steps.last_mut().filter(|_| words.is_empty()) {
                step.keys.push("id".to_owned());
            }
        } else {
            // `/apis/apps.example.io`: the group itself
            let whole = last && is_domain(text);
            let words = if whole {
                crate::language::words(text)
            } else {
                words
            };
            let several = words.len() > 1 && !words.iter().all(|word| clause::is_version(word));
            let words = words.into_iter();
            let words = words
                .filter(|word| !several || !clause::is_version(word))
                .collect();
            let source = if is_domain(text) {
                StepSource::Domain
            } else {
                StepSource::Literal
            };
            self.steps.push(Step {
                source,
                ..Step::from_words(words)
            });
        }
    }

    /// Takes the parameters of one segment: they select an item of the step before, or name one
    /// themselves.
    fn take_parameters(&mut self, names: &[&str], after: &[&str]) {
        let name = names.last().copied().unwrap_or_default();
        let own = own_words(name);
        let selects = match self.steps.last() {
            None => false,
            // `repos/{owner}/{repo}`, `channels/{type}/{id}`
            Some(step) if step.is_item() => {
                let literal = step.source == StepSource::Literal;
                let ends = after.iter().all(|next| next.starts_with('{'));
                // `snippets/{workspace}/{encoded_id}/comments`
                let describes = |word: &String| is(word, Tag::Adjective) || is_past(word);
                // `parcels/{x}/{y}/owners`
                let tells = own.iter().any(|word| word.len() > 1 && !describes(word));
                !tells || is_like(&step.words, &own) || literal && ends
            }
            // `stream/{video_id}/captions`: one video of the stream
            // `points/{lon},{lat}/assets`: one key of several parts
            Some(_) if names.len() > 1 => true,
            Some(step) => {
                let parent = after.first().is_some_and(|next| !next.starts_with('{'));
                // `transaction/{hash}/receipt`
                let value = |last: &str| matches!(last, "address" | "hash" | "oid" | "token");
                let told = |last: &String| {
                    !is(last, Tag::Adjective) && !is(last, Tag::Trait) && !value(last)
                };
                let other = own.last().is_some_and(told) && !bears_name(&step.words, name);
                let called = step.words.first().and_then(|first| verb(first));
                !(parent && other) || step.is_many() || called.is_some_and(|verb| verb.is_plain())
            }
        };
        match self.steps.last_mut().filter(|_| selects) {
            Some(step) => step
                .keys
                .extend(names.iter().map(|name| (*name).to_owned())),
            // `{apiKey}` gives access
            None if matches!(words(name).as_slice(), [api, key] if api == "api" && key == "key") => {
            }
            None => {
                let mut words = if own.is_empty() { words(name) } else { own };
                if let Some(user) = words.last_mut().filter(|last| *last == "username") {
                    "user".clone_into(user);
                }
                self.steps.push(Step {
                    words,
                    keys: vec![name.to_owned()],
                    filters: Vec::new(),
                    source: StepSource::Parameter,
                });
            }
        }
    }

    /// Takes what follows `#` or `?`: `#Action=SendEmail`, `#X-Amz-Target=Queue.Send`, `?lat={lat}`.
    fn take_fragment(&mut self, fragment: &str) {
        let first = fragment.split('&').next().unwrap_or_default();
        if let Some(last) = self.steps.last_mut().filter(|_| first.contains('{')) {
            let keys = fragment.split('&').filter_map(|pair| pair.split_once('='));
            last.filters.extend(keys.map(|(key, _)| key.to_owned()));
            return;
        }
        // `/tags#tagKeys`: a parameter of the query
        let literal = |step: &Step| step.source == StepSource::Literal;
        let word = first.starts_with(|c: char| c.is_ascii_lowercase())
            && self.steps.last().is_some_and(literal);
        if word && !first.contains(['=', '.']) {
            return;
        }
        let value = first.rsplit_once('=').map_or(first, |(_, value)| value);
        // `?beta=true`
        if value == "true" {
            return;
        }
        let (things, value) = value.rsplit_once('.').unwrap_or(("", value));
        // `?method=photos.notes.add`; the target of `#X-Amz-Target=Queue_2015.Send` is the service
        let domain = things
            .split('.')
            .next()
            .is_some_and(|first| is(first, Tag::Domain));
        if !domain && things.starts_with(|c: char| c.is_ascii_lowercase()) {
            self.steps.clear();
            for thing in things.split('.') {
                self.push(words(thing));
            }
        }
        if !value.is_empty() {
            self.call = words(value);
        }
    }

    fn push(&mut self, words: Vec<String>) {
        if !words.is_empty() {
            self.steps.push(Step::from_words(words));
        }
    }

    /// Checks whether a segment is left out for this reason.
    pub(crate) fn drops(&self, why: Dropped) -> bool {
        self.dropped.iter().any(|(_, dropped)| *dropped == why)
    }

    fn drop(&mut self, segment: &str, why: Dropped) {
        self.dropped.push((segment.to_owned(), why));
    }
}
