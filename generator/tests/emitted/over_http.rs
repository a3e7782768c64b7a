//! Runs within the emitted crate: its adapters call a service over HTTP.

mod service;

use service::{Answer, Asked, view};
use toolwright::{Paged, ScopedToolView, ToolError, codec::{json, self, Value}};
use toolwright_zoo::{failures::*, types::Thing, *};

/// The ids of all items of all pages.
async fn ids<T: Paged<Item = Thing>>(view: &ScopedToolView, list: T) -> Vec<i64> {
    let mut items = view.items(&list);
    let mut ids = Vec::new();
    while let Some(item) = items.next().await {
        ids.push(item.unwrap().id);
    }
    ids
}

/// Seven things, three a page.
fn things(start: usize) -> Vec<Value> {
    (start..7).take(3).map(|id| json!({"id": id})).collect()
}

fn number(asked: &Asked, name: &str, otherwise: usize) -> usize {
    asked.query(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "current_thread")]
async fn every_kind_of_pagination_returns_all_pages() {
    let view = view(|asked| {
        assert_eq!(asked.body, "");
        let path = asked.line.split(['?', ' ']).nth(1).unwrap();
        match path {
            "/keepers" => {
                let start = number(asked, "cursor", 0);
                let next = (start + 3 < 7).then(|| (start + 3).to_string());
                Answer::json(200, json!({"keepers": things(start), "next_cursor": next}))
            }
            "/tickets" => {
                let start = (number(asked, "page", 1) - 1) * 3;
                Answer::json(200, json!({"total_pages": 3, "items": things(start)}))
            }
            "/visits" => Answer::json(200, things(number(asked, "offset", 0)).into()),
            "/meals" => {
                let page = number(asked, "page", 1);
                let mut answer = Answer::json(200, things((page - 1) * 3).into());
                let next = page + 1;
                answer.link = (page < 3).then(|| format!("</meals?page={next}>; rel=\"next\""));
                answer
            }
            other => panic!("{other}"),
        }
    });
    let all: Vec<i64> = (0..7).collect();
    assert_eq!(ids(&view, ListZooKeepers::default()).await, all);
    assert_eq!(ids(&view, ListZooTickets::default()).await, all);
    assert_eq!(ids(&view, ListZooVisits::default()).await, all);
    assert_eq!(ids(&view, ListZooMeals::default()).await, all);
    let from_the_second = ListZooTickets::default().with_page(2);
    assert_eq!(ids(&view, from_the_second).await, [3, 4, 5, 6]);
}

#[tokio::test(flavor = "current_thread")]
async fn the_pages_end_with_the_first_error() {
    let view = view(|asked| match asked.query("page") {
        Some("2") => Answer::json(503, json!({"title": "later"})),
        _ => Answer::json(200, json!({"total_pages": 3, "items": things(0)})),
    });
    let mut pages = view.pages(&ListZooTickets::default());
    assert_eq!(pages.next().await.unwrap().unwrap().items.len(), 3);
    let error = pages.next().await.unwrap().unwrap_err();
    assert_eq!(error.status(), Some(503));
    assert!(pages.next().await.is_none());
}

async fn refusal_of(status: u16, media_type: &'static str, body: &'static str) -> ToolError {
    let view = view(move |_| Answer { status, media_type, link: None, body: body.to_owned() });
    let Err(error) = view.call(GetZooAnimal::new("1")).await else {
        panic!("{status} is no success");
    };
    error
}

#[tokio::test(flavor = "current_thread")]
async fn each_error_response_has_the_type_of_its_status() {
    let json = "application/json";
    let error = refusal_of(400, json, r#"{"fields": {"id": "too short"}}"#).await;
    let Some(GetZooAnimalFailure::BadRequest(bad)) = error.documented::<GetZooAnimal>() else {
        panic!("{error:?}");
    };
    assert_eq!(bad.fields["id"], "too short");

    let error = refusal_of(404, json, r#"{"any": 1}"#).await;
    let Some(GetZooAnimalFailure::NotFound(any)) = error.documented::<GetZooAnimal>() else {
        panic!("{error:?}");
    };
    assert_eq!(any, json!({"any": 1}));

    let error = refusal_of(409, "text/plain", "in transit").await;
    let Some(GetZooAnimalFailure::Conflict(text)) = error.documented::<GetZooAnimal>() else {
        panic!("{error:?}");
    };
    assert_eq!(text, "in transit");

    for status in [410, 500] {
        let error = refusal_of(status, "application/problem+json", r#"{"title": "no"}"#).await;
        let title = match error.documented::<GetZooAnimal>() {
            Some(GetZooAnimalFailure::ClientError(problem)) if status == 410 => problem.title,
            Some(GetZooAnimalFailure::Default(problem)) if status == 500 => problem.title,
            other => panic!("{other:?}"),
        };
        assert_eq!(title, "no");
    }

    let error = refusal_of(500, "text/html", "<p>").await;
    assert!(error.documented::<GetZooAnimal>().is_none());
    assert_eq!(error.body(), Some(&json!("<p>")));
}

#[tokio::test(flavor = "current_thread")]
async fn parts_and_fields_follow_their_encoding() {
    let nothing = || Answer { status: 204, media_type: "text/plain", link: None, body: String::new() };
    let view_of_parts = view(move |asked| {
        for part in [
            "name=\"photo\"; filename=\"photo\"\r\nContent-Type: image/webp\r\nX-Album: summer\r\n\r\nhi\r\n",
            "name=\"about\"\r\nContent-Type: application/json\r\nX-Album: none\r\n\r\n{\"id\":7}\r\n",
            "name=\"tags\"\r\n\r\na\r\n",
            "name=\"tags\"\r\n\r\nb\r\n",
        ] {
            assert!(asked.body.contains(part), "{part} in {}", asked.body);
        }
        nothing()
    });
    let photo = codec::File { content: codec::Bytes::new(b"hi"), filename: None, media_type: None };
    let update = UpdateZooAnimalPhoto::new(required::UpdateZooAnimalPhoto {
        id: "1".into(),
        photo,
        x_album: "summer".into(),
    });
    let update = update
        .with_about(Thing::new(7))
        .with_tags(["a".to_owned(), "b".to_owned()])
        .with_about_x_album("none");
    view_of_parts.call(update).await.unwrap();

    let view_of_fields = view(move |asked| {
        assert_eq!(asked.body, "tags=a%7Cb&about%5Bid%5D=7&sizes=%5B1%2C2%5D");
        nothing()
    });
    let update = UpdateZooAnimalForm::new("1")
        .with_tags(["a".to_owned(), "b".to_owned()])
        .with_about(Thing::new(7))
        .with_sizes([1, 2]);
    view_of_fields.call(update).await.unwrap();
}

#[test]
fn tools_that_fail_in_the_same_ways_share_a_type() {
    fn shared(failure: GetZooAnimalFailure) -> CreateZooAnimalFailure {
        failure
    }
    let _ = shared;
}
