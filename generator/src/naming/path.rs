//! Reading a path: the resource that it names, and the call at its end if there is one.

use toolwright_model::ServiceName;

mod fragment;

use super::noun::is_attribute;
use super::parameter::{bears_name, by, by_several, is_id, is_like, own_words};
use super::segment::{
    FORMATS, Segment, is_domain, is_format_parameter, is_namespace, is_version,
    is_version_parameter, literal_words, parse, split_call,
};
use crate::language::{
    WordList, is_plural, lexicon::is_past, singular, tool_verbs::tool_verb, words,
};
use fragment::split_fragment;

/// The resource of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath {
    /// The resource, from its furthest parent to itself.
    pub(crate) parts: Vec<Part>,
    /// The words of the call at the end: `info` of `documents.info`.
    pub(crate) call: Vec<String>,
    /// The version of a group of resources, unless it is the first.
    pub(crate) version: Vec<String>,
    /// The version at the beginning, unless it is the first.
    pub(crate) first_version: Option<String>,
    /// The removed parts with the reasons, one phrase each.
    pub(crate) dropped: Vec<String>,
}

/// One step of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its words.
    pub(crate) words: Vec<String>,
    /// True if a parameter selects one item.
    pub(crate) item: bool,
    /// The key, if the parameter's name is not that of the collection: `email` of `users/{email}`.
    pub(crate) by: Vec<String>,
    /// The last word of the parameter's name for the selected item.
    pub(crate) chosen: Vec<String>,
    /// The parameter's name.
    pub(crate) key: Vec<String>,
    /// True if the parameter's name contains that of the whole part:
    /// `upload_sessions/{upload_session_id}`.
    pub(crate) bears: bool,
    /// True if the parameter's name is that of another resource: `buckets/{clusterId}`.
    pub(crate) foreign: bool,
    /// True if its words come from a parameter, so they are not a call.
    pub(crate) named: bool,
    /// True if its words are in the order of the operation id instead of the path.
    pub(crate) turned: bool,
    /// True if a domain name names the group of resources.
    pub(crate) group: bool,
    /// True if its words come before its parents: the object of a call, or a word that
    /// distinguishes collections.
    pub(crate) object: bool,
    /// True if its spelling is kept since it distinguishes resources: the caller's own, or a
    /// separate path.
    pub(crate) fixed: bool,
}

impl Part {
    /// A part of these words.
    pub(crate) fn of(words: Vec<String>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }
}

/// Resources of which a caller has one, so a path without a parameter may mean the caller's own.
pub(crate) static CALLERS: WordList = WordList::new("org organization user");

/// Segments before the resource that name no part of it.
static PREFIXES: WordList = WordList::new("api apis rest restapi rpc");

