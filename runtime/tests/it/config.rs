//! `toolwright.toml`: its settings, and its errors.

use std::{path::Path, time::Duration};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use toolwright::{
    audit::AuditMode,
    config::{Config, SigningAlgorithm},
};

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(Path::new("w/toolwright.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(parse("").unwrap(), Config::new("w"));
    let config = Config::new("w");
    assert_eq!(config.workspace.specs, Path::new("w/specs"));
    assert_eq!(config.audit.file, Path::new("w/.toolwright/audit.jsonl"));
    assert_eq!(config.audit.options.mode, AuditMode::Changes);
    assert_eq!(config.approvals.lifetime, Duration::from_mins(15));
}

#[test]
fn every_key_can_be_set() {
    let config = parse(
        r#"
        [workspace]
        specs = "apis"
        generated = "/abs/out"
        [roles.code_review]
        grant = ["service:plane category:observe", "add-*"]
        [roles.idle]
        [tools]
        enable = ["create-depot-*"]
        disable = ["delete-*"]
        [services.depot]
        base_url = "https://depot.example"
        timeout_seconds = 5
        max_response_bytes = 1_000
        [audit]
        file = "log/audit.jsonl"
        mode = "durable"
        [approvals]
        expire_minutes = 60
        [state]
        file = "log/state.db"
        group = "approvers"
        grace_seconds = 5
        "#,
    )
    .unwrap();
    assert_eq!(config.workspace.specs, Path::new("w/apis"));
    assert_eq!(config.workspace.generated, Path::new("/abs/out"));
    let roles: Vec<_> = config
        .policy
        .roles
        .iter()
        .map(|(role, rules)| (role.as_str(), rules.grants.len()))
        .collect();
    assert_eq!(roles, [("code_review", 2), ("idle", 0)]);
    let grant = &config.policy.roles["code_review"].grants[1];
    assert_eq!(
        (grant.value.to_string(), grant.place.as_str()),
        ("add-*".to_owned(), "w/toolwright.toml:6:52")
    );
    let (enable, disable) = (&config.policy.enable, &config.policy.disable);
    assert_eq!(enable[0].value.to_string(), "create-depot-*");
    assert_eq!(disable[0].value.to_string(), "delete-*");
    let depot = &config.services["depot"].value.common;
    assert_eq!(depot.base_url.as_deref(), Some("https://depot.example"));
    assert_eq!(
        (depot.timeout, depot.max_response_bytes),
        (Some(Duration::from_secs(5)), 1000)
    );
    assert_eq!(config.audit.file, Path::new("w/log/audit.jsonl"));
    assert_eq!(config.audit.options.mode, AuditMode::Durable);
    assert_eq!(config.audit.open().path(), config.audit.file);
    assert_eq!(config.state.file, Path::new("w/log/state.db"));
    assert_eq!(config.state.group.as_deref(), Some("approvers"));
    assert_eq!(config.state.grace, Duration::from_secs(5));
    assert_eq!(config.approvals.lifetime, Duration::from_mins(60));
}

#[test]
fn a_mode_of_the_audit_is_one_of_three() {
    for mode in AuditMode::ALL {
        let config = parse(&format!("[audit]\nmode = \"{mode}\"\n")).unwrap();
        assert_eq!(config.audit.options.mode, *mode);
    }
    let error = parse("[audit]\nmode = \"decisions\"\n").unwrap_err();
    assert!(
        error.contains("unknown mode `decisions`; use one of `buffered`, `changes`, `durable`"),
        "{error}"
    );
}

#[test]
fn all_problems_are_reported_with_their_place() {
    let text = r#"
[role.reader]
[roles.Reader]
grants = []
grant = ["category:obsrve", 7, "é List"]
[tools]
enable = "all"
[services.two-words]
timeout_seconds = 0
max_response_bytes = "1"
base_url = 0x10
[audit]
fil = "x"
[approvals]
expire_minutes = 1.5
"#;
    assert_eq!(
        parse(text).unwrap_err(),
        "\
w/toolwright.toml:2:2: unknown key `role`; a similar key is `roles`
w/toolwright.toml:3:8: `Reader` is not a role: lower-case words of letters and digits, joined by single hyphens or underscores, beginning with a letter
w/toolwright.toml:4:1: unknown key `grants`; a similar key is `grant`
w/toolwright.toml:5:10: `obsrve` is not a category; a similar one is `observe`
w/toolwright.toml:5:29: expected each entry of `grant` to be a string, found an integer
w/toolwright.toml:5:32: `é` is neither a tool name nor a pattern: lower-case letters, digits, `-` and `*`
w/toolwright.toml:7:10: expected `enable` to be an array of strings, found a string
w/toolwright.toml:8:11: `two-words` is not a service name: one lower-case word of letters and digits, beginning with a letter
w/toolwright.toml:9:19: expected `timeout_seconds` to be a whole number from 1 to 3600, found an integer
w/toolwright.toml:10:22: expected `max_response_bytes` to be a whole number from 1 to 1073741824, found a string
w/toolwright.toml:11:12: expected `base_url` to be a string, found an integer
w/toolwright.toml:13:1: unknown key `fil`; a similar key is `file`
w/toolwright.toml:15:18: expected `expire_minutes` to be a whole number from 1 to 10080, found a float"
    );
}

#[test]
fn invalid_toml_is_reported_line_by_line() {
    let error = parse("a = \n[roles]\nb = = 1\n[roles]\n").unwrap_err();
    let lines: Vec<_> = error.lines().collect();
    assert!(lines.len() >= 2, "{error}");
    assert!(lines[0].starts_with("w/toolwright.toml:1:"), "{error}");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("w/toolwright.toml:3:")),
        "{error}"
    );
}

