//! The pages in a real browser, if there is one: nothing is wider than a narrow screen.

use std::{path::Path, process::Command};

use crate::support::{NOTES, Project, REPOSITORY};

/// The programs that are tried.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The widths of a telephone, a laptop and a large screen.
const WIDTHS: [u32; 3] = [360, 1280, 3840];

/// Measures a frame of each width: the width, that of the content, and the size of the text. The
/// pages themselves allow no scripts.
const MEASURE: &str = "<script>onload = () => { document.body.innerHTML = [...document.querySelectorAll('iframe')]\
    .map(f => { const d = f.contentDocument; return `${f.width}:${d.documentElement.scrollWidth}:${d.body.innerText.length};` })\
    .join('') }</script>";

/// Opens a page in frames, and returns the widths of its content.
fn measure(browser: &str, folder: &Path, page: &str) -> Vec<u32> {
    let srcdoc = page.replace('&', "&amp;").replace('"', "&quot;");
    let frames = WIDTHS
        .map(|width| format!("<iframe width={width} height=900 srcdoc=\"{srcdoc}\"></iframe>"));
    let file = folder.join("frames.html");
    std::fs::write(
        &file,
        format!(
            "<!DOCTYPE html><meta charset=utf-8>{}{MEASURE}",
            frames.concat()
        ),
    )
    .unwrap();
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=4000,1000",
            &profile,
        ])
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let body = dom.split("<body>").nth(1).unwrap_or_default();
    let measured = body.split(';').filter_map(|part| {
        let mut numbers = part.split(':').map(|number| number.parse::<u32>().ok());
        let (_, content, text) = (numbers.next()??, numbers.next()??, numbers.next()??);
        assert!(text > 100, "the page is empty: {dom}");
        Some(content)
    });
    let measured: Vec<_> = measured.collect();
    assert_eq!(
        measured.len(),
        WIDTHS.len(),
        "{dom}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    measured
}

fn browser() -> Option<&'static str> {
    BROWSERS.into_iter().find(|browser| {
        let version = Command::new(browser).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn no_page_scrolls_sideways() {
    let Some(browser) = browser() else {
        eprintln!(
            "skipped: no browser is installed; tried {}",
            BROWSERS.join(", ")
        );
        return;
    };
    let project = Project::with_memo();
    let long = "a".repeat(200);
    let changed = NOTES
        .replace(
            "summary: List notes",
            &format!("summary: List {long} notes"),
        )
        .replace("http://127.0.0.1:9", "http://127.0.0.1:9090")
        .replace("operationId: deleteNote", "operationId: purgeNote");
    project.write("new.yaml", changed);
    let diff = [
        "diff",
        "specs/memo/openapi.yaml",
        "new.yaml",
        "--service",
        "memo",
        "--format",
        "html",
    ];
    let matrix = [
        "matrix",
        "--config",
        REPOSITORY,
        "--format",
        "html",
        "--grant",
        "reader=category:observe",
    ];
    for (line, code) in [(&diff[..], 4), (&matrix[..], 0)] {
        let page = project.run(line).expect(code).stdout;
        let measured = measure(browser, &project.path("."), &page);
        for (width, content) in WIDTHS.iter().zip(measured) {
            assert!(content <= *width, "{line:?}: {content} of {width} pixels");
        }
    }
}
