//! A hundred hostile strings through every page: none is executed, and the browser asks no other host.
#![cfg(test)]

use fantoccini::wd::WebDriverCompatibleCommand;
use reqwest::Method;
use serde_json::{Map, Value, json};
use url::{ParseError, Url};

use crate::{
    chromium::Chromium,
    installed,
    world::{PAGES, World},
};

/// Strings that begin something in markup, in a script, in a style, in a URL or in a template.
const BEGINNINGS: [&str; 20] = [
    "<script>HIT</script>",
    "<img src=x onerror=HIT>",
    "<svg onload=HIT>",
    "<iframe srcdoc='<script>parent.HIT</script>'>",
    "<body onload=HIT>",
    "<details open ontoggle=HIT>x</details>",
    "<input autofocus onfocus=HIT>",
    "<a href=javascript:HIT>x</a>",
    "<style>@import 'http://127.0.0.1:9/x'</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x>",
    "<base href=http://127.0.0.1:9/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<object data=javascript:HIT></object>",
    "<math><mi//xlink:href='javascript:HIT'>",
    "<form action=http://127.0.0.1:9/><button>x</button></form>",
    "<template><script>HIT</script></template>",
    "<!--<script>HIT</script>-->",
    "<video><source onerror=HIT></video>",
    "javascript:HIT",
    "{{constructor.constructor('HIT')()}}",
];

/// What closes the place where a string may be: of a text, of attributes, of scripts and of others.
const CLOSINGS: [&str; 5] = [
    "",
    "\">",
    "'>",
    "</textarea></title></style></script>",
    "--> ]]>",
];

/// The entries of the log of the browser.
#[derive(Debug)]
struct Log;

impl WebDriverCompatibleCommand for Log {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({"type": "browser"}).to_string()))
    }
}

fn hostile() -> Vec<String> {
    let strings = CLOSINGS.iter().flat_map(|closing| {
        let beginnings = BEGINNINGS.iter();
        beginnings.map(move |beginning| format!("{closing}{beginning}\u{202e}"))
    });
    strings
        .map(|text| text.replace("HIT", "window.hit=1"))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_hostile_strings_are_texts_on_every_page() {
    if installed().is_none() {
        return;
    }
    let strings = hostile();
    assert_eq!(strings.len(), 100);
    let world = World::new().await;
    let mut arguments = Map::new();
    for text in &strings {
        arguments.insert(text.clone(), Value::from(text.as_str()));
        // Each is the name of a tool, too, which the audit records.
        assert!(world.call(text, json!({})).await.is_err());
    }
    let request = world
        .ask("grind-mill-grain", Value::Object(arguments))
        .await;
    let ann = Chromium::of(&world, "ann").await;
    let mut paths: Vec<String> = PAGES.map(str::to_owned).to_vec();
    paths.push(format!("/waiting/{}", request.handle));
    paths.push("/record/run?run=run-7".to_owned());
    let encode =
        |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    for text in strings.iter().step_by(7) {
        for page in [
            "/tools?q=",
            "/record?tool=",
            "/access/clerk?q=",
            "/record/run?run=",
            "/",
        ] {
            paths.push(format!("{page}{}", encode(text)));
        }
    }
    let script = "return [window.hit === undefined, location.origin, \
        document.querySelectorAll('script').length, \
        document.querySelectorAll('iframe, object, base, img, svg:not(.timeline svg):not(.chart svg)').length, \
        document.querySelectorAll('[onerror], [onload], [onfocus], [ontoggle]').length]";
    for path in &paths {
        ann.go(path).await;
        let found = ann.run(script).await;
        assert_eq!(found, json!([true, world.origin(), 1, 0, 0]), "{path}");
    }
    ann.go(&format!("/waiting/{}", request.handle)).await;
    assert!(
        ann.text("main")
            .await
            .contains("<img src=x onerror=window.hit=1>\\u{202e}")
    );
    // A violation of the policy of contents would be in the log.
    let log = ann.client.issue_cmd(Log).await.unwrap();
    let entries = log.as_array().unwrap().iter();
    let serious: Vec<&Value> = entries
        .filter(|entry| !entry.to_string().contains("404"))
        .collect();
    assert!(serious.is_empty(), "{serious:?}");
    ann.close().await;
}
