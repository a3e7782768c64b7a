//! The words that a name may consist of, in the order of the name.

use std::collections::BTreeMap;

use toolwright_model::{Kind, Method, ToolName};

use super::{
    nouns::{self, Nouns},
    segments::{Piece, Placed, pieces},
    tokens::{Token, Tokens},
};
use crate::{
    language::{WordList, facts::OperationFacts, singular, words},
    naming::{
        Naming,
        abbreviations::abbreviate,
        noun::WordRank,
        parameter::{is_id, is_like, own_words},
    },
};

/// The source of an atom. Earlier sources are preferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// The base name.
    Base,
    /// The path, as far as it is part of the resource.
    #[default]
    Path,
    /// A parameter of the path, which others do not have.
    Parameter,
    /// The rest of the path, such as an API prefix.
    Rest,
    /// The version.
    Version,
    /// The spelling of a word of the path.
    Spelling,
    /// The method.
    Method,
    /// The name of a parameter of the path.
    ParameterName,
    /// The operation id.
    Id,
    /// A query parameter.
    Query,
    /// The slash at the end of the path.
    Slash,
    /// A word of the path for which the verb stands.
    Synonym,
    /// A word of the path that the verb or other words already contain.
    Repeated,
}

/// The part of the name that an atom belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AtomSlot {
    /// It stands before the noun.
    Manner,
    Noun,
    By,
    With,
    Version,
    Using,
    /// It replaces the verb.
    Verb,
    /// It replaces the noun atom with this number.
    Spelling(usize),
}

/// A word, or several that stay together.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) text: String,
    pub(super) tier: Tier,
    pub(super) slot: AtomSlot,
    /// The segment of the path, or a number of its own.
    pub(super) segment: usize,
    /// The rank in the noun.
    pub(super) rank: WordRank,
    pub(super) token: Token,
}

/// The atoms of an operation.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    /// The atoms, in the order of the name.
    pub(super) all: Vec<Atom>,
    /// Their tokens, sorted.
    tokens: Vec<Token>,
    /// The tokens of each tier.
    by_tier: BTreeMap<Tier, Vec<Token>>,
}

/// Verbs that mean no more than a method of HTTP.
static PLAIN: WordList = WordList::new("create delete put remove replace set update upsert write");

/// Verbs of requests that read.
static READING: WordList = WordList::new("check count find get list query search");

impl Atoms {
    /// Collects the atoms of an operation.
    pub(super) fn new(
        facts: &OperationFacts,
        naming: &Naming,
        kind: Kind,
        tokens: &mut Tokens,
    ) -> Self {
        let pieces = pieces(&facts.path);
        let mut nouns = Nouns::new(naming);
        nouns.add_path(&pieces, &naming.verb);
        nouns.add_id(facts, &naming.verb);
        let mut builder = AtomBuilder {
            atoms: Self::default(),
            tokens,
        };
        builder.add_nouns(nouns);
        builder.add_parameters(&pieces);
        builder.add_versions(&pieces);
        builder.add_method(facts.method, &naming.verb, kind);
        builder.add_query(facts);
        let mut atoms = builder.atoms;
        atoms.all.sort_by_key(|atom| atom.slot);
        atoms.tokens = atoms.all.iter().map(|atom| atom.token).collect();
        atoms.tokens.sort_unstable();
        atoms.tokens.dedup();
        for atom in &atoms.all {
            atoms.by_tier.entry(atom.tier).or_default().push(atom.token);
        }
        atoms
    }

    /// Adds the words of the name that the operation has, so they do not tell others apart from it.
    pub(super) fn add_name(&mut self, name: &ToolName, tokens: &mut Tokens) {
        let words = name.as_str().split('-').skip(2);
        self.tokens
            .extend(words.map(|word| tokens.intern(short(word))));
        self.tokens.sort_unstable();
        self.tokens.dedup();
    }

    /// Removes the atom that replaces the verb, which the overlay sets.
    pub(super) fn keep_verb(&mut self) {
        self.all.retain(|atom| atom.slot != AtomSlot::Verb);
    }

    /// Returns atoms to add to the selected ones: single ones, the preferred first, and then more and
    /// more of them.
    pub(super) fn further(&self, selected: &[usize], number: usize) -> Vec<usize> {
        let Some(last) = number.checked_sub(1) else {
            return Vec::new();
        };
        let mut others = self.others(selected);
        others.retain(|at| {
            let atom = self.all.get(*at);
            atom.is_some_and(|atom| atom.tier != Tier::Base)
        });
        match others.get(last) {
            Some(other) => vec![*other],
            None => others
                .iter()
                .take(last + 2 - others.len())
                .copied()
                .collect(),
        }
    }

