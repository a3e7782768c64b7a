//! Common abbreviations, for names that are too long with whole words.

use std::{borrow::Cow, collections::BTreeMap};

use crate::language::{WordList, is_plural, singular};

/// Words whose abbreviations are as usual as themselves.
static COMMON: WordList = WordList::new(
    "administrator application asynchronous authentication configuration environment identifier \
     information infrastructure maximum minimum organisation organization parameter repository \
     specification statistic synchronization",
);

/// Words whose abbreviations every reader of code knows.
static CLEAR: WordList = WordList::new(
    "account address attribute authorization automatic average certificate column command connection \
     control customer database definition department description destination development difference \
     directory document error execution expression extension function group hardware header history \
     image implementation index installation instance integration international interface kubernetes \
     language latitude length level library location longitude management manager message namespace \
     notification number object operation option original package password permission preference \
     previous product project property protocol reference relationship request resource response schedule \
     sequence server service session software source standard structure system temporary timestamp \
     transaction utility value variable version volume",
);

/// How much of the meaning of a word its abbreviation leaves to the reader to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Clarity {
    /// The abbreviation is as usual as the word.
    Common,
    /// Every reader of code knows it.
    Clear,
    /// It must be guessed.
    Unclear,
}

/// Returns the clarity of the abbreviation of a word.
pub(crate) fn clarity(word: &str) -> Clarity {
    let one = singular(word);
    if COMMON.has(&one) {
        Clarity::Common
    } else if CLEAR.has(&one) {
        Clarity::Clear
    } else {
        Clarity::Unclear
    }
}

