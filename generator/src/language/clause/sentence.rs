//! Clauses of sentences.

use std::borrow::Cow;

use crate::language::{
    Form, is_plural,
    vocabulary::{Certainty, Tag, Verb, any, is, is_past, join_particles, verb, verb_form},
    words,
};

use super::{Clause, VerbAt, VerbPlace};

/// The greatest distance from the preamble to a name of the operation itself.
const ITSELF_WITHIN: usize = 4;

impl Clause {
    /// Reads a sentence. It has no verb if the sentence does not begin with one. Words in brackets are
    /// no part of its object: `Get active (executing) strategies`.
    pub(crate) fn of_sentence(text: &str, sentence: usize) -> Self {
        let mut clause = Self::of_plain_sentence(text, sentence);
        if let Some(plain) = without_brackets(text) {
            let plain = Self::of_plain_sentence(&plain, sentence);
            let base = |clause: &Self| clause.verb.map(|at| at.verb.base);
            if base(&plain) == base(&clause) && !plain.object.is_empty() {
                clause.object = plain.object;
                clause.lists |= plain.lists;
            }
        }
        clause
    }

    fn of_plain_sentence(text: &str, sentence: usize) -> Self {
        let all = join_particles(after_condition(&with_conjunction(text)));
        let all = if is_purpose(text, &all) {
            Vec::new()
        } else {
            all
        };
        let start = start(&all).unwrap_or_default();
        let mut clause = Self {
            sentence,
            quote: text.to_owned(),
            ..Self::default()
        };
        clause.own = all.iter().any(|word| is(word, Tag::Own));
        let article = start
            .checked_sub(1)
            .and_then(|at| all.get(at))
            .filter(|word| is(word, Tag::Article));
        let (Some(first), rest) = (all.get(start), all.get(start + 1..).unwrap_or_default()) else {
            return clause;
        };
        // `This returns` has a verb, `This update` has none
        let article = article.is_some_and(|word| word != "this" || !first.ends_with('s'));
        let next = rest.first().map_or("", String::as_str);
        clause.answers = !article && answers(first, next);
        clause.verb = verb_form(first)
            .filter(|(_, form)| *form != Form::Past && !clause.answers)
            .map(|(verb, form)| VerbAt {
                verb,
                form,
                place: VerbPlace::Head,
                sure: is_sure(verb, form, rest, article)
                    && !(start == 0 && !verb.is_plain() && is_hyphenated(text))
                    && !(is(verb.base, Tag::Working) && (start > 0 || form == Form::ThirdPerson)),
            });
        let verb = clause.verb.is_some() || clause.answers;
        clause.take_object(if verb {
            rest
        } else {
            all.get(start..).unwrap_or_default()
        });
        clause
    }

    /// Takes the object and what follows it.
    fn take_object(&mut self, words: &[String]) {
        let form = self.verb.map(|at| at.form);
        let mut rest = words;
        while let [joint, second, after @ ..] = rest
            && is(joint, Tag::Conjunction)
            && let Some((verb, other)) = verb_form(second)
            && Some(other) == form
        {
            self.join(verb, other);
            rest = after;
        }
        self.indefinite = matches!(rest.first().map(String::as_str), Some("a" | "an" | "new"));
        let ends = |word: &String| is(word, Tag::Preposition) || is(word, Tag::Aside);
        // `a list of items`, `the details of an item`: items
        if let Some(of) = rest.iter().position(ends)
            && let Some((before, [preposition, after @ ..])) = rest.split_at_checked(of)
        {
            let lists = preposition == "of" && before.iter().all(|word| is_container(word));
            let leads = matches!(preposition.as_str(), "about" | "for" | "of");
            if lists || leads && is_about_only(before) {
                self.lists |= lists;
                rest = after;
            }
        }
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        // words after a plural that begin its description
        const FOLLOWS: [&str; 6] = [
            "available",
            "belonging",
            "containing",
            "having",
            "holding",
            "matching",
        ];
        // `accounts managed by a user`, `runners available for a project`
        let describes = |word: &String| is_past(word) || FOLLOWS.contains(&word.as_str());
        let managed = |pair: &[String]| matches!(pair, [things, next] if is_plural(things) && describes(next));
        let pairs = rest.get(..end).unwrap_or_default().windows(2);
        let end = pairs.into_iter().position(managed).map_or(end, |at| at + 1);
        let (object, tail) = rest.split_at_checked(end).unwrap_or_default();
        self.many |= any(object, Tag::Many);
        self.all = object.iter().any(|word| word == "all");
        self.take_coordinated(object, form);
        self.take_later_verb(tail, form);
        self.tail = tail.to_vec();
        // `Export recipients status`
        let state = self.object.len() > 1 && self.is_about(Tag::State);
        let noun = |at: &&mut VerbAt| state && !at.verb.is_plain() && at.verb.base != "set";
        if let Some(at) = self.verb.as_mut().filter(noun) {
            at.sure = false;
        }
        // `the users list`
        if self.object.len() > 1 && self.object.last().is_some_and(|last| last == "list") {
            self.object.pop();
            self.lists = true;
        }
    }

