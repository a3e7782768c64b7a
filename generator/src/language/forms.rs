//! Base forms of verbs in prose: `Retrieves`, `creating`, `deleted`.

/// The form of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `create`
    Base,
    /// `creates`
    ThirdPerson,
    /// `creating`
    Gerund,
    /// `created`
    Past,
}

/// Returns the possible base forms of a lower-case word, the likeliest first.
///
/// The candidates are spellings, not words: a lexicon decides which of them exists.
///
/// `retrieves` gives `retrieves` (base) and `retrieve`, `retriev` (third person).
pub(crate) fn bases(word: &str) -> Vec<(String, Form)> {
    let mut found = vec![(word.to_owned(), Form::Base)];
    for (ending, form) in [
        ("s", Form::ThirdPerson),
        ("ing", Form::Gerund),
        ("ed", Form::Past),
    ] {
        if let Some(stem) = word.strip_suffix(ending) {
            found.extend(stems(stem, form).into_iter().map(|base| (base, form)));
        }
    }
    found
}

/// The spellings that a verb may have before an ending is put to it.
fn stems(stem: &str, form: Form) -> Vec<String> {
    let mut found = vec![stem.to_owned()];
    if form == Form::ThirdPerson {
        // `searches`, `copies`
        if let Some(shorter) = stem.strip_suffix("ie") {
            found.push(format!("{shorter}y"));
        } else if let Some(shorter) = stem.strip_suffix('e') {
            found.push(shorter.to_owned());
        }
        return found;
    }
    // `creating`, `created`
    found.push(format!("{stem}e"));
    // `copied`
    if let Some(shorter) = stem.strip_suffix('i') {
        found.push(format!("{shorter}y"));
    }
    // `getting`, `submitted`
    let mut last = stem.chars().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && let Some(shorter) = stem.strip_suffix(a)
    {
        found.push(shorter.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_among_the_candidates() {
        for (word, base, form) in [
            ("create", "create", Form::Base),
            ("creates", "create", Form::ThirdPerson),
            ("searches", "search", Form::ThirdPerson),
            ("copies", "copy", Form::ThirdPerson),
            ("getting", "get", Form::Gerund),
            ("listing", "list", Form::Gerund),
            ("creating", "create", Form::Gerund),
            ("deleted", "delete", Form::Past),
            ("copied", "copy", Form::Past),
            ("submitted", "submit", Form::Past),
        ] {
            assert!(
                bases(word).contains(&(base.to_owned(), form)),
                "{word}: {:?}",
                bases(word)
            );
        }
    }
}