/// The words and their abbreviations, in alphabetical order of the words. `docs/names.md` lists them.
pub(crate) const ABBREVIATIONS: &[(&str, &str)] = &[
    ("accessibility", "a11y"),
    ("account", "acct"),
    ("additional", "addl"),
    ("address", "addr"),
    ("administrator", "admin"),
    ("aggregate", "agg"),
    ("allocation", "alloc"),
    ("amount", "amt"),
    ("application", "app"),
    ("appointment", "appt"),
    ("architecture", "arch"),
    ("argument", "arg"),
    ("assignment", "assign"),
    ("association", "assoc"),
    ("asynchronous", "async"),
    ("attachment", "attach"),
    ("attribute", "attr"),
    ("authentication", "auth"),
    ("authorization", "authz"),
    ("automatic", "auto"),
    ("availability", "avail"),
    ("average", "avg"),
    ("balance", "bal"),
    ("building", "bldg"),
    ("business", "biz"),
    ("calculation", "calc"),
    ("calendar", "cal"),
    ("category", "cat"),
    ("certificate", "cert"),
    ("channel", "chan"),
    ("character", "char"),
    ("collection", "coll"),
    ("column", "col"),
    ("command", "cmd"),
    ("communication", "comm"),
    ("component", "comp"),
    ("condition", "cond"),
    ("configuration", "config"),
    ("connection", "conn"),
    ("container", "ctr"),
    ("context", "ctx"),
    ("control", "ctrl"),
    ("conversation", "conv"),
    ("coordinate", "coord"),
    ("credential", "cred"),
    ("customer", "cust"),
    ("database", "db"),
    ("declaration", "decl"),
    ("definition", "def"),
    ("department", "dept"),
    ("dependency", "dep"),
    ("deployment", "deploy"),
    ("description", "desc"),
    ("destination", "dest"),
    ("development", "dev"),
    ("diagnostic", "diag"),
    ("dictionary", "dict"),
    ("difference", "diff"),
    ("directory", "dir"),
    ("distribution", "dist"),
    ("division", "div"),
    ("document", "doc"),
    ("duplicate", "dup"),
    ("duration", "dur"),
    ("dynamic", "dyn"),
    ("education", "edu"),
    ("element", "elem"),
    ("employee", "emp"),
    ("enumeration", "enum"),
    ("environment", "env"),
    ("equipment", "equip"),
    ("error", "err"),
    ("evaluation", "eval"),
    ("event", "evt"),
    ("exception", "exc"),
    ("exchange", "exch"),
    ("exclusion", "excl"),
    ("execution", "exec"),
    ("experiment", "expt"),
    ("expiration", "exp"),
    ("expression", "expr"),
    ("extension", "ext"),
    ("favorite", "fav"),
    ("feature", "feat"),
    ("format", "fmt"),
    ("frequency", "freq"),
    ("function", "func"),
    ("generation", "gen"),
    ("government", "gov"),
    ("group", "grp"),
    ("hardware", "hw"),
    ("header", "hdr"),
    ("history", "hist"),
    ("identifier", "id"),
    ("identity", "ident"),
    ("image", "img"),
    ("implementation", "impl"),
    ("increment", "incr"),
    ("index", "idx"),
    ("individual", "indiv"),
    ("information", "info"),
    ("infrastructure", "infra"),
    ("initialization", "init"),
    ("installation", "install"),
    ("instance", "inst"),
    ("insurance", "ins"),
    ("integration", "integ"),
    ("interface", "iface"),
    ("international", "intl"),
    ("internationalization", "i18n"),
    ("kubernetes", "k8s"),
    ("language", "lang"),
    ("latitude", "lat"),
    ("length", "len"),
    ("level", "lvl"),
    ("library", "lib"),
    ("license", "lic"),
    ("localization", "l10n"),
    ("location", "loc"),
    ("longitude", "lon"),
    ("maintenance", "maint"),
    ("management", "mgmt"),
    ("manager", "mgr"),
    ("manufacturer", "mfr"),
    ("manufacturing", "mfg"),
    ("mapping", "map"),
    ("market", "mkt"),
    ("maximum", "max"),
    ("measurement", "meas"),
    ("member", "mbr"),
    ("memory", "mem"),
    ("message", "msg"),
    ("microsoft", "ms"),
    ("migration", "migr"),
    ("minimum", "min"),
    ("miscellaneous", "misc"),
    ("module", "mod"),
    ("monitor", "mon"),
    ("multiple", "multi"),
    ("namespace", "ns"),
    ("navigation", "nav"),
    ("network", "net"),
    ("notification", "notif"),
    ("number", "num"),
    ("object", "obj"),
    ("occurrence", "occ"),
    ("operation", "op"),
    ("opportunity", "opp"),
    ("option", "opt"),
    ("organisation", "org"),
    ("organization", "org"),
    ("original", "orig"),
    ("package", "pkg"),
    ("parameter", "param"),
    ("partition", "part"),
    ("password", "pwd"),
    ("payment", "pmt"),
    ("percent", "pct"),
    ("performance", "perf"),
    ("permission", "perm"),
    ("point", "pt"),
    ("policy", "pol"),
    ("position", "pos"),
    ("prediction", "pred"),
    ("preference", "pref"),
    ("previous", "prev"),
    ("primary", "pri"),
    ("priority", "prio"),
    ("private", "priv"),
    ("process", "proc"),
    ("product", "prod"),
    ("profile", "prof"),
    ("project", "proj"),
    ("property", "prop"),
    ("protocol", "proto"),
    ("provider", "prov"),
    ("qualification", "qual"),
    ("quantity", "qty"),
    ("quarter", "qtr"),
    ("query", "qry"),
    ("reconciliation", "recon"),
    ("record", "rec"),
    ("reference", "ref"),
    ("registration", "reg"),
    ("relationship", "rel"),
    ("replication", "repl"),
    ("report", "rpt"),
    ("repository", "repo"),
    ("request", "req"),
    ("resource", "rsrc"),
    ("response", "resp"),
    ("revision", "rev"),
    ("schedule", "sched"),
    ("section", "sect"),
    ("security", "sec"),
    ("sequence", "seq"),
    ("server", "srv"),
    ("service", "svc"),
    ("session", "sess"),
    ("signature", "sig"),
    ("simulation", "sim"),
    ("software", "sw"),
    ("source", "src"),
    ("specification", "spec"),
    ("standard", "std"),
    ("statement", "stmt"),
    ("station", "stn"),
    ("statistic", "stat"),
    ("structure", "struct"),
    ("subscription", "sub"),
    ("summary", "summ"),
    ("synchronization", "sync"),
    ("system", "sys"),
    ("target", "tgt"),
    ("telecommunication", "telecom"),
    ("template", "tmpl"),
    ("temporary", "temp"),
    ("terminal", "term"),
    ("timestamp", "ts"),
    ("transaction", "txn"),
    ("transfer", "xfer"),
    ("transformation", "xform"),
    ("university", "univ"),
    ("utility", "util"),
    ("value", "val"),
    ("variable", "var"),
    ("vector", "vec"),
    ("verification", "verif"),
    ("version", "ver"),
    ("virtual", "virt"),
    ("visualization", "viz"),
    ("volume", "vol"),
    ("vulnerability", "vuln"),
    ("warehouse", "whse"),
    ("window", "win"),
    ("workspace", "ws"),
];

