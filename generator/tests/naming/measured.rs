//! How many operations of real documents need a line of an overlay for their name.

use std::collections::BTreeMap;

use toolwright_generator::{facts::OperationFacts, naming::Naming};

use crate::{documents, grammar, real};

/// At most this share of the operations of real documents may need a line, because they share a
/// name or have none.
const WITHOUT_A_NAME: f64 = 0.01;

#[test]
fn real_operations_have_names_of_their_own() {
    let (mut operations, mut without) = (0, 0);
    for document in real::documents() {
        let service = real::service_of(&document);
        let facts = documents::read(&document);
        let named = real::names(&service, &facts);
        for facts in &facts {
            let naming = &named[&(facts.path.clone(), facts.method)];
            grammar::check(&service, naming);
            check_number(facts, naming);
        }
        let wanting = wanting(named.values());
        if wanting > 0 {
            let share = 100.0 * f64::from(wanting) / f64::from(u32::try_from(named.len()).unwrap());
            println!(
                "{service}: {wanting} of {} ({share:.2} %) in {}",
                named.len(),
                document.display()
            );
        }
        operations += u32::try_from(named.len()).unwrap();
        without += wanting;
    }
    let share = 100.0 * f64::from(without) / f64::from(operations.max(1));
    println!("{without} of {operations} operations need a line of an overlay ({share:.2} %)");
    assert!(f64::from(without) <= f64::from(operations) * WITHOUT_A_NAME);
}

/// A number at the end of a name is the operation's own: it stands in the path or in the operation
/// id.
fn check_number(facts: &OperationFacts, naming: &Naming) {
    let mut runs = naming.noun.rsplit(|c: char| !c.is_ascii_digit());
    let number = runs.next().unwrap_or_default();
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let own = [facts.path.as_str(), id]
        .map(str::to_ascii_lowercase)
        .iter()
        .any(|text| text.contains(number));
    assert!(own, "{facts:?} is {naming:?}");
}

/// How many have no name, or one that another has too.
fn wanting<'a>(named: impl Iterator<Item = &'a Naming>) -> u32 {
    let mut shared: BTreeMap<&str, u32> = BTreeMap::new();
    let mut none = 0;
    for naming in named {
        match &naming.name {
            Ok(name) => *shared.entry(name.as_str()).or_default() += 1,
            Err(_) => none += 1,
        }
    }
    none + shared.values().filter(|count| **count > 1).sum::<u32>()
}
