//! The ends of a script.

use crate::calls::{failed, run, short_world, world};

pub(crate) async fn an_exit_code_decides_about_the_failure() {
    let broken = world("echo 'no such shelf' >&2; exit 1").await;
    let (code, text, is_failure) = failed(&broken).await;
    assert_eq!((code.as_str(), is_failure), ("skill_script_failed", true));
    assert!(
        text.contains("`run.sh` ended with exit code 1: no such shelf"),
        "{text}"
    );
    let (_, _, is_failure) = failed(&world("exit 64").await).await;
    assert!(!is_failure);
    let (code, text, _) = failed(&world("kill -9 $$").await).await;
    assert_eq!(code, "skill_script_failed", "{text}");
    // A call that the caller may not make, or makes with wrong arguments, is no failure of the skill.
    let (code, text, is_failure) = failed(&world("toolwright call search-shop-items").await).await;
    assert_eq!(
        (code.as_str(), is_failure),
        ("invalid_arguments", false),
        "{text}"
    );
    // One that the service does not answer is.
    let script = "toolwright call search-shop-items q=x || exit 64";
    let unserved = world(script).await;
    unserved.fail(503);
    let (code, text, is_failure) = failed(&unserved).await;
    assert!(is_failure, "{code} {text}");
}

pub(crate) async fn a_result_is_json() {
    let other = world("#!/bin/bash\n[[ -v BASH ]] && echo '[1, {\"a\": null}]'").await;
    let output = run(&other).await.unwrap();
    assert_eq!(output["result"], serde_json::json!([1, {"a": null}]));
    for script in ["true", "echo done", "echo 1; echo 2", "printf '\\377'"] {
        let (code, text, is_failure) = failed(&world(script).await).await;
        assert_eq!(
            (code.as_str(), is_failure),
            ("skill_script_no_json", true),
            "{text}"
        );
    }
}

pub(crate) async fn a_limit_ends_the_run() {
    for (script, limit) in [
        ("sleep 300", "time"),
        ("yes", "output"),
        // The file system of the scratch folder is full before.
        (
            "cat /dev/zero >full; echo 1 >more && exit 9; exec yes",
            "output",
        ),
    ] {
        let world = short_world(script, 5).await;
        let (code, text, is_failure) = failed(&world).await;
        assert_eq!(
            (code.as_str(), is_failure),
            ("skill_script_limit_exceeded", true),
            "{text}"
        );
        assert!(
            text.contains(&format!("limit of {limit}")),
            "{script}: {text}"
        );
    }
}