    /// Returns the atoms that are not selected, the preferred first.
    pub(super) fn others(&self, selected: &[usize]) -> Vec<usize> {
        let mut others: Vec<(Tier, usize, usize)> = self
            .all
            .iter()
            .enumerate()
            .filter(|(at, _)| !selected.contains(at))
            .map(|(at, atom)| (atom.tier, usize::MAX - at, at))
            .collect();
        others.sort_unstable();
        others.into_iter().map(|(_, _, at)| at).collect()
    }

    /// Checks whether the operation has a token.
    pub(super) fn has(&self, token: Token) -> bool {
        self.tokens.binary_search(&token).is_ok()
    }

    /// Checks whether the operation has a token of these tiers that another does not have.
    pub(super) fn differs(&self, tiers: &[Tier], other: &Self) -> bool {
        let tokens = tiers.iter().filter_map(|tier| self.by_tier.get(tier));
        tokens.flatten().any(|token| !other.has(*token))
    }

    /// Returns the tokens.
    pub(super) fn tokens(&self) -> impl Iterator<Item = Token> {
        self.tokens.iter().copied()
    }
}

struct AtomBuilder<'t> {
    atoms: Atoms,
    tokens: &'t mut Tokens,
}

impl AtomBuilder<'_> {
    fn push(&mut self, text: String, tier: Tier, slot: AtomSlot, place: (usize, WordRank)) {
        let base = token_text(&text, slot);
        self.push_as(base, text, tier, slot, place);
    }

    /// Adds an atom whose token is not that of its text.
    fn push_as(
        &mut self,
        base: String,
        text: String,
        tier: Tier,
        slot: AtomSlot,
        place: (usize, WordRank),
    ) {
        let mut token = self.tokens.intern(base.clone());
        // the second word of the same spelling
        let mut repeated = 1;
        while self.atoms.all.iter().any(|atom| atom.token == token) {
            repeated += 1;
            token = self.tokens.intern(format!("{base} {repeated}"));
        }
        let (segment, rank) = place;
        self.atoms.all.push(Atom {
            text,
            tier,
            slot,
            segment,
            rank,
            token,
        });
    }

    fn add_nouns(&mut self, nouns: Nouns) {
        let mut spellings = Vec::new();
        for (at, noun) in nouns.all.into_iter().enumerate() {
            spellings.extend(noun.spelled.map(|text| (at, text)));
            let place = (noun.segment, noun.rank);
            self.push(noun.text, noun.tier, AtomSlot::Noun, place);
        }
        for (at, text) in spellings {
            let segment = nouns::OWN + self.atoms.all.len();
            self.push(
                text,
                Tier::Spelling,
                AtomSlot::Spelling(at),
                (segment, WordRank::default()),
            );
        }
    }

    /// Adds two atoms for each parameter: it is there, and it has this name.
    fn add_parameters(&mut self, pieces: &[Placed]) {
        let mut before: &[String] = &[];
        let mut chosen = false;
        for (at, (segment, piece)) in pieces.iter().enumerate() {
            let name = match piece {
                Piece::Words(words) => {
                    (before, chosen) = (words, false);
                    continue;
                }
                Piece::Version(_) => continue,
                Piece::Parameter(name) => name,
            };
            let trailing = pieces.get(at + 1).is_none();
            let text = key(name, before, chosen, trailing);
            let own = nouns::OWN + self.atoms.all.len();
            if !text.is_empty() && !self.has_by(&text) {
                let after = before.last().map(|last| singular(last)).unwrap_or_default();
                let token = format!("after {after}");
                self.push_as(
                    token,
                    text,
                    Tier::Parameter,
                    AtomSlot::By,
                    (*segment, WordRank::default()),
                );
            }
            let whole = words(name).join("-");
            if !whole.is_empty() && !self.has_by(&whole) {
                let token = token_text(&whole, AtomSlot::By);
                let text = without_thing(name, before);
                let place = (own, WordRank::default());
                self.push_as(token, text, Tier::ParameterName, AtomSlot::By, place);
            }
            chosen = true;
        }
    }

    /// Checks whether the base name has the key.
    fn has_by(&self, key: &str) -> bool {
        let noun = format!("by-{key}");
        let mut atoms = self.atoms.all.iter();
        atoms.any(|atom| atom.slot == AtomSlot::Noun && atom.text == noun)
    }

    fn add_versions(&mut self, pieces: &[Placed]) {
        for (_, piece) in pieces {
            if let Piece::Version(text) = piece {
                let place = (nouns::OWN + self.atoms.all.len(), WordRank::default());
                self.push(text.clone(), Tier::Version, AtomSlot::Version, place);
            }
        }
    }

    fn add_method(&mut self, method: Method, verb: &str, kind: Kind) {
        let place = (nouns::OWN + self.atoms.all.len(), WordRank::default());
        let own = match method {
            Method::Put => Some("replace"),
            Method::Patch => Some("update"),
            Method::Delete => Some("delete"),
            _ => None,
        };
        let changes = kind > Kind::Derive && PLAIN.has(verb);
        let own = own.filter(|_| changes).or(match verb {
            _ if method != Method::Post => None,
            "query" => Some("search"),
            "find" | "get" | "list" | "search" => Some("query"),
            _ => None,
        });
        match own.filter(|own| *own != verb) {
            Some(own) => self.push(own.to_owned(), Tier::Method, AtomSlot::Verb, place),
            // `POST /items/count` next to `GET`
            None if method == Method::Post && verb == "count" => {
                self.push("matching".to_owned(), Tier::Method, AtomSlot::Manner, place);
            }
            None if usual_method(verb) != method => {
                let text = method.word().to_ascii_lowercase();
                self.push(text, Tier::Method, AtomSlot::Using, place);
            }
            None => {}
        }
    }

    fn add_query(&mut self, facts: &OperationFacts) {
        let parameters = facts.query_parameters.iter();
        for (tier, required) in [(Tier::Query, true), (Tier::Query, false)] {
            let chosen = parameters
                .clone()
                .filter(|query| query.required == required);
            for query in chosen {
                let place = (nouns::OWN + self.atoms.all.len(), WordRank::default());
                let text = words(&query.name).join("-");
                if !text.is_empty() {
                    self.push(text, tier, AtomSlot::With, place);
                }
            }
        }
        if facts.path.len() > 1 && facts.path.ends_with('/') {
            let place = (nouns::OWN + self.atoms.all.len(), WordRank::default());
            self.push("slash".to_owned(), Tier::Slash, AtomSlot::With, place);
        }
    }
}

