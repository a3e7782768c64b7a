//! A browser that a test drives.
#![cfg(test)]

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Mutex, OnceLock},
    time::{Duration, Instant},
};

use fantoccini::{
    Client, ClientBuilder, Locator,
    wd::{Capabilities, WebDriverCompatibleCommand},
};
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;
use url::{ParseError, Url};

use crate::world::World;

/// The time in which a page must show what a test waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A window of a browser, with cookies of its own.
pub(crate) struct Chromium {
    pub(crate) client: Client,
    origin: String,
}

/// The driver, which ends with the process of the tests.
struct Driver {
    _child: Mutex<Child>,
    url: String,
}

/// A command of the protocol of the browser's own developer tools.
#[derive(Debug)]
struct Protocol(Value);

impl WebDriverCompatibleCommand for Protocol {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.0.to_string()))
    }
}

fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let fonts = concat!(env!("CARGO_MANIFEST_DIR"), "/real/console/fonts.conf");
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .env("FONTCONFIG_FILE", fonts)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let port = line
                .strip_suffix('.')?
                .rsplit_once("on port ")?
                .1
                .to_owned();
            port.parse::<u16>().ok()
        });
        // The driver must be able to write on.
        std::thread::spawn(move || lines.for_each(drop));
        Driver {
            url: format!("http://127.0.0.1:{}", port.unwrap()),
            _child: Mutex::new(child),
        }
    })
}

impl Chromium {
    /// Opens a browser of nobody.
    pub(crate) async fn open(world: &World) -> Self {
        let options = json!({
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--force-device-scale-factor=1", "--hide-scrollbars", "--window-size=1280,900",
            ],
        });
        let capabilities =
            json!({"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}});
        let capabilities: Capabilities = serde_json::from_value(capabilities).unwrap();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client = builder
            .capabilities(capabilities)
            .connect(&driver().url)
            .await;
        Self {
            client: client.unwrap(),
            origin: world.origin(),
        }
    }

    /// Opens a browser of a person, who signs in with a link.
    pub(crate) async fn of(world: &World, person: &str) -> Self {
        let browser = Self::open(world).await;
        browser
            .client
            .goto(&world.link(person).await)
            .await
            .unwrap();
        browser.press("main button").await;
        browser.shows("nav", "Waiting").await;
        browser
    }

    pub(crate) async fn go(&self, path: &str) {
        let url = format!("{}{path}", self.origin);
        self.client.goto(&url).await.unwrap();
    }

    /// Presses what a selector finds.
    pub(crate) async fn press(&self, selector: &str) {
        let found = self.client.find(Locator::Css(selector)).await;
        found.unwrap().click().await.unwrap();
    }

    /// Types into what a selector finds.
    pub(crate) async fn write(&self, selector: &str, text: &str) {
        let found = self.client.find(Locator::Css(selector)).await;
        found.unwrap().send_keys(text).await.unwrap();
    }

    /// Returns the text of what a selector finds; an empty one if there is nothing.
    pub(crate) async fn text(&self, selector: &str) -> String {
        match self.client.find(Locator::Css(selector)).await {
            Ok(found) => found.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Waits until what a selector finds contains a text, and returns how long that took.
    pub(crate) async fn shows(&self, selector: &str, text: &str) -> Duration {
        let begun = Instant::now();
        loop {
            let shown = self.text(selector).await;
            if shown.contains(text) {
                return begun.elapsed();
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "`{text}` in `{selector}`: {shown}"
            );
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Runs a command of the developer tools.
    pub(crate) async fn protocol(&self, command: &str, parameters: Value) -> Value {
        let command = json!({"cmd": command, "params": parameters});
        self.client.issue_cmd(Protocol(command)).await.unwrap()
    }

    /// Sets the size of the page.
    pub(crate) async fn resize(&self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.protocol("Emulation.setDeviceMetricsOverride", size)
            .await;
    }

    /// Sets the width of the page, and whether it is dark.
    pub(crate) async fn look(&self, width: u32, is_dark: bool) {
        self.resize(width, 900).await;
        let scheme = if is_dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.protocol("Emulation.setEmulatedMedia", media).await;
    }

    /// Runs a function of a script, and returns its result.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.client.execute(script, vec![]).await.unwrap()
    }

    pub(crate) async fn close(self) {
        self.client.close().await.unwrap();
    }
}
