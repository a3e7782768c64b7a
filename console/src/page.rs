//! The frame of all pages.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};

use crate::{
    assets,
    console::Console,
    shown::{text, visible_page},
    visitor::Visitor,
};

/// The parts of the console, as the navigation lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Waiting,
    Tools,
    Access,
    Record,
    Skills,
    Sessions,
}

/// The parts, each with its path and its title.
const PARTS: [(Part, &str, &str); 5] = [
    (Part::Waiting, "/", "Waiting"),
    (Part::Tools, "/tools", "Tools"),
    (Part::Access, "/access", "Who may what"),
    (Part::Record, "/record", "Record"),
    (Part::Skills, "/skills", "Skills"),
];

/// A page for a person who is signed in.
pub(crate) struct Page<'a> {
    pub(crate) console: &'a Console,
    pub(crate) visitor: &'a Visitor,
    pub(crate) part: Part,
    pub(crate) title: &'a str,
}

impl Page<'_> {
    /// Renders the page.
    pub(crate) async fn render(self, body: Markup) -> Response {
        let Self {
            console,
            visitor,
            part,
            title,
        } = self;
        let waiting = console.live().waiting(console.state()).await;
        let header = html! {
            header.top {
                a.brand href=(console.path("/")) { "Toolwright" }
                nav aria-label="Parts" {
                    @for (each, path, name) in PARTS {
                        a href=(console.path(path)) aria-current=[(each == part).then_some("page")] {
                            (name)
                            @if each == Part::Waiting {
                                span.count data-count=(waiting) hidden[waiting == 0] { (waiting) }
                            }
                        }
                    }
                }
                div.who {
                    a href=(console.path("/sessions")) aria-current=[(part == Part::Sessions).then_some("page")] {
                        (text(visitor.person())) " " span.sub { (visitor.role) }
                    }
                    form method="post" action=(console.path("/sign-out")) {
                        (csrf(visitor))
                        button.quiet { "Sign out" }
                    }
                }
            }
            p.notice hidden data-lost role="status" { "The state cannot be reached. What you see may be out of date." }
        };
        let live = console.path("/live");
        document(
            console,
            title,
            Some(&live),
            &html! {
                a.skip href="#main" { "To the content" }
                (header)
                main #main tabindex="-1" { (body) }
            },
        )
    }
}

/// Renders a page for somebody who is not signed in, or who is refused.
pub(crate) fn plain(console: &Console, title: &str, body: Markup) -> Response {
    document(
        console,
        title,
        None,
        &html! {
            header.top { a.brand href=(console.path("/")) { "Toolwright" } }
            main.narrow #main { (body) }
        },
    )
}

/// Returns the hidden field that every form contains.
pub(crate) fn csrf(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="csrf" value=(visitor.csrf()); }
}

fn document(console: &Console, title: &str, live: Option<&str>, body: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · Toolwright" }
                link rel="icon" href=(console.path(&assets::path("svg"))) type="image/svg+xml";
                link rel="stylesheet" href=(console.path(&assets::path("css")));
                script src=(console.path(&assets::path("js"))) defer {}
            }
            body data-live=[live] data-now=(Timestamp::now().as_millisecond()) { (body) }
        }
    };
    let media_type = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (media_type, visible_page(page)).into_response()
}
