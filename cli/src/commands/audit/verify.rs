//! `toolwright audit verify`: names the first event that something happened to.

use std::{
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;
use toolwright::private::{self, Links};
use toolwright_audit::{
    AuditKey, Hash, PublicKey,
    segment::{closed, head_path, key_path},
    verify::{Request, Verified, verify, verify_lines},
};

use super::FileArguments;
use crate::{Exit, Failure, context::Context, output::FormatArguments};

/// The greatest length of the file of a key, in bytes.
const LONGEST_KEY: u64 = 256;

#[derive(Debug, Args)]
pub(super) struct VerifyArguments {
    /// Trust the statements of this public key, and of no other but the key of the audit
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    key: Vec<PublicKey>,

    /// An event that the audit must contain, as an earlier verification printed it: `SEQ:HASH`
    #[arg(long, value_name = "EVENT", value_parser = parse_event)]
    expect: Option<(u64, Hash)>,

    /// Do not use the secret key, as on a machine that has only a copy
    #[arg(long)]
    without_secret: bool,

    /// Verify the lines of a file, or of standard input with `-`, such as those of a database. They have
    /// no head and no checkpoints, so add `--expect` to notice lines that were cut off
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    lines: Option<PathBuf>,

    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    format: FormatArguments,
}

fn parse_key(text: &str) -> Result<PublicKey, String> {
    text.parse()
        .map_err(|fault: toolwright_audit::KeyFault| fault.to_string())
}

fn parse_event(text: &str) -> Result<(u64, Hash), String> {
    let expected = "expected the number and the hash of an event, such as `7:44136f…`";
    let (seq, hash) = text.split_once(':').ok_or(expected)?;
    let seq = seq.parse().map_err(|_| expected)?;
    Ok((seq, hash.parse()?))
}

impl VerifyArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let (audit, key) = self.file.locate(context)?;
        if let Some(lines) = &self.lines {
            let key = self.secret(key, &audit)?;
            let verified = self.verify_lines(lines, key.as_ref())?;
            return self.report(&verified, context);
        }
        let read = |error: &io::Error| Failure::file("read", &audit, error);
        let segments = closed(&audit).map_err(|error| read(&error))?;
        // The head of an audit whose file was removed states what is missing.
        if segments.is_empty()
            && !head_path(&audit).exists()
            && let Err(error) = std::fs::metadata(&audit)
        {
            return Err(read(&error));
        }
        let key = self.secret(key, &audit)?;
        let request = Request {
            audit: audit.clone(),
            key: key.as_ref(),
            trusted: self.key.clone(),
            expected: self.expect,
        };
        let verified = verify(&request).map_err(|error| read(&error))?;
        self.report(&verified, context)
    }

    /// Reads the secret key, unless it is not to be used.
    fn secret(&self, key: Option<PathBuf>, audit: &Path) -> Result<Option<AuditKey>, Failure> {
        if self.without_secret {
            return Ok(None);
        }
        read_key(&key.unwrap_or_else(|| key_path(audit)))
    }

    fn verify_lines(&self, file: &Path, key: Option<&AuditKey>) -> Result<Verified, Failure> {
        let read = |error: &io::Error| Failure::file("read", file, error);
        let verified = if file == Path::new("-") {
            verify_lines("standard input", &mut io::stdin().lock(), key, self.expect)
        } else {
            let lines = std::fs::File::open(file).map_err(|error| read(&error))?;
            let place = file.display().to_string();
            verify_lines(&place, &mut BufReader::new(lines), key, self.expect)
        };
        verified.map_err(|error| read(&error))
    }

    fn report(&self, verified: &Verified, context: &mut Context) -> Result<Exit, Failure> {
        if self.format.is_json() {
            context.output.json(&as_json(verified))?;
        } else {
            self.print(verified, context)?;
        }
        Ok(if verified.findings.is_empty() {
            Exit::Done
        } else {
            Exit::Differs
        })
    }

    fn print(&self, verified: &Verified, context: &mut Context) -> Result<(), Failure> {
        let output = &mut context.output;
        for finding in &verified.findings {
            output.text(&finding.to_string())?;
        }
        for note in &verified.notes {
            output.text(&format!("note: {note}"))?;
        }
        let Verified {
            events,
            files,
            checkpoints,
            covered,
            ..
        } = verified;
        let standing = if verified.findings.is_empty() {
            "the audit is as it was written"
        } else {
            "the audit was changed"
        };
        output.line(format_args!(
            "{standing}: {events} events in {files} files, {checkpoints} checkpoints up to the event {covered}"
        ))?;
        for key in &verified.keys {
            output.text(&format!("signed by {key}"))?;
        }
        if self.lines.is_some() && !verified.authenticated {
            output.line("note: without the secret key, anybody may have written the lines")?;
        } else if self.key.is_empty() && !verified.authenticated {
            output.line(
                "note: no key was given with `--key`, so anybody may have signed the checkpoints",
            )?;
        }
        let (seq, hash) = verified.last;
        output.line(format_args!("last event {seq}:{hash}"))?;
        Ok(())
    }
}

/// Reads the secret key. A copy of an audit has none.
fn read_key(path: &Path) -> Result<Option<AuditKey>, Failure> {
    let text = match private::read(path, Links::Refuse, LONGEST_KEY) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let help = "to verify without the secret key, add `--without-secret`";
            return Err(Failure::file("read", path, &error).help(help));
        }
        Ok(text) => text,
    };
    let key = AuditKey::from_text(text.lines().next().unwrap_or_default());
    let path: PathBuf = path.to_owned();
    key.map(Some)
        .map_err(|fault| Failure::new(format!("`{}` is not a key: {fault}", path.display())))
}

fn as_json(verified: &Verified) -> serde_json::Value {
    let findings = verified.findings.iter().map(|finding| {
        json!({
            "seq": (finding.seq != u64::MAX).then_some(finding.seq),
            "kind": finding.kind.word(),
            "place": finding.place,
            "detail": finding.detail,
        })
    });
    let (seq, hash) = verified.last;
    json!({
        "verified": verified.findings.is_empty(),
        "events": verified.events,
        "first": verified.first,
        "last": {"seq": seq, "hash": hash.to_string()},
        "files": verified.files,
        "checkpoints": verified.checkpoints,
        "covered": verified.covered,
        "keys": verified.keys,
        "authenticated": verified.authenticated,
        "findings": findings.collect::<Vec<_>>(),
        "notes": verified.notes,
    })
}
