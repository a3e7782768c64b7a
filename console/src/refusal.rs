//! Answers to requests that are refused or fail.

use std::fmt::Display;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use maud::{Markup, html};
use toolwright::{audit::ConsoleAction, config::ConsoleRole};

use crate::{console::Console, page::plain, shown::text, visitor::Visitor};

/// An answer that reports a refusal or a failure.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Response>);

impl Refusal {
    fn new(console: &Console, status: StatusCode, title: &str, body: Markup) -> Self {
        let page = plain(console, title, html! { h1 { (title) } (body) });
        Self(Box::new((status, page).into_response()))
    }

    /// The visitor must sign in.
    pub(crate) fn sign_in(console: &Console) -> Self {
        let provider = console.provider();
        let body = html! {
            @if let Some(provider) = &provider {
                p { a.button.primary href=(console.path("/sign-in/openid")) {
                    "Sign in with " (text(provider.name()))
                } }
            }
            p { "The command that runs the console prints a link that signs you in once." }
            p { "For another link, run" }
            pre { "toolwright console link --by NAME" }
            p.sub {
                "If you are signed in and came here from another site, "
                a href=(console.path("/")) { "open the console" } "."
            }
        };
        Self::new(console, StatusCode::UNAUTHORIZED, "Sign in", body)
    }

    /// The sign-in through a provider failed.
    pub(crate) fn not_signed_in(console: &Console, message: &str) -> Self {
        let body = html! {
            p { (text(message)) }
            p { a href=(console.path("/sign-in/openid")) { "Sign in again" } }
        };
        Self::new(console, StatusCode::FORBIDDEN, "Not signed in", body)
    }

    /// The provider knows the person, and the policy does not.
    pub(crate) fn stranger(console: &Console, identity: &str) -> Self {
        let body = html! {
            p { "The provider has signed you in as " strong { (text(identity)) } ", and nobody with this identity may use the console." }
            p.sub { "The operator sets it as " code { "identity" } " in " code { "[console.people]" } " of toolwright.toml." }
        };
        Self::new(console, StatusCode::FORBIDDEN, "Not allowed", body)
    }

    /// The role of the visitor is too low. The audit records the attempt.
    pub(crate) fn forbidden(
        console: &Console,
        visitor: &Visitor,
        needed: ConsoleRole,
        action: &str,
    ) -> Self {
        let session = Some(&visitor.session);
        let person = &visitor.session.person;
        let _ = console.record(ConsoleAction::Refused, person, session, Some(action));
        let body = html! {
            p { "You are " (text(person)) ", with the role " strong { (visitor.role) } ". This needs the role "
                strong { (needed) } "." }
            p.sub { "The operator sets it in " code { "[console.people]" } " of toolwright.toml." }
            (back(console))
        };
        Self::new(console, StatusCode::FORBIDDEN, "Not allowed", body)
    }

    /// There is nothing of this name.
    pub(crate) fn not_found(console: &Console, message: &str) -> Self {
        let body = html! { p { (text(message)) } (back(console)) };
        Self::new(console, StatusCode::NOT_FOUND, "Not found", body)
    }

    /// The request cannot be understood, or contradicts what is the case.
    pub(crate) fn invalid(console: &Console, message: impl Display) -> Self {
        let body = html! {
            p { (text(&message.to_string())) }
            p.sub { "Nothing was changed." }
            (back(console))
        };
        Self::new(console, StatusCode::BAD_REQUEST, "Not done", body)
    }

    /// Something failed, such as the state.
    pub(crate) fn failed(console: &Console, error: impl Display) -> Self {
        let body = html! {
            p { (text(&error.to_string())) }
            (back(console))
        };
        Self::new(
            console,
            StatusCode::SERVICE_UNAVAILABLE,
            "This failed",
            body,
        )
    }

    /// The link was used or has expired.
    pub(crate) fn used_link(console: &Console) -> Self {
        let body = html! {
            p { "A link signs one person in once, within ten minutes." }
            p { "For another one, run" }
            pre { "toolwright console link --by NAME" }
        };
        Self::new(
            console,
            StatusCode::GONE,
            "This link was used or has expired",
            body,
        )
    }
}

fn back(console: &Console) -> Markup {
    html! { p { a href=(console.path("/")) { "To the console" } } }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        *self.0
    }
}