impl ResourcePath {
    /// Reads a path template.
    pub(crate) fn read(service: &ServiceName, path: &str) -> Self {
        let (path, fragment) = split_fragment(path);
        let mut resource = Self::default();
        let segments: Vec<&str> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .collect();
        let mut rest = segments.as_slice();
        while let [segment, after @ ..] = rest {
            rest = after;
            if is_namespace(segment, after) {
                resource.drop_segment(segment, "it precedes a namespace");
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            // `v/2/items`
            if let (&("v" | "V"), [number, end @ ..]) = (segment, after)
                && number.bytes().all(|b| b.is_ascii_digit())
            {
                resource.take_version(&format!("v{number}"), end.is_empty());
                rest = end;
                continue;
            }
            resource.take(service, segment, after);
        }
        resource.take_fragment(service, fragment);
        resource.name_me();
        resource
    }

    /// `users/me` is the user who calls: `current-user`.
    fn name_me(&mut self) {
        if let [many, me, ..] = self.parts.as_mut_slice()
            && !many.item
            && matches!(me.words.as_slice(), [only] if only == "me" || only == "self")
        {
            let one = many.words.last().map(|word| singular(word));
            me.words = ["current".to_owned()].into_iter().chain(one).collect();
            me.item = true;
            self.parts.remove(0);
        }
    }

    /// Takes one segment.
    fn take(&mut self, service: &ServiceName, segment: &str, after: &[&str]) {
        let last = after.is_empty();
        let (segment, call) = if last {
            split_call(segment)
        } else {
            (segment, "")
        };
        let leads = self.parts.is_empty() && !last;
        if is_version(segment) {
            self.take_version(segment, last);
        } else if leads && is_version_parameter(segment) {
            self.drop_segment(segment, "it is a version");
        } else if leads && is_format_parameter(segment) {
            self.drop_segment(segment, "it selects the format of the response");
        } else {
            match parse(segment) {
                Segment::Literal(text) => self.take_literal(service, text, after),
                Segment::Parameters(beginning, names, ending) => {
                    self.take_beginning(beginning);
                    self.take_parameters(&names, ending);
                }
            }
        }
        self.call = words(call);
    }

    /// Records a version. One at the beginning, and the first, have no meaning.
    fn take_version(&mut self, segment: &str, last: bool) {
        let first = matches!(segment, "v1" | "V1") && !last;
        if self.parts.is_empty() || first {
            let told = words(segment)
                .pop()
                .filter(|word| word.starts_with('v') && word != "v1");
            self.first_version = told;
            self.drop_segment(segment, "it is a version");
        } else {
            self.version = words(segment);
        }
    }

    fn take_literal(&mut self, service: &ServiceName, text: &str, after: &[&str]) {
        let last = after.is_empty();
        let ends = after.iter().all(|segment| segment.starts_with('{'));
        let words = literal_words(text);
        let leads = self.parts.is_empty() && PREFIXES.has(&text.to_ascii_lowercase()) && !last;
        let versioned = after.first().is_some_and(|next| is_version(next));
        if leads || versioned && text.eq_ignore_ascii_case("api") {
            self.drop_segment(text, "it is an API prefix");
        } else if last && is_domain(text) {
            self.push([words, vec!["api".to_owned(), "group".to_owned()]].concat());
        } else if words.concat() == service.as_str() && !last {
            self.drop_segment(text, "it is the service's own word");
        } else if let [adjective] = words.as_slice()
            && is_attribute(adjective)
            && let Some(before) = self.parts.last_mut()
            && !before.item
            && !matches!(before.words.as_slice(), [only] if CALLERS.has(only))
            && before
                .words
                .last()
                .is_some_and(|last| ends && tells_apart(adjective) || is_plural(last))
        {
            // `projects/public`: public projects
            before.words.insert(0, adjective.clone());
            before.object = ends;
        } else if !words.is_empty() {
            self.parts.push(Part {
                group: is_domain(text),
                ..Part::of(words)
            });
        }
    }

    /// Takes the characters before a parameter of the same segment: `archive.{format}`.
    fn take_beginning(&mut self, beginning: &str) {
        let words = words(beginning);
        if !words.is_empty() {
            self.push(words);
        }
    }

    fn take_parameters(&mut self, names: &[&str], ending: &str) {
        let name = names.last().copied().unwrap_or_default();
        let own = own_words(name);
        let several = by_several(names);
        if self.chooses_parent(&own) {
            return;
        }
        match self.parts.last_mut() {
            // `stream/{video_id}`: one video of the stream
            Some(part)
                if !part.item
                    && !own.is_empty()
                    && is_id(name)
                    && own.last().is_some_and(|last| !is_attribute(last))
                    && part.words.last().is_some_and(|last| !is_plural(last))
                    && !bears_name(&part.words, name) =>
            {
                self.parts.push(Part {
                    words: own,
                    item: true,
                    named: true,
                    ..Part::default()
                });
            }
            // `auth/{token_mount_path}`: a path of its own
            Some(part) if !part.item && (own.is_empty() || !name.ends_with("_path")) => {
                part.item = true;
                part.by = several.unwrap_or_else(|| by(&part.words, &own, name));
                part.chosen = own.last().cloned().into_iter().collect();
                part.key = words(name);
                part.foreign = !own.is_empty() && !bears_name(&part.words, name);
                part.bears = own.len() == part.words.len()
                    && own
                        .iter()
                        .zip(&part.words)
                        .all(|(own, word)| singular(own) == singular(word));
            }
            // `repos/{owner}/{repo}`
            Some(part) if part.item && !own.is_empty() && is_like(&part.words, &own) => {
                part.by = by_second(part, name);
                part.foreign = false;
            }
            // `catalog/{type}/{name}`
            Some(part) if part.item && own.is_empty() && part.by.is_empty() => {
                part.by.clone_from(&part.chosen);
                part.by.extend(words(name));
            }
            // `channels/{type}/{id}`
            Some(part) if part.item && own.is_empty() => part.by.extend(words(name)),
            before => {
                let own_is_empty = own.is_empty();
                let words = if own.is_empty() && before.is_some() {
                    words(name)
                } else {
                    own
                };
                let fixed = !own_is_empty && name.ends_with("_path");
                self.parts.push(Part {
                    key: self::words(name),
                    words,
                    item: !fixed,
                    fixed,
                    named: true,
                    by: several.unwrap_or_default(),
                    ..Part::default()
                });
            }
        }
        let ending: Vec<String> = words(ending)
            .into_iter()
            .filter(|word| !FORMATS.has(word))
            .collect();
        if !ending.is_empty() {
            self.push(ending);
        }
    }

    /// `deployment/allocations/{deploymentId}`: the allocations of one deployment; but
    /// `plugin/remote/{pluginId}` is one plugin of a kind.
    fn chooses_parent(&mut self, own: &[String]) -> bool {
        match self.parts.as_mut_slice() {
            [.., parent, part]
                if !own.is_empty()
                    && !part.item
                    && !parent.item
                    && is_like(&parent.words, own)
                    && !is_like(&part.words, own) =>
            {
                let of_kind = part.words.last().is_some_and(|last| !is_plural(last));
                let called = part
                    .words
                    .first()
                    .is_some_and(|first| tool_verb(first).is_some());
                let one = parent.words.last().is_some_and(|last| !is_plural(last));
                let chosen = if one && of_kind && !called {
                    part
                } else {
                    parent
                };
                chosen.item = true;
                true
            }
            _ => false,
        }
    }

    fn push(&mut self, words: Vec<String>) {
        self.parts.push(Part::of(words));
    }

    fn drop_segment(&mut self, segment: &str, why: &str) {
        self.dropped.push(format!("`{segment}` is left out: {why}"));
    }
}

/// Returns the key of a second parameter if both have the name of the collection:
/// `images/{imageType}/{imageIndex}`.
fn by_second(part: &Part, name: &str) -> Vec<String> {
    let key = words(name).pop().unwrap_or_default();
    let of_kind = part.key.last().is_none_or(|last| last == "type");
    let tells = key == "index" || key == "id" && !of_kind;
    let both = bears_name(&part.words, &part.key.join("_")) && own_words(name).len() == 1;
    if tells && both { vec![key] } else { Vec::new() }
}

/// Checks whether an adjective distinguishes items of a name, so that it may precede one in the
/// singular: `task/failed`.
fn tells_apart(adjective: &str) -> bool {
    static WORDS: WordList =
        WordList::new("custom failed last latest next pending previous related");
    WORDS.has(adjective) || is_past(adjective)
}