    /// Takes the words of the object up to a second verb: `the message and removes it`.
    fn take_coordinated(&mut self, object: &[String], form: Option<Form>) {
        let mut words = object.iter().peekable();
        while let Some(word) = words.next() {
            let second = words.peek().and_then(|next| verb_form(next));
            if let Some((verb, other)) = second.filter(|_| is(word, Tag::Conjunction))
                && (Some(other) == form || other == Form::ThirdPerson)
                && verb.is_plain()
            {
                self.join(verb, other);
                return;
            }
            // `one or more items`
            let joint = self.object.is_empty() && is(word, Tag::Conjunction);
            if !(joint || is(word, Tag::Determiner) || is(word, Tag::Article) || word == "s") {
                self.object.push(word.clone());
            }
        }
    }

    /// Takes a verb that follows the first preposition: `Creates an item for a user or updates it`.
    fn take_later_verb(&mut self, tail: &[String], form: Option<Form>) {
        let joined = |pair: &[String]| match pair {
            [or, word] if or == "or" => {
                let found = verb_form(word).filter(|(verb, _)| verb.is_plain());
                found.filter(|(_, other)| Some(*other) == form && *other == Form::ThirdPerson)
            }
            _ => None,
        };
        if let Some((verb, form)) = tail.windows(2).find_map(joined) {
            self.join(verb, form);
        }
    }

    fn join(&mut self, verb: Verb, form: Form) {
        self.others.push(VerbAt {
            verb,
            form,
            place: VerbPlace::Head,
            sure: true,
        });
    }
}

/// Returns a sentence without the words in brackets after its beginning, or `None` if it has none.
fn without_brackets(sentence: &str) -> Option<String> {
    let (mut plain, mut rest) = (String::new(), sentence);
    while let Some((before, inner)) = rest.split_once(" (")
        && let Some((_, after)) = inner.split_once(')')
    {
        plain.push_str(before);
        plain.push(' ');
        rest = after;
    }
    (!plain.is_empty()).then(|| plain + rest)
}

/// Checks whether the first word of a sentence is part of a longer one: `Forward-adjusted prices`.
fn is_hyphenated(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next();
    first.is_some_and(|first| first.contains('-'))
}

/// Checks whether the word means many things, or stands before such a word: `a list of`.
pub(crate) fn is_container(word: &str) -> bool {
    matches!(
        word,
        "list" | "collection" | "set" | "array" | "page" | "paginated"
    ) || is(word, Tag::Article)
        || is(word, Tag::Determiner)
}

/// Checks whether words have no meaning before `of` and a thing: `the details`.
fn is_about_only(words: &[String]) -> bool {
    let empty =
        |word: &String| is(word, Tag::Hollow) && !matches!(word.as_str(), "data" | "metadata");
    let skipped = |word: &String| is_container(word) || empty(word);
    words.iter().any(empty) && words.iter().all(skipped)
}

/// Checks whether the first word means a response: `Returns`, `Provides`, and `Return` if its object
/// shows it.
fn answers(first: &str, next: &str) -> bool {
    match first {
        "returns" | "returning" | "provides" | "gives" | "displays" | "responds" => true,
        "return" => {
            is(next, Tag::Determiner)
                || is(next, Tag::Article)
                || is(next, Tag::Preposition)
                || is(next, Tag::State)
                || is_plural(next)
        }
        _ => false,
    }
}

