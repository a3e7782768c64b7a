//! The meaning of verbs in APIs: the table behind the evidence of words.
//!
//! It is English in general, not that of one API: each verb has its meaning for a service that
//! receives it as a request. An unknown verb is no evidence.

use std::{collections::HashMap, sync::LazyLock};

use toolwright_model::Kind;

use super::forms::{self, Form};

/// The certainty of a verb's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is a verb and means this.
    Plain,
    /// It is also a common noun (`report`, `order`), so its position must show that it is a verb.
    AlsoNoun,
    /// It has this meaning in some services and another in others (`resolve` a name, `resolve` an
    /// incident), so other evidence must agree.
    Vague,
}

/// A verb and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verb {
    /// The base form.
    pub(crate) base: &'static str,
    /// The kind of operation that it speaks for.
    pub(crate) kind: Kind,
    /// The certainty of its spelling.
    pub(crate) certainty: Certainty,
}

impl Verb {
    /// Checks whether it changes nothing.
    pub(crate) fn reads(&self) -> bool {
        self.kind <= Kind::Derive
    }
}

/// The verb whose base form is the word, digits at its end aside: `login2`.
pub(crate) fn verb(word: &str) -> Option<Verb> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    LEXICON.get(word).copied()
}

/// Returns the verb of a word, and the form of the word.
pub(crate) fn verb_form(word: &str) -> Option<(Verb, Form)> {
    forms::bases(word)
        .into_iter()
        .find_map(|(base, form)| Some((verb(&base)?, form)))
}

/// Checks whether the word is a past participle: `archived`.
pub(crate) fn is_past(word: &str) -> bool {
    matches!(verb_form(word), Some((_, Form::Past)))
}

static LEXICON: LazyLock<HashMap<&'static str, Verb>> = LazyLock::new(|| {
    TABLE
        .iter()
        .flat_map(|&(kind, certainty, bases)| {
            bases.split_whitespace().map(move |base| {
                let verb = Verb {
                    base,
                    kind,
                    certainty,
                };
                (base, verb)
            })
        })
        .collect()
});

use Certainty::{AlsoNoun, Plain, Vague};

