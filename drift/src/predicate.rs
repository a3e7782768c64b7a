//! The predicates of changes: one table of phrases for all sentences.

use serde::Serialize;

/// The number of subjects in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    One,
    Many,
}

macro_rules! predicates {
    ($($variant:ident = $word:literal: $one:literal $(| $many:literal)?;)+) => {
        /// The statement of a change about its subject.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum Predicate {
            $(#[doc = concat!("\"", $one, "\"")] #[serde(rename = $word)] $variant,)+
        }

        impl Predicate {
            /// Returns the phrase for one subject and for several, which are mostly the same.
            const fn phrases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$one $(, $many)?],)+ }
            }
        }
    };
}

predicates! {
    Added = "added": "was added" | "were added";
    RequiredAdded = "required-added": "was added and is required" | "were added and are required";
    Removed = "removed": "was removed" | "were removed";
    Replaced = "replaced": "changed";
    ReplacedUnseen = "replaced-unseen": "changed; the manifest has no details";
    Changed = "changed": "changed from {before} to {after}";
    Renamed = "renamed": "was renamed to {after}";

    CategoryRaised = "category-raised": "changed from {before} to {after}: the tool can do more than before";
    CategoryLowered = "category-lowered": "changed from {before} to {after}: roles that may only read more may call the tool";
    ApprovalAdded = "approval-added": "now waits for a person's approval";
    ApprovalLost = "approval-lost": "no longer waits for a person's approval";
    SwitchedOn = "switched-on": "is now on unless the operator switches it off";
    SwitchedOff = "switched-off": "is now off unless the operator switches it on";
    Deprecated = "deprecated": "is now deprecated" | "are now deprecated";
    Undeprecated = "undeprecated": "is no longer deprecated" | "are no longer deprecated";
    SectionChanged = "section-changed": "changed from {before} to {after}: a grant of either section now covers another set of tools";

    CredentialAdded = "credential-added": "now needs {after}";
    CredentialDropped = "credential-dropped": "no longer needs {before}";
    CredentialChanged = "credential-changed": "now needs {after} instead of {before}";
    ScopeAdded = "scope-added": "also needs the scope {after}";
    ScopeRemoved = "scope-removed": "no longer needs the scope {before}";
    Unpinned = "unpinned": "is no longer fixed to {before}";
    Moved = "moved": "is now sent {after} instead of {before}" | "are now sent {after} instead of {before}";
    Reencoded = "reencoded": "is now sent in another format" | "are now sent in another format";
    PageAdded = "page-added": "can now be requested: {after}";
    PageChanged = "page-changed": "is now requested in another way: {after} Before: {before}";
    PageRemoved = "page-removed": "can no longer be requested. Before: {before}";

    TypeChanged = "type-changed": "is now {after} instead of {before}" | "are now {after} instead of {before}";
    NullAdded = "null-added": "may now be null";
    NullRemoved = "null-removed": "may no longer be null";
    Required = "required": "is now required" | "are now required";
    Optional = "optional": "is now optional" | "are now optional";
    AlwaysPresent = "always-present": "is now always present" | "are now always present";
    MayBeMissing = "may-be-missing": "may now be missing";
    ValuesAdded = "values-added": "also allows {after}" | "also allow {after}";
    ValuesRemoved = "values-removed": "no longer allows {before}" | "no longer allow {before}";
    ValuesListed = "values-listed": "now allows only {after}" | "now allow only {after}";
    ValuesUnlisted = "values-unlisted": "now allows more than {before}" | "now allow more than {before}";
    FieldsOpened = "fields-opened": "now allows undeclared fields" | "now allow undeclared fields";
    FieldsClosed = "fields-closed": "no longer allows undeclared fields" | "no longer allow undeclared fields";
    PartAdded = "part-added": "must now also be {after}";
    PartRemoved = "part-removed": "no longer needs to be {before}" | "no longer need to be {before}";
    DefaultChanged = "default-changed": "has the default {after} instead of {before}" | "have the default {after} instead of {before}";
    BoundAdded = "bound-added": "has the new bound {after}" | "have the new bound {after}";
    BoundRemoved = "bound-removed": "no longer has the bound {before}" | "no longer have the bound {before}";
    BoundChanged = "bound-changed": "has the bound {after} instead of {before}" | "have the bound {after} instead of {before}";
}

impl Predicate {
    /// Writes the phrase with the words for the values before and after.
    pub(super) fn phrase(self, number: Number, before: &str, after: &str) -> String {
        let phrases = self.phrases();
        let phrase = match number {
            Number::One => phrases.first(),
            Number::Many => phrases.last(),
        };
        let mut rest = phrase.copied().unwrap_or_default();
        let mut written = String::new();
        while let Some((literal, tail)) = rest.split_once('{') {
            let (slot, tail) = tail.split_once('}').unwrap_or((tail, ""));
            written.push_str(literal);
            written.push_str(if slot == "before" { before } else { after });
            rest = tail;
        }
        written + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_agrees_with_its_subjects_and_keeps_braces_of_values() {
        let one = Predicate::TypeChanged.phrase(Number::One, "{after}", "a {map}");
        assert_eq!(one, "is now a {map} instead of {after}");
        let many = Predicate::Removed.phrase(Number::Many, "", "");
        assert_eq!(many, "were removed");
    }
}
