//! Reading a path: the resource that it names, and the call at its end if there is one.

use toolwright_model::ServiceName;

use super::noun::is_attribute;
use crate::english::{WordList, is_plural, singular, words};

/// What a path names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath {
    /// The resource, from its furthest parent to itself.
    pub(crate) parts: Vec<Part>,
    /// The words of what is called at the end: `info` of `documents.info`.
    pub(crate) call: Vec<String>,
    /// The version of a group of resources, where it is not the first.
    pub(crate) version: Vec<String>,
    /// What was left out, and why, one phrase each.
    pub(crate) dropped: Vec<String>,
}

/// One step of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its words.
    pub(crate) words: Vec<String>,
    /// Whether a parameter chooses one of many.
    pub(crate) item: bool,
    /// By what it is chosen, where the parameter does not bear its name: `email` of
    /// `users/{email}`.
    pub(crate) by: Vec<String>,
    /// The last word of the parameter's name that says what it chooses.
    pub(crate) chosen: Vec<String>,
    /// Whether it stands as it is written and tells things apart: the caller's own, or a path of
    /// its own.
    pub(crate) fixed: bool,
}

/// Segments before the resource that name no part of it.
const PREFIXES: WordList = WordList::new("api apis rest restapi rpc");

/// File endings that say how the answer is written.
const FORMATS: WordList = WordList::new("json");

/// Last labels of domain names, as in the group `networking.example.io`.
const DOMAINS: WordList = WordList::new("com dev io net org");

/// Words of a parameter's name that say how it chooses, not what.
const CHOOSERS: WordList = WordList::new(
    "alias arn code gid guid id identifier ids index key login mount name names no num number pk \
     ref sid slug uid urn uuid",
);

/// Last words of a parameter that is an identifier, so that its name does not matter.
const IDS: WordList = WordList::new("arn gid guid id identifier ids key pk sid uid urn uuid");

