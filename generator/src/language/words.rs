//! Splits identifiers and prose into words.

use std::{collections::HashSet, sync::LazyLock};

use foldhash::fast::FixedState;

use super::vocabulary::{Tag, tagged};

/// Pairs of pieces that belong together although the spelling splits them: `OAuth`, `IPv4`.
static JOINED: LazyLock<HashSet<(&str, &str), FixedState>> = LazyLock::new(|| {
    tagged(Tag::Joined)
        .filter_map(|pair| pair.split_once(' '))
        .collect()
});

/// Returns the lower-case words of an identifier or of prose.
///
/// All characters except ASCII letters and digits separate words, and so does a change from lower
/// to upper case. A run of capitals is one word, and so is its plural: `listAPIKeys` has the words
/// `list`, `api`, `keys`, and `VMs` the one word `vms`. A digit belongs to the word before it:
/// `v2`, `s3`.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for run in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        split_case(run, &mut pieces);
    }
    pieces
}

/// Returns a text with its first letter as a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

/// Splits a run of letters and digits at changes of case.
fn split_case(run: &str, pieces: &mut Vec<String>) {
    let mut rest = run;
    while let Some((piece, after)) = rest.split_at_checked(first_piece(rest)) {
        if piece.is_empty() {
            break;
        }
        push(piece.to_ascii_lowercase(), pieces);
        rest = after;
    }
}

/// The length of the first piece of a run: of its capitals, or of one word.
fn first_piece(run: &str) -> usize {
    let capitals = run.bytes().take_while(u8::is_ascii_uppercase).count();
    if capitals > 1 {
        let mut after = run.bytes().skip(capitals);
        return match (after.next(), after.next()) {
            (None, _) => capitals,
            // `VMs`, `URLsFor`
            (Some(b's'), next) if next.is_none_or(|b| b.is_ascii_uppercase()) => capitals + 1,
            (Some(b), _) if b.is_ascii_digit() => capitals + digits(run, capitals),
            // `JSONtoCSV`
            _ if is_joint(run.get(capitals..).unwrap_or_default()) => capitals,
            // `APIKeys`: the last capital begins the next word
            (Some(_), _) => capitals - 1,
        };
    }
    let lower = run
        .bytes()
        .skip(capitals)
        .take_while(|b| !b.is_ascii_uppercase())
        .count();
    capitals + lower
}

/// Checks whether a run begins with a word in lower case that joins two in capitals.
fn is_joint(run: &str) -> bool {
    let capital = |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    let joints = ["and", "for", "from", "of", "to"];
    joints
        .iter()
        .any(|joint| run.strip_prefix(joint).is_some_and(capital))
}

/// Counts the digits from a position.
fn digits(run: &str, from: usize) -> usize {
    run.bytes()
        .skip(from)
        .take_while(u8::is_ascii_digit)
        .count()
}

/// Adds a piece, or joins it to the one before if they belong together.
fn push(piece: String, pieces: &mut Vec<String>) {
    match pieces.last_mut() {
        Some(last) if JOINED.contains(&(last.as_str(), piece.as_str())) => last.push_str(&piece),
        _ => pieces.push(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn every_spelling_is_split() {
        for (text, expected) in [
            ("listAPIKeys", "list api keys"),
            ("GetIAMPolicyForV2", "get iam policy for v2"),
            ("work-items", "work items"),
            ("bom_list", "bom list"),
            ("OAuth2Clients", "oauth2 clients"),
            ("listVMsByURL", "list vms by url"),
            ("IPv4Address", "ipv4 address"),
            ("S3Bucket", "s3 bucket"),
            ("login2", "login2"),
            ("X-Amz-Target", "x amz target"),
            ("EC2", "ec2"),
            ("JSONtoCSV", "json to csv"),
            ("EC2Instance", "ec2 instance"),
            ("aB", "a b"),
            ("été", "t"),
            ("", ""),
            ("--", ""),
            ("A", "a"),
            ("Microsoft.Web", "microsoft web"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
