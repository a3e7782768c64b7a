//! The decision of a person about a request.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::{
    approval::{ApprovalError, Decision, Unverified, Verdict},
    config::ConsoleRole,
};

use super::request::{Found, may_approve, page};
use crate::{
    console::Console, refusal::Refusal, session::Submission, shown::text, visitor::Visitor,
};

/// Takes the decision about a request. The store accepts the first one only: whoever comes second is
/// told what was decided.
pub(crate) async fn decide(
    State(console): State<Console>,
    Path(handle): Path<String>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    visitor.must_be(ConsoleRole::Approver, &console, "decide about a call")?;
    let found = Found::read(&console, &handle).await?;
    let verdict = match fields.text("verdict") {
        "approved" => Verdict::Approved,
        "rejected" => Verdict::Rejected,
        _ => return Err(Refusal::invalid(&console, "choose to approve or to reject")),
    };
    // A person decides about what the page showed.
    if fields.text("digest") != found.request.digest() {
        let message = "the page shows another request: open it again";
        return Err(Refusal::invalid(&console, message));
    }
    let why = fields.line("reason");
    if verdict == Verdict::Rejected && why.is_none() {
        let problem = html! { "Give a reason to reject the call. Nothing was decided." };
        return Ok(told(&console, &visitor, &found, problem, StatusCode::BAD_REQUEST).await);
    }
    match take(&console, &visitor, &found, verdict, why).await {
        Ok(()) => {
            let list = console.path("/");
            Ok(Redirect::to(&list).into_response())
        }
        Err(ApprovalError::NotPending(_)) => {
            let found = Found::read(&console, &handle).await?;
            let standing = found.standing(Timestamp::now());
            let problem = html! { "Your decision came too late, and has no effect: " (standing) };
            Ok(told(&console, &visitor, &found, problem, StatusCode::CONFLICT).await)
        }
        Err(error) => {
            let problem = html! { (text(&error.to_string())) ". Nothing was decided." };
            Ok(told(&console, &visitor, &found, problem, StatusCode::BAD_REQUEST).await)
        }
    }
}

/// Signs the decision in the name of the visitor, and hands it to the store.
async fn take(
    console: &Console,
    visitor: &Visitor,
    found: &Found,
    verdict: Verdict,
    why: Option<String>,
) -> Result<(), ApprovalError> {
    let Some(key) = console.approver_key() else {
        let message = "this console has no approver's key".to_owned();
        return Err(ApprovalError::Key(message));
    };
    if !console.state().accepts(&key.public())? {
        let key = key.public();
        let message =
            format!("decisions with the key `{key}` of this console are not accepted here");
        return Err(ApprovalError::Key(message));
    }
    let request = &found.request;
    if verdict == Verdict::Approved && !may_approve(request, visitor) {
        return Err(Unverified::NotAnApprover.into());
    }
    let mut decision = Decision::new(verdict, visitor.person(), Timestamp::now())?;
    if let Some(why) = why {
        decision = decision.because(why)?;
    }
    let decision = decision.signed(key, request);
    let handle = request.handle.clone();
    console.registry().decide(handle, decision).await.map(drop)
}

async fn told(
    console: &Console,
    visitor: &Visitor,
    found: &Found,
    problem: Markup,
    status: StatusCode,
) -> Response {
    let page = page(console, visitor, found, Some(problem)).await;
    (status, page).into_response()
}