/// One segment of a path.
enum Segment<'a> {
    /// Text.
    Literal(&'a str),
    /// Parameters, and the text before the first and after the last.
    Parameters(&'a str, Vec<&'a str>, &'a str),
}

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
                resource.drop_segment(segment, "it announces a namespace");
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            resource.take(service, segment, after.is_empty());
        }
        resource.take_fragment(fragment);
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
    fn take(&mut self, service: &ServiceName, segment: &str, last: bool) {
        let (segment, call) = if last {
            split_call(segment)
        } else {
            (segment, "")
        };
        if is_version(segment) {
            let first = matches!(segment, "v1" | "V1") && !last;
            if self.parts.is_empty() || first {
                self.drop_segment(segment, "it is a version");
            } else {
                self.version = words(segment);
            }
        } else {
            match parse(segment) {
                Segment::Literal(text) => self.take_literal(service, text, last),
                Segment::Parameters(beginning, names, ending) => {
                    self.take_beginning(beginning);
                    self.take_parameters(&names, ending);
                }
            }
        }
        self.call = words(call);
    }

    fn take_literal(&mut self, service: &ServiceName, text: &str, last: bool) {
        let words = literal_words(text);
        if self.parts.is_empty() && PREFIXES.has(&text.to_ascii_lowercase()) && !last {
            self.drop_segment(text, "it is an API prefix");
        } else if words.concat() == service.as_str() && !last {
            self.drop_segment(text, "it is the service's own word");
        } else if let [adjective] = words.as_slice()
            && is_attribute(adjective)
            && let Some(before) = self.parts.last_mut()
            && !before.item
            && before.words.last().is_some_and(|last| is_plural(last))
        {
            // `projects/public`: public projects
            before.words.insert(0, adjective.clone());
        } else if !words.is_empty() {
            self.push(words);
        }
    }

    /// Takes the text before a parameter of the same segment: `archive.{format}`.
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
            // `auth/{token_mount_path}`: a path of its own
            Some(part) if !part.item && (own.is_empty() || !name.ends_with("_path")) => {
                part.item = true;
                part.by = several.unwrap_or_else(|| by(&part.words, &own, name));
                part.chosen = own.last().cloned().into_iter().collect();
            }
            // `repos/{owner}/{repo}`
            Some(part) if part.item && !own.is_empty() && is_like(&part.words, &own) => {
                part.by.clear();
            }
            // `catalog/{type}/{name}`
            Some(part) if part.item && own.is_empty() && part.by.is_empty() => {
                part.by.clone_from(&part.chosen);
                part.by.extend(words(name));
            }
            before => {
                let own_is_empty = own.is_empty();
                let words = if own.is_empty() && before.is_some() {
                    words(name)
                } else {
                    own
                };
                let fixed = !own_is_empty && name.ends_with("_path");
                self.parts.push(Part {
                    words,
                    item: !fixed,
                    fixed,
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

    /// `deployment/allocations/{deploymentId}`: the allocations of one deployment.
    fn chooses_parent(&mut self, own: &[String]) -> bool {
        match self.parts.as_mut_slice() {
            [.., parent, part]
                if !own.is_empty()
                    && !part.item
                    && !parent.item
                    && is_like(&parent.words, own)
                    && !is_like(&part.words, own) =>
            {
                parent.item = true;
                true
            }
            _ => false,
        }
    }

    /// Takes what follows `#` or `?`: `#Action=SendEmail`, `#X-Amz-Target=Queue.Send`, `#add`.
    fn take_fragment(&mut self, fragment: &str) {
        let value = fragment
            .rsplit_once('=')
            .map_or(fragment, |(_, value)| value);
        let value = value.rsplit_once('.').map_or(value, |(_, last)| last);
        if !value.is_empty() {
            self.call = words(value);
        }
    }

    fn push(&mut self, words: Vec<String>) {
        self.parts.push(Part {
            words,
            ..Part::default()
        });
    }

    fn drop_segment(&mut self, segment: &str, why: &str) {
        self.dropped.push(format!("`{segment}` is left out: {why}"));
    }
}

/// The path, and what follows `#` or `?`.
fn split_fragment(path: &str) -> (&str, &str) {
    path.split_once(['#', '?']).unwrap_or((path, ""))
}

/// Whether the segment announces a namespace that the next one names, as in
/// `providers/Example.Compute`.
fn is_namespace(segment: &str, after: &[&str]) -> bool {
    segment == "providers"
        && after.len() > 1
        && after
            .first()
            .is_some_and(|next| next.contains('.') && !next.contains('{'))
}

/// A segment and what is called on it: `documents` and `info`, `{name}` and `cancel`.
fn split_call(segment: &str) -> (&str, &str) {
    let segment = segment.strip_suffix(".json").unwrap_or(segment);
    if let Some((before, call)) = segment.rsplit_once(':')
        && !before.is_empty()
        && !call.contains('}')
    {
        return (before, call);
    }
    match segment.rsplit_once('.') {
        Some((before, call))
            if !before.is_empty()
                && !segment.contains('{')
                && !DOMAINS.has(call)
                && segment.starts_with(|c: char| c.is_ascii_lowercase())
                && call.starts_with(|c: char| c.is_ascii_lowercase()) =>
        {
            (before, call)
        }
        _ => (segment, ""),
    }
}

/// What a segment is.
fn parse(segment: &str) -> Segment<'_> {
    if let Some(name) = segment.strip_prefix(':') {
        return Segment::Parameters("", vec![name], "");
    }
    let names: Vec<&str> = segment
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .collect();
    if names.is_empty() {
        return Segment::Literal(segment);
    }
    let beginning = segment.split('{').next().unwrap_or_default();
    let ending = segment.rsplit_once('}').map_or("", |(_, ending)| ending);
    Segment::Parameters(beginning, names, ending)
}

/// The words of a literal; of a domain name those of its first label.
fn literal_words(text: &str) -> Vec<String> {
    match text.rsplit_once('.') {
        Some((before, last)) if DOMAINS.has(last) => {
            words(before.split('.').next().unwrap_or(before))
        }
        _ => {
            let text = text.strip_suffix(".json").unwrap_or(text);
            text.split('-')
                .filter(|piece| !is_opaque(piece))
                .flat_map(words)
                .collect()
        }
    }
}

/// Whether a piece of text is an identifier that nobody reads: long, with digits and both cases.
fn is_opaque(piece: &str) -> bool {
    let has = |of: fn(&u8) -> bool| piece.bytes().any(|b| of(&b));
    piece.len() >= 8
        && piece.starts_with(|c: char| c.is_ascii_digit())
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
}

/// By what several parameters of one segment choose: by the last word that all of them end in.
fn by_several(names: &[&str]) -> Option<Vec<String>> {
    let [first, .., last] = names else {
        return None;
    };
    let end = |name: &str| words(name).pop();
    Some(if end(first) == end(last) {
        end(last).into_iter().collect()
    } else {
        words(last)
    })
}

/// By what a parameter chooses one of many, where its name is not theirs.
fn by(many: &[String], own: &[String], name: &str) -> Vec<String> {
    let last = words(name).pop();
    let one = many.last().is_none_or(|last| !is_plural(last));
    if one && name == "path" {
        return vec![name.to_owned()];
    }
    let is_id = last.as_ref().is_some_and(|last| IDS.has(last));
    if !bears_name(many, name) {
        return if is_id { Vec::new() } else { own.to_vec() };
    }
    // `contacts/{contactNumber}` beside `contacts/{contactId}`
    if !own.is_empty() && last.is_some_and(|last| last == "number") {
        vec!["number".to_owned()]
    } else {
        Vec::new()
    }
}

/// Whether a parameter's name is that of what it chooses from, with or without what says how.
fn bears_name(many: &[String], name: &str) -> bool {
    let whole = words(name);
    let own = own_words(name);
    let begins = own.first().map(|first| singular(first)) == many.last().map(|last| singular(last));
    begins
        || (own.len()..=whole.len())
            .any(|end| whole.get(..end).is_some_and(|part| is_like(many, part)))
}

/// Whether a parameter's own words are those of what it chooses from, or none: `user` or `username`
/// of `users`, `cert` of `certificates`.
fn is_like(many: &[String], own: &[String]) -> bool {
    let (Some(many), Some(own)) = (many.last(), own.last()) else {
        return own.is_empty();
    };
    let (many, own) = (singular(many), singular(own));
    many.contains(&own) || own.contains(&many)
}

/// The words of a parameter's name that say what it chooses: `client` of `clientId`.
fn own_words(name: &str) -> Vec<String> {
    let mut own = words(name);
    while own
        .last()
        .is_some_and(|word| CHOOSERS.has(word) || word == "path")
    {
        own.pop();
    }
    own
}

/// Whether a segment is a version: `v2`, `v1beta1`, `3`, `1.0`, `2020-11-20`.
fn is_version(segment: &str) -> bool {
    let bare = segment.strip_prefix(['v', 'V']).unwrap_or(segment);
    let numbered = bare.starts_with(|c: char| c.is_ascii_digit());
    let plain = bare
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
    let stage = ["alpha", "beta", "preview"]
        .iter()
        .any(|stage| bare.to_ascii_lowercase().contains(stage));
    numbered && (plain || segment.len() > bare.len() && stage)
}
