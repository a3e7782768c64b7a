//! The part of a path after `#` or `?`.

use toolwright_model::ServiceName;

use super::{PREFIXES, ResourcePath};
use crate::{language::tool_verbs::tool_verb, language::words};

impl ResourcePath {
    /// Takes what follows `#` or `?`: `#Action=SendEmail`, `#X-Amz-Target=Queue.Send`, `#add`.
    pub(super) fn take_fragment(&mut self, service: &ServiceName, fragment: &str) {
        let first = fragment.split('&').next().unwrap_or_default();
        // `?lat={lat}&lon={lon}`
        if let Some(last) = self.parts.last_mut().filter(|_| first.contains('{')) {
            let keys = fragment.split('&').filter_map(|pair| pair.split_once('='));
            last.by = keys.flat_map(|(key, _)| words(key)).collect();
            return;
        }
        // `#ClientToken` is a parameter
        let named = !first.contains('=') && first.starts_with(|c: char| c.is_ascii_uppercase());
        if named && !words(first).iter().any(|word| tool_verb(word).is_some()) {
            return;
        }
        let value = first.rsplit_once('=').map_or(first, |(_, value)| value);
        let (things, value) = value.rsplit_once('.').unwrap_or(("", value));
        // `?method=photos.notes.add`; the target of `#X-Amz-Target=Queue_2015.Send` is the service
        if things.starts_with(|c: char| c.is_ascii_lowercase()) {
            if matches!(self.parts.as_slice(), [only] if only.words.iter().all(|word| PREFIXES.has(word)))
            {
                self.parts.clear();
            }
            for thing in things.split('.').filter(|thing| *thing != service.as_str()) {
                self.push(words(thing));
            }
        }
        if !value.is_empty() {
            self.call = words(value);
        }
    }
}

/// The path, and what follows `#` or `?`.
pub(super) fn split_fragment(path: &str) -> (&str, &str) {
    path.split_once(['#', '?']).unwrap_or((path, ""))
}
