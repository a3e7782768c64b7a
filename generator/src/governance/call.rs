//! Operations that a path calls by name, which makes their method meaningless: `GET
//! /#Action=SendEmail`, `GET /rest?method=photos.search`.

use crate::language::{WordList, facts::OperationFacts, words};

/// Last words in the names of query parameters that hold the called name.
static CALLING: WordList =
    WordList::new("action call cmd command function method op operation target");

/// Returns the name in the query or the fragment of a path: `SendEmail` of `/#Action=SendEmail`.
pub(crate) fn called(path: &str) -> Option<&str> {
    let (_, after) = path.split_once(['#', '?'])?;
    after.split(['&', '#', '?']).find_map(|part| {
        let (name, called) = part.split_once('=')?;
        let calls = words(name).last().is_some_and(|word| CALLING.has(word));
        (calls && !called.is_empty() && !called.contains('{')).then_some(called)
    })
}

/// Checks whether HTTP declares that the operation changes nothing: its method is safe, and the
/// path does not call an operation by name.
pub(crate) fn is_safe(facts: &OperationFacts) -> bool {
    facts.method.is_safe() && called(&facts.path).is_none()
}

/// The path without its query and its fragment.
pub(crate) fn bare(path: &str) -> &str {
    path.split(['#', '?']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use toolwright_model::Method;

    use super::*;

    #[test]
    fn a_call_is_named_by_the_query_or_the_fragment() {
        assert_eq!(called("/#Action=SendEmail"), Some("SendEmail"));
        assert_eq!(called("/#X-Amz-Target=Mail.Send"), Some("Mail.Send"));
        assert_eq!(
            called("/rest?v=2&method=photos.search"),
            Some("photos.search")
        );
        assert_eq!(called("/files?op={op}"), None);
        assert_eq!(called("/images#overload=stream"), None);
        assert_eq!(called("/images"), None);
    }

    #[test]
    fn the_method_of_a_call_says_nothing() {
        let safe = |path| is_safe(&OperationFacts::new(Method::Get, path));
        assert!(safe("/images?size=2"));
        assert!(!safe("/#Action=SendEmail"));
    }
}
