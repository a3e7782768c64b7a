//! The verbs of tool names: the closed list, and what a name that begins with one promises.

use std::sync::LazyLock;

use crate::Effect;

/// The promise of a verb about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// It changes nothing.
    Reads,
    /// It has this effect.
    Has(Effect),
    /// It changes something, in a way that the verb leaves open.
    Changes,
}

/// The verbs that the name of a generated tool may begin with, in alphabetical order.
pub static TOOL_VERBS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let verbs = TABLE.iter().flat_map(|(_, verbs)| verbs.split_whitespace());
    let mut verbs: Vec<_> = verbs.collect();
    verbs.sort_unstable();
    verbs
});

/// Returns the promise of a verb; none if it is ambiguous or unknown.
#[must_use]
pub fn promise_of(verb: &str) -> Option<Promise> {
    let has = |verbs: &str| verbs.split_whitespace().any(|known| known == verb);
    let canonical = TABLE.iter().find(|(_, verbs)| has(verbs));
    let canonical = canonical.and_then(|(promise, _)| *promise);
    let other = || OTHERS.iter().find(|(_, verbs)| has(verbs));
    canonical.or_else(|| other().map(|(promise, _)| *promise))
}

/// The verbs of tool names by their promise.
const TABLE: &[(Option<Promise>, &str)] = &[
    (
        Some(Promise::Reads),
        "compare count describe estimate find get list preview search simulate",
    ),
    (Some(Promise::Has(Effect::Create)), "create"),
    (
        Some(Promise::Has(Effect::Update)),
        "patch rename replace update",
    ),
    (
        Some(Promise::Has(Effect::Delete)),
        "archive delete destroy drop purge",
    ),
    (Some(Promise::Has(Effect::Annotate)), "annotate"),
    (
        Some(Promise::Changes),
        "add apply assign cancel clear deploy disable dispatch enable import install merge move \
         publish remove reset restart restore revert send set start stop uninstall upload write",
    ),
    (
        None,
        "abandon abort accept accumulate acknowledge acquire activate adjust adopt \
         advance aggregate allocate allow analyze announce anonymize answer approve ask \
         associate attach attest authenticate authorize autocomplete award backup ban \
         bind blacklist block book bookmark boot borrow bounce broadcast build \
         calculate calibrate call capture certify charge check checkin checkout \
         cherrypick claim classify cleanse clone close collect comment commit compact \
         compile complete compress concatenate conceal conclude configure confirm \
         connect consume continue convert copy cordon correlate crawl crop customize \
         deactivate deallocate deauthorize debit declare decline decode decommission \
         decrease decrement decrypt defer deliver demote deny deposit deprecate \
         deprovision dequeue deregister designate detach detect disarm disassemble \
         disassociate disburse discard disconnect discover dismiss disqualify dissolve \
         distribute dock donate download drain eject elect elevate empty encode encrypt \
         end enforce enqueue enrich enroll escalate evaluate evict exchange execute \
         expand expedite expire explain export extend extract fail failover favorite \
         fax fill filter finish flag flatten flush follow force forget fork forward \
         freeze fulfill generate geocode geolocate grant hangup harvest hash heal \
         hibernate hide hold identify ignore impersonate increase increment index infer \
         ingest inhibit initialize inject instantiate intercept interpolate interrupt \
         introspect invalidate investigate invite invoke isolate issue join keep kick \
         kill launch leave like link lint liquidate locate lock login logout lower mark \
         mask match mention migrate mint moderate mount mute navigate nominate \
         normalise notify nudge obfuscate offboard onboard open optimize order override \
         parse pause pay peer penalize perform pin ping place plan play poll populate \
         postpone poweroff poweron predict preempt prefetch preload prepare prepend \
         print prioritize probe process procure promote propose protect provision \
         publicize pull purchase push put quantize quarantine query queue raise rank \
         rate react reactivate readmit reallocate reap reapply rearm rearrange reassign \
         reattach reauthenticate reauthorize rebalance rebase rebind reblog reboot \
         rebroadcast rebuild recalculate recall receive reclaim reclassify recognize \
         recommend reconcile reconfigure reconnect record recount recover recreate \
         recruit rectify recycle redact redeem redeliver redeploy reenable reencrypt \
         reevaluate reformat refresh refund regenerate register rehydrate reimage \
         reimport reindex reinitialize reinstall reinstate reinvite reissue reject \
         release relink reload relocate remediate remount render renew reopen reorder \
         reorganize repair repay rephrase replay replenish replicate reply report \
         reposition repost reprioritize reprocess republish request requeue rerequest \
         reroute rerun resample rescan reschedule rescore rescue reseed resend reserve \
         resize resolve restock restrict restructure resubmit resume retag retarget \
         retire retrain retry return retweet revalidate reverse review revoke rewrap \
         rewrite rollback romanize rotate route run sanitize save scale scan schedule \
         score scrap seal seek select sell serialize settle share shift ship shuffle \
         shutdown sideload sign silence skip snapshot snooze sort spawn speak split \
         star store stream submit subscribe suggest summarize suppress suspend swap \
         switch sync synthesize tag teardown templatize terminate test tidy toggle \
         tokenize trace train transcribe transfer transition translate trash trigger \
         trim troubleshoot truncate tune unacknowledge unallocate unapprove unarchive \
         unassign unassociate unban unbind unblock unbookmark uncancel unclaim \
         uncomplete uncompress unconfirm uncordon undelete undeploy undo undock undrop \
         unenroll unfeature unflag unfollow unfreeze ungroup unhide unhold unlike \
         unlink unload unlock unmap unmark unmask unmount unmute unpause unpeer unpin \
         unprotect unpublish unreblog unregister unreserve unrevoke unschedule unseal \
         unset unshare unsilence unstar unsubscribe unsuppress unsuspend untag untrash \
         untrust unverify unvote unwatch unwrap unzip upgrade upsert upvote vacuum \
         validate vectorize verify void vote wait wake watch whitelist withdraw \
         withhold wrap",
    ),
];

/// Verbs that only hand-written tools have, by their promise.
const OTHERS: &[(Promise, &str)] = &[
    (Promise::Reads, "diff inspect read show view"),
    (Promise::Has(Effect::Update), "edit"),
    (Promise::Has(Effect::Delete), "wipe"),
    (Promise::Changes, "insert"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_verb_is_listed_twice() {
        let mut others = OTHERS
            .iter()
            .flat_map(|(_, verbs)| verbs.split_whitespace());
        assert!(TOOL_VERBS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(others.all(|verb| !TOOL_VERBS.contains(&verb)));
    }

    #[test]
    fn a_verb_promises_no_more_than_it_means() {
        for (verb, promise) in [
            ("list", Some(Promise::Reads)),
            ("show", Some(Promise::Reads)),
            ("archive", Some(Promise::Has(Effect::Delete))),
            ("add", Some(Promise::Changes)),
            ("report", None),
            ("items", None),
        ] {
            assert_eq!(promise_of(verb), promise, "{verb}");
        }
    }
}
