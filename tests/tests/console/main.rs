//! The console in a real browser: Chromium and its driver, from Debian.
//!
//! `TOOLWRIGHT_REAL=1` enables the tests; see [`toolwright_tests::real`]. `tests/real/console/base.sh` installs the
//! browser, and the accessibility rules of axe-core from npm.
#![cfg(test)]
#![cfg(unix)]

mod accessible;
mod agent;
mod chromium;
mod hostile;
mod openid;
mod picture;
mod pictures;
mod story;
#[expect(dead_code, reason = "the tests without a browser use more of it")]
#[path = "../../../console/tests/console/world.rs"]
mod world;

use std::sync::OnceLock;

use toolwright_tests::real::Real;

/// Returns the installation if the tests are enabled. Installs the browser once.
fn installed() -> Option<&'static Real> {
    static INSTALLED: OnceLock<Option<Real>> = OnceLock::new();
    let install = || {
        let real = Real::if_enabled_with("console")?;
        real.run("base.sh", &[]).unwrap();
        Some(real)
    };
    INSTALLED.get_or_init(install).as_ref()
}