#[test]
fn an_absent_file_is_reported() {
    let error = Config::read(Path::new("/nowhere/toolwright.toml")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/nowhere/toolwright.toml:1:1: the file cannot be read: ")
    );
}

#[test]
fn arbitrary_input_never_panics() {
    let pieces = [
        "[", "]", "roles", ".", "reader", "=", "\"", "'", "\n", "é", "grant", "{", "}", ",", "1",
        "#",
    ];
    let mut random = StdRng::seed_from_u64(7);
    for _ in 0..3000 {
        let length = random.random_range(0..12);
        let text: String = (0..length)
            .map(|_| pieces[random.random_range(0..pieces.len())])
            .collect();
        let _ = parse(&text);
    }
}

#[test]
fn an_approver_has_a_key_and_a_grant() {
    let key = "ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let text = format!(
        "[approvals]\nfour_eyes = true\n[approvals.approvers.ann]\nkey = \"{key}\"\napprove = [\"create-*\"]\n"
    );
    let approvals = parse(&text).unwrap().approvals;
    assert!(approvals.four_eyes);
    assert_eq!(approvals.approvers[0].name, "ann");
    assert_eq!(
        approvals.approvers[0].approve[0].value.to_string(),
        "create-*"
    );
    let error = parse("[approvals.approvers.ann]\nkeys = 7\n").unwrap_err();
    for message in [
        "unknown key `keys`",
        "this table has no `key`",
        "this table has no `approve`",
    ] {
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn the_page_about_access_tokens_is_right_about_what_is_refused() {
    let page = include_str!("../../../docs/oauth.md");
    let block = |kind: &str, number: usize| {
        let fence = format!("```{kind}\n");
        let mut blocks = page.split(&fence).skip(1 + number);
        blocks.next().unwrap().split("```").next().unwrap()
    };
    let path = Path::new("toolwright.toml");
    let config = Config::parse(path, block("toml", 0)).unwrap();
    let oauth = config.oauth.unwrap();
    assert_eq!(oauth.issuer, "https://login.example");
    assert_eq!(oauth.algorithms, SigningAlgorithm::DEFAULT);
    let order = oauth.roles.iter().map(|(value, _)| value.as_str());
    assert_eq!(order.collect::<Vec<_>>(), ["tools:write", "tools:read"]);
    let refused = Config::parse(path, block("toml", 1)).unwrap_err();
    assert_eq!(format!("{refused}\n"), block("text", 1));
}

#[test]
fn a_provider_identifies_each_person_of_the_console_by_one_claim() {
    let people = "[console.people.ann]\nrole = \"operator\"\nidentity = \"ann@example.com\"\n";
    let config = parse(&format!(
        "[console.openid]\nissuer = \"https://login.example\"\nclaim = \"email\"\n{people}"
    ));
    let console = config.unwrap().console;
    let openid = console.openid.clone().unwrap();
    assert_eq!(openid.scopes, ["email"]);
    assert_eq!(openid.service.as_str(), "console");
    assert_eq!(openid.algorithms, SigningAlgorithm::DEFAULT);
    assert!(openid.needs_verified_email());
    assert_eq!(console.person_of("ann@example.com"), Some("ann"));
    for stranger in ["", "ann", "Ann@example.com", "ann@example.com "] {
        assert_eq!(console.person_of(stranger), None, "{stranger}");
    }
    let other = people.replace("people.ann", "people.bob");
    for (text, problem) in [
        (format!("{people}{other}"), "`ann` has the same identity"),
        (
            people.replace("ann@example.com", " "),
            "`identity` is empty",
        ),
        (
            "[console.openid]\nclaim = \"sub\"\n".to_owned(),
            "has no `issuer`",
        ),
        (
            "[console.openid]\nissuer = \"http://login.example\"\n".to_owned(),
            "http",
        ),
        (
            "[console.openid]\nissuer = \"https://u:p@login.example\"\n".to_owned(),
            "is not the URL of a provider",
        ),
        (
            "[console.openid]\nissuer = \"https://login.example\"\nalgorithms = [\"none\"]\n"
                .to_owned(),
            "is not an algorithm with a public key",
        ),
        (
            "[console.openid]\nissuer = \"https://login.example\"\nsecret = \"x\"\n".to_owned(),
            "secret",
        ),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(error.contains(problem), "{text}: {error}");
    }
}
