//! Common abbreviations, for names that are too long with whole words.

use std::borrow::Cow;

use crate::language::{is_plural, singular};

/// The words and their abbreviations, in alphabetical order of the words. `docs/names.md` lists them.
pub(crate) const ABBREVIATIONS: &[(&str, &str)] = &[
    ("accessibility", "a11y"),
    ("account", "acct"),
    ("address", "addr"),
    ("administrator", "admin"),
    ("application", "app"),
    ("appointment", "appt"),
    ("argument", "arg"),
    ("assignment", "assign"),
    ("attachment", "attach"),
    ("attribute", "attr"),
    ("authentication", "auth"),
    ("authorization", "authz"),
    ("availability", "avail"),
    ("average", "avg"),
    ("calendar", "cal"),
    ("category", "cat"),
    ("certificate", "cert"),
    ("collection", "coll"),
    ("command", "cmd"),
    ("communication", "comm"),
    ("condition", "cond"),
    ("configuration", "config"),
    ("connection", "conn"),
    ("credential", "cred"),
    ("customer", "cust"),
    ("database", "db"),
    ("definition", "def"),
    ("department", "dept"),
    ("dependency", "dep"),
    ("description", "desc"),
    ("destination", "dest"),
    ("development", "dev"),
    ("diagnostic", "diag"),
    ("directory", "dir"),
    ("distribution", "dist"),
    ("document", "doc"),
    ("education", "edu"),
    ("environment", "env"),
    ("evaluation", "eval"),
    ("execution", "exec"),
    ("expression", "expr"),
    ("extension", "ext"),
    ("frequency", "freq"),
    ("function", "func"),
    ("hardware", "hw"),
    ("history", "hist"),
    ("identifier", "id"),
    ("identity", "ident"),
    ("image", "img"),
    ("implementation", "impl"),
    ("information", "info"),
    ("infrastructure", "infra"),
    ("initialization", "init"),
    ("instance", "inst"),
    ("integration", "integ"),
    ("interface", "iface"),
    ("international", "intl"),
    ("internationalization", "i18n"),
    ("kubernetes", "k8s"),
    ("language", "lang"),
    ("library", "lib"),
    ("localization", "l10n"),
    ("location", "loc"),
    ("maintenance", "maint"),
    ("management", "mgmt"),
    ("manager", "mgr"),
    ("manufacturer", "mfr"),
    ("mapping", "map"),
    ("maximum", "max"),
    ("member", "mbr"),
    ("memory", "mem"),
    ("message", "msg"),
    ("microsoft", "ms"),
    ("migration", "migr"),
    ("minimum", "min"),
    ("miscellaneous", "misc"),
    ("multiple", "multi"),
    ("network", "net"),
    ("notification", "notif"),
    ("number", "num"),
    ("object", "obj"),
    ("operation", "op"),
    ("opportunity", "opp"),
    ("organisation", "org"),
    ("organization", "org"),
    ("package", "pkg"),
    ("parameter", "param"),
    ("password", "pwd"),
    ("performance", "perf"),
    ("permission", "perm"),
    ("preference", "pref"),
    ("previous", "prev"),
    ("profile", "prof"),
    ("property", "prop"),
    ("provider", "prov"),
    ("quantity", "qty"),
    ("reference", "ref"),
    ("registration", "reg"),
    ("relationship", "rel"),
    ("replication", "repl"),
    ("repository", "repo"),
    ("request", "req"),
    ("resource", "res"),
    ("response", "resp"),
    ("revision", "rev"),
    ("schedule", "sched"),
    ("security", "sec"),
    ("sequence", "seq"),
    ("server", "srv"),
    ("session", "sess"),
    ("software", "sw"),
    ("specification", "spec"),
    ("standard", "std"),
    ("statistic", "stat"),
    ("subscription", "sub"),
    ("synchronization", "sync"),
    ("system", "sys"),
    ("template", "tmpl"),
    ("temporary", "temp"),
    ("transaction", "txn"),
    ("transformation", "xform"),
    ("utility", "util"),
    ("variable", "var"),
    ("version", "ver"),
    ("volume", "vol"),
    ("vulnerability", "vuln"),
    ("workspace", "ws"),
];

/// Returns the abbreviation of a word, or `None` if it has none. A plural has that of its singular
/// with an `s`: `repositories` is `repos`.
pub(crate) fn abbreviate(word: &str) -> Option<Cow<'static, str>> {
    let find = |word: &str| {
        let found = ABBREVIATIONS.binary_search_by_key(&word, |(whole, _)| whole);
        ABBREVIATIONS.get(found.ok()?).map(|(_, short)| *short)
    };
    if let Some(short) = find(word) {
        return Some(Cow::Borrowed(short));
    }
    let short = find(&singular(word)).filter(|_| is_plural(word))?;
    let several = format!("{short}s");
    (several.len() < word.len()).then_some(Cow::Owned(several))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_abbreviation_is_shorter_and_in_order() {
        assert!(ABBREVIATIONS.is_sorted_by_key(|(word, _)| *word));
        for (word, short) in ABBREVIATIONS {
            assert!(short.len() < word.len(), "{word}");
            let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            assert!(short.bytes().all(plain), "{short}");
        }
    }

    #[test]
    fn words_of_different_meanings_have_different_abbreviations() {
        let mut known = std::collections::BTreeMap::new();
        for (word, short) in ABBREVIATIONS {
            let other = known.insert(short, word);
            let spelling = |word: &str| word.replace('s', "z");
            assert!(
                other.is_none_or(|other| spelling(other) == spelling(word)),
                "{word}"
            );
        }
    }

    #[test]
    fn the_page_about_names_lists_every_abbreviation() {
        let page = include_str!("../../../../docs/names.md");
        let rows = page.split("## Abbreviations").nth(1).unwrap();
        let rows = rows.split("## ").next().unwrap();
        let rows = rows.lines().filter_map(|line| line.strip_prefix("| "));
        let rows: Vec<&str> = rows.skip(1).collect();
        let table = ABBREVIATIONS
            .iter()
            .map(|(word, short)| format!("{word} | {short} |"));
        assert_eq!(rows, table.collect::<Vec<_>>());
    }

    #[test]
    fn plurals_keep_their_number() {
        for (word, short) in [
            ("configuration", Some("config")),
            ("repositories", Some("repos")),
            ("item", None),
        ] {
            assert_eq!(abbreviate(word).as_deref(), short, "{word}");
        }
    }
}