/// Returns the abbreviation of a word, or `None` if it has none. A plural has that of its singular
/// with an `s`: `repositories` is `repos`. One that ends in a sibilant has no plural.
pub(crate) fn abbreviate(word: &str) -> Option<Cow<'static, str>> {
    let find = |word: &str| {
        let found = ABBREVIATIONS.binary_search_by_key(&word, |(whole, _)| whole);
        ABBREVIATIONS.get(found.ok()?).map(|(_, short)| *short)
    };
    if let Some(short) = find(word) {
        return Some(Cow::Borrowed(short));
    }
    let short = find(&singular(word)).filter(|_| is_plural(word))?;
    let hisses = short.ends_with(['s', 'x', 'z']);
    let several = format!("{short}s");
    (!hisses && several.len() < word.len()).then_some(Cow::Owned(several))
}

/// Checks whether a word is one that has an abbreviation.
pub(crate) fn is_word(word: &str) -> bool {
    let found = ABBREVIATIONS.binary_search_by_key(&word, |(whole, _)| whole);
    found.is_ok()
}

/// Checks whether words are the same, or one is the abbreviation of the other: `repo` and `repository`.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let short = |whole: &str, short: &str| {
        whole.len() > short.len() && abbreviate(whole).is_some_and(|own| own == short)
    };
    a == b || short(a, b) || short(b, a)
}

/// Abbreviates words until all fit, those that gain most first. Returns the words and those that were
/// abbreviated, or `None` if they do not fit.
pub(crate) fn shortened<'w>(
    words: &[&'w str],
    room: usize,
) -> Option<(Vec<Cow<'w, str>>, Vec<String>)> {
    let plain: Vec<Cow<'w, str>> = words.iter().map(|word| Cow::Borrowed(*word)).collect();
    if length(&plain) <= room {
        return Some((plain, Vec::new()));
    }
    let mut gains: BTreeMap<(Clarity, usize, &str), Cow<'static, str>> = BTreeMap::new();
    for word in words {
        let clarity = clarity(word);
        if let Some(short) = abbreviate(word) {
            let gain = word.len().saturating_sub(short.len());
            gains.insert((clarity, usize::MAX - gain, *word), short);
        }
    }
    let mut fitted = plain;
    let mut abbreviated = Vec::new();
    for ((_, _, whole), short) in gains {
        replace(&mut fitted, whole, &short);
        abbreviated.push((whole, short));
        if length(&fitted) <= room {
            restore(&mut fitted, &mut abbreviated, room);
            let abbreviated = abbreviated.into_iter();
            let abbreviated = abbreviated.map(|(whole, _)| whole.to_owned());
            return Some((fitted, abbreviated.collect()));
        }
    }
    None
}

/// Returns the number of characters of words in kebab case.
fn length(words: &[Cow<'_, str>]) -> usize {
    let length: usize = words.iter().map(|word| word.len() + 1).sum();
    length.saturating_sub(1)
}

/// Replaces a word by another wherever it is.
fn replace(words: &mut [Cow<'_, str>], from: &str, to: &str) {
    for word in words.iter_mut().filter(|word| **word == *from) {
        *word = Cow::Owned(to.to_owned());
    }
}

/// Writes abbreviated words in full again as far as they still fit, the least clear first.
fn restore<'w>(
    words: &mut Vec<Cow<'w, str>>,
    abbreviated: &mut Vec<(&'w str, Cow<'static, str>)>,
    room: usize,
) {
    for at in (0..abbreviated.len()).rev() {
        let Some((whole, short)) = abbreviated.get(at) else {
            continue;
        };
        let mut fuller = words.clone();
        replace(&mut fuller, short, whole);
        if length(&fuller) <= room {
            *words = fuller;
            abbreviated.remove(at);
        }
    }
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
        let mut known = BTreeMap::new();
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
        let page = include_str!("../../../docs/names.md");
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
            ("resources", Some("rsrcs")),
            ("namespace", Some("ns")),
            ("namespaces", None),
            ("item", None),
        ] {
            assert_eq!(abbreviate(word).as_deref(), short, "{word}");
        }
    }
}