/// Returns the string whose token an atom has.
fn token_text(text: &str, slot: AtomSlot) -> String {
    let short: Vec<_> = text.split('-').map(short).collect();
    let class = match slot {
        AtomSlot::Manner | AtomSlot::Noun | AtomSlot::Spelling(_) | AtomSlot::Version => "",
        AtomSlot::By => "by ",
        AtomSlot::With => "with ",
        AtomSlot::Using => "using ",
        AtomSlot::Verb => "verb ",
    };
    format!("{class}{}", short.join("-"))
}

/// Returns the words of a parameter without those of the segment before it at their start: `path` of
/// `folders/{folderPath}`.
fn without_thing(name: &str, before: &[String]) -> String {
    let words = words(name);
    let thing = |word: &&String| before.iter().any(|own| singular(own) == singular(word));
    let count = words.iter().take_while(thing).count();
    let rest = words.get(count..).filter(|rest| !rest.is_empty());
    rest.unwrap_or(&words).join("-")
}

/// Returns the method with which an action of this name is usually called.
fn usual_method(verb: &str) -> Method {
    match verb {
        "replace" => Method::Put,
        "update" => Method::Patch,
        "delete" => Method::Delete,
        verb if READING.has(verb) => Method::Get,
        _ => Method::Post,
    }
}

/// Returns the words for an item that a parameter selects: those of its name, if they tell more
/// than the segment before it.
fn key(name: &str, before: &[String], chosen: bool, trailing: bool) -> String {
    let (whole, own) = (words(name), own_words(name));
    let tells = !own.is_empty() && !is_like(before, &own);
    // `checks/{checkClassId}`: by class id
    if tells && trailing && is_id(name) {
        let thing = |word: &&String| before.iter().any(|own| singular(own) == **word);
        let count = own.iter().take_while(thing).count();
        let rest = whole.get(count..).filter(|_| count < own.len());
        return rest.unwrap_or(&whole).join("-");
    }
    // `images/{imageIndex}`: by index
    let thing = |first: &String| before.last().is_some_and(|last| singular(last) == *first);
    match own.split_first() {
        Some((first, rest)) if tells && trailing && !rest.is_empty() && thing(first) => {
            return rest.join("-");
        }
        _ if tells => return own.join("-"),
        _ => {}
    }
    match (chosen, trailing) {
        // `accounts/{account}`
        (false, true) if tells_nothing(&own, before) => "id".to_owned(),
        (false, true) => whole.last().cloned().unwrap_or_default(),
        (false, false) => before.last().map(|last| singular(last)).unwrap_or_default(),
        (true, _) => whole.join("-"),
    }
}

/// Checks whether the words of a parameter are the last ones of the segment before it.
fn tells_nothing(own: &[String], before: &[String]) -> bool {
    let mut pairs = own.iter().rev().zip(before.iter().rev());
    !own.is_empty() && own.len() <= before.len() && pairs.all(|(a, b)| singular(a) == singular(b))
}

/// Returns a word in its shortest form.
pub(super) fn short(word: &str) -> String {
    abbreviate(word).map_or_else(|| word.to_owned(), std::borrow::Cow::into_owned)
}
