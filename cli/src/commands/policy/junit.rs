//! The results of policy tests as JUnit XML.

use maud::{PreEscaped, html};
use toolwright_model::text::show_invisible;

/// The result of one test: its name, and its failure if it failed.
pub(super) type TestResult = (String, Option<String>);

/// Returns the results as a JUnit file.
pub(super) fn report(suite: &str, results: &[TestResult]) -> String {
    let suite = show_invisible(suite);
    let failures = results.iter().filter(|(_, failure)| failure.is_some());
    let failures = failures.count();
    let cases = html! {
        testsuites tests=(results.len()) failures=(failures) {
            testsuite name=(suite) tests=(results.len()) failures=(failures) {
                @for (name, failure) in results {
                    testcase classname=(suite) name=(show_invisible(name)) {
                        @if let Some(failure) = failure {
                            failure message=(show_invisible(failure)) { (show_invisible(failure)) }
                        }
                    }
                }
            }
        }
    };
    let declaration = PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    format!("{}{}\n", declaration.0, cases.into_string())
}
