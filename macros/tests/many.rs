//! A thousand tools over five crates, none of which is called by a name: all are there, in the
//! order of their names.

use serde_json::json;
use toolwright::{Role, testing::TestView};
use toolwright_test_many_five as _;
use toolwright_test_many_four as _;
use toolwright_test_many_one as _;
use toolwright_test_many_three as _;
use toolwright_test_many_two as _;

#[tokio::test]
async fn a_thousand_tools_of_five_crates_are_registered() {
    let view = TestView::for_role(Role::new("reader").unwrap());
    let mut expected: Vec<String> = ["one", "two", "three", "four", "five"]
        .iter()
        .flat_map(|service| (0..200).map(move |at| format!("list-{service}-rows-{at:03}")))
        .collect();
    expected.sort();
    assert_eq!(expected.len(), 1000);
    assert_eq!(view.names(), expected);

    let rows = view.call("list-three-rows-017", json!({})).await;
    assert_eq!(rows.unwrap().as_array().map(Vec::len), Some(17));
}