/// The verbs, by kind and certainty.
const TABLE: &[(Kind, Certainty, &str)] = &[
    (
        Kind::Read,
        Plain,
        "browse describe enumerate fetch find get inspect introspect list lookup paginate \
         retrieve search whoami",
    ),
    (Kind::Read, AlsoNoun, "download query view"),
    (
        Kind::Read,
        Vague,
        "can count discover exists filter has info is longpoll obtain peek ping read \
         select show status stream tail wait watch",
    ),
    (
        Kind::Derive,
        Plain,
        "aggregate analyse analyze autocomplete calculate classify compare compute decode \
         diff estimate evaluate geocode infer parse predict recognise recognize recommend \
         suggest summarise summarize synthesise synthesize tokenise tokenize transcribe translate \
         validate",
    ),
    (Kind::Derive, AlsoNoun, "check eval export forecast preview"),
    (
        Kind::Derive,
        Vague,
        "convert detect encode explain extract format hash identify investigate lint match measure plan rank \
         render resolve sanitise sanitize score simulate test transform",
    ),
    (Kind::Annotate, Plain, "annotate"),
    (Kind::Annotate, AlsoNoun, "comment note reply"),
    (
        Kind::Transition,
        Plain,
        "acknowledge complete follow reopen resume subscribe transition unassign unfollow \
         unpin unstar unsubscribe unwatch upvote",
    ),
    (
        Kind::Transition,
        AlsoNoun,
        "close favorite favourite like pause pin star vote",
    ),
    (
        Kind::Overwrite,
        Plain,
        "adjust alter amend bump customise customize decrease edit increase modify \
         overwrite put recalculate recompute rename reorder replace save shuffle update \
         upsert write",
    ),
    (
        Kind::Overwrite,
        AlsoNoun,
        "change configure label mark patch set sort tag touch",
    ),
    (
        Kind::Create,
        Plain,
        "add append compose create define enrol enroll ingest insert instantiate onboard \
         prepend provision register reserve upload",
    ),
    (
        Kind::Create,
        AlsoNoun,
        "book clone copy draft duplicate fork import invite post record",
    ),
    (
        Kind::Delete,
        Plain,
        "annul clear decommission delete deprovision deregister destroy detach \
         disassociate discard dismiss drop erase evict expire expunge forget invalidate \
         nuke nullify obliterate prune purge reap remove rescind revoke shred teardown \
         terminate tidy truncate unassociate unbind uninstall unlink unmount unprovision \
         unregister unset untag wipe",
    ),
    (
        Kind::Delete,
        AlsoNoun,
        "archive burn clean cleanup empty flush leave retire sweep trash vacuum",
    ),
    (
        Kind::Action,
        Plain,
        "abandon abort accept ack acquire activate adopt allocate allow apply approve \
         assign associate attach authenticate authorise authorize begin bind broadcast \
         bypass calibrate cancel checkin checkout compact confirm connect consume \
         continue cordon deactivate deallocate deauthorise deauthorize decline decrement \
         decrypt defer demote deny deploy dequeue disable disarm disburse disconnect \
         dispatch distribute eject elect elevate enable encrypt enqueue escalate exec \
         execute expel extend failover finalise finalize finish freeze generate halt \
         hangup hibernate hide ignore impersonate increment initialise initialize \
         initiate instruct invoke join kick kill login logoff logout migrate mint move \
         mute nack nominate notify offboard optimise optimize optin optout pay perform \
         persist populate poweroff poweron prepare proceed promote publish push \
         quarantine reactivate reassign reauthorise reauthorize rebalance reboot rebuild \
         receive reclaim reconcile reconfigure reconnect recover recrawl recreate recycle \
         redeem redeliver redeploy redrive reencrypt refresh regenerate reimage reimport \
         reindex reinitialise reinitialize reinstall reinstate reinvite reject rekey \
         relink reload relocate remediate remount renew repair replicate reprocess \
         requeue rerun rescan resend reset reshare resize restart restore restrict \
         resubmit resync retrain retry revalidate revert rewrap rollback rotate seal send \
         settle shutdown signin signoff signout signup skip snooze spawn start stop \
         submit suppress suspend swap switchover sync synchronise synchronize toggle \
         topup transact turnoff turnon unarchive unban unblock uncheck uncordon undelete \
         undeploy undo unfreeze unhide unignore uninvite unlike unlock unmark unmute \
         unpause unpublish unquarantine unseal unshare unsuppress unsuspend untrust \
         verify void withdraw",
    ),
    (
        Kind::Action,
        AlsoNoun,
        "answer arm backup ban bid block boot build call callback capture charge claim \
         commit control crawl debit deposit dial dislike drain exchange fire flag force \
         forward gc grant index install issue launch lease lift lock lockout merge mount \
         open order override park play pop print process provide pull purchase queue \
         refund release repeat replay report request return reverse review rewind ring \
         route run sample scale scan schedule share ship sign sleep snapshot split stage \
         store switch throttle train transfer trigger trust tune turn unload upgrade wake \
         warn wrap",
    ),
    // of other languages, in the spelling of paths and operation ids
    (
        Kind::Overwrite,
        Plain,
        "actualizar atualizar guardar modificar salvar speichern",
    ),
    (
        Kind::Create,
        Plain,
        "adicionar agregar ajouter anlegen crear criar erstellen insertar",
    ),
    (
        Kind::Delete,
        Plain,
        "apagar borrar eliminar excluir loeschen supprimer verwijderen",
    ),
    (
        Kind::Action,
        Plain,
        "activar annuler anular ativar cancelar desactivar desativar enviar envoyer senden",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_verb_stands_in_two_rows() {
        let count = TABLE
            .iter()
            .map(|(_, _, bases)| bases.split_whitespace().count())
            .sum::<usize>();
        assert_eq!(LEXICON.len(), count);
    }

    #[test]
    fn rows_are_in_order() {
        for (kind, certainty, bases) in TABLE {
            let words: Vec<&str> = bases.split_whitespace().collect();
            assert!(words.is_sorted(), "{kind} {certainty:?}");
        }
    }

    #[test]
    fn forms_are_found() {
        let (verb, form) = verb_form("retrieves").unwrap();
        assert_eq!((verb.base, form), ("retrieve", Form::ThirdPerson));
        let (verb, form) = verb_form("deleted").unwrap();
        assert_eq!((verb.base, form), ("delete", Form::Past));
        assert!(verb_form("documents").is_none());
    }
}
