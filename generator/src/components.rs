//! The strongly connected components of a graph.

use std::collections::{BTreeMap, BTreeSet};

/// Numbers the strongly connected components of a graph: two nodes have the same number exactly if
/// each reaches the other. Every other edge leads to a greater number. A node that does not reach
/// itself has a number that no edge of it leads to.
pub(crate) fn components<N: Copy + Ord>(edges: &BTreeMap<N, Vec<N>>) -> BTreeMap<N, usize> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for start in edges.keys() {
        visit(edges, *start, &mut seen, &mut order);
    }
    let mut back: BTreeMap<N, Vec<N>> = BTreeMap::new();
    for (from, to) in edges {
        for to in to {
            back.entry(*to).or_default().push(*from);
        }
    }
    let mut components = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (number, start) in order.iter().rev().enumerate() {
        let mut members = Vec::new();
        visit(&back, *start, &mut seen, &mut members);
        components.extend(members.into_iter().map(|node| (node, number)));
    }
    components
}

/// Adds the nodes that can be reached and were not seen before, each after all that it leads to.
fn visit<N: Copy + Ord>(
    edges: &BTreeMap<N, Vec<N>>,
    start: N,
    seen: &mut BTreeSet<N>,
    order: &mut Vec<N>,
) {
    let mut open = vec![(start, false)];
    while let Some((node, left)) = open.pop() {
        if left {
            order.push(node);
        } else if seen.insert(node) {
            open.push((node, true));
            let next = edges.get(&node).into_iter().flatten();
            open.extend(next.map(|to| (*to, false)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let edges = BTreeMap::from([
            ('a', vec!['b']),
            ('b', vec!['c', 'd']),
            ('c', vec!['b']),
            ('d', vec!['d']),
            ('e', vec!['a']),
        ]);
        let numbers = components(&edges);
        assert_eq!(numbers[&'b'], numbers[&'c']);
        for (from, to) in [('e', 'a'), ('a', 'b'), ('c', 'd')] {
            assert!(numbers[&from] < numbers[&to], "{from} before {to}");
        }
    }
}