/// Checks whether the first word can only be a verb before the next one.
fn is_sure(verb: Verb, form: Form, rest: &[String], article: bool) -> bool {
    let next = rest.first().map_or("", String::as_str);
    if article && form != Form::ThirdPerson {
        return false;
    }
    let determined =
        is(next, Tag::Determiner) || is(next, Tag::Article) || matches!(next, "if" | "whether");
    match (verb.certainty, form) {
        (Certainty::Plain, Form::Gerund) => true,
        (Certainty::Plain, _) => !is(next, Tag::State) || verb.reads(),
        // `Set attachment`
        (_, Form::Base | Form::ThirdPerson) if verb.base == "set" => !next.is_empty(),
        (_, Form::Gerund) => false,
        _ if determined => true,
        (_, Form::ThirdPerson) => is_plural(next) && verb_form(next).is_none(),
        // `Export items`, but `Order statuses` and `Order by date`
        _ => {
            // `Order cancelled`
            let many = is_plural(next) || is_past(next) && rest.len() > 1;
            many && !is(next, Tag::State)
                && verb_form(next).is_none_or(|(_, form)| form != Form::Base)
        }
    }
}

/// Returns the place of the word that should be the verb: after the preamble. Returns `None` if a
/// preamble leads to no verb.
pub(crate) fn start(words: &[String]) -> Option<usize> {
    let skipped = preamble(words, 0);
    let begins = |word: &String| verb_form(word).is_some() || answers(word, "");
    if skipped == 0 || words.get(skipped).is_some_and(begins) {
        return Some(skipped);
    }
    // `Request password reset`
    let first = words.first().and_then(|first| verb(first));
    let one = words.get(1).is_some_and(|next| !is_plural(next));
    if skipped == 1 && one && first.is_some_and(|verb| verb.tool.is_some()) {
        return Some(0);
    }
    // `This lovely endpoint gets`
    let mut near = words.iter().take(skipped + ITSELF_WITHIN);
    let itself = near.rposition(|word| is(word, Tag::Itself))?;
    Some(preamble(words, itself + 1))
}

/// Returns the place of the first word from here on that belongs to no preamble.
fn preamble(words: &[String], from: usize) -> usize {
    let rest = words.iter().skip(from);
    let belongs = |word: &&String| is(word, Tag::Preamble) || is_adverb(word);
    from + rest.take_while(belongs).count()
}

/// Checks whether the word is an adverb of manner: `Temporarily sets`.
fn is_adverb(word: &str) -> bool {
    word.len() > 4
        && word.ends_with("ly")
        && !matches!(
            word,
            "anomaly"
                | "assembly"
                | "daily"
                | "family"
                | "hourly"
                | "monopoly"
                | "monthly"
                | "quarterly"
                | "weekly"
                | "yearly"
        )
        && verb(word).is_none()
}

/// Returns the words of a sentence without a condition at its beginning: `Once it is done, use …`.
pub(crate) fn after_condition(sentence: &str) -> Vec<String> {
    let sentence = after_topic(sentence);
    let all = words(sentence);
    let condition = |first: &String| is(first, Tag::Condition);
    match sentence.split_once(", ") {
        Some((_, rest)) if all.first().is_some_and(condition) => words(rest),
        _ => all,
    }
}

/// Returns a sentence with a conjunction in place of a slash in or after its first word: `Enable/disable a
/// user`, `Add / update a user`.
pub(crate) fn with_conjunction(sentence: &str) -> Cow<'_, str> {
    match sentence.split_once('/') {
        // `Get /items` has a path
        Some((first, rest))
            if is_word(first.trim()) && first.ends_with(' ') == rest.starts_with(' ') =>
        {
            Cow::Owned(format!("{} or {}", first.trim(), rest.trim_start()))
        }
        _ => Cow::Borrowed(sentence),
    }
}

/// Checks whether a text is one word of letters.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Checks whether a sentence begins with a purpose and goes on without a comma, so that it has no verb
/// of the action: `To connect to a reader the client needs a token`.
fn is_purpose(sentence: &str, words: &[String]) -> bool {
    const SHORT: usize = 8;
    let before = sentence.split(',').next().unwrap_or_default();
    let before = before.split_whitespace().count();
    before > SHORT && words.first().is_some_and(|first| first == "to")
}

/// Returns a sentence without a topic before a dash: `Devices - Delete a device`.
fn after_topic(sentence: &str) -> &str {
    const TOPIC: usize = 3;
    let begins = |text: &str| {
        words(text)
            .first()
            .is_some_and(|first| verb_form(first).is_some())
    };
    match sentence.split_once(" - ") {
        Some((topic, rest)) if words(topic).len() <= TOPIC && !begins(topic) && begins(rest) => {
            rest
        }
        Some((action, _)) if begins(action) => action,
        _ => sentence,
    }
}
