//! The matrix for a terminal.

use toolwright::Category;

use super::{Matrix, MatrixCell};
use crate::{
    output::Table,
    picture::{self, APPROVAL, DESTRUCTIVE, DESTRUCTIVE_MEANING, sign},
};

pub(super) fn render(matrix: &Matrix) -> String {
    let mut out = String::new();
    for service in &matrix.services {
        let mut header = vec![service.name.to_string().to_uppercase()];
        header.extend(
            matrix
                .roles
                .iter()
                .map(|role| role.to_string().to_uppercase()),
        );
        let has_ungranted = service.has_ungranted();
        if has_ungranted {
            header.push("GRANTED TO NO ROLE".to_owned());
        }
        let mut table = Table::titled(header);
        for row in &service.rows {
            let roles = matrix.roles.iter().map(|role| cell(&row.cell(role)).into());
            let nobody = has_ungranted.then(|| cell(&row.nobody()).into());
            let noun = std::iter::once(row.noun.as_str().into());
            table.row(noun.chain(roles).chain(nobody));
        }
        out.push_str(&table.text());
        if !service.workspaces.is_empty() {
            let roles = matrix.roles.iter();
            let roles = roles.filter_map(|role| {
                let names = service.workspaces_of(role);
                (!names.is_empty()).then(|| format!("{role}: {}", names.join(", ")))
            });
            let roles: Vec<_> = roles.collect();
            out.push_str(&format!("workspaces: {}\n", roles.join("; ")));
        }
        out.push('\n');
    }
    let signs = Category::ALL.iter();
    let signs = signs.map(|&category| {
        format!(
            "{} {category}: {}",
            sign(category),
            picture::meaning(category)
        )
    });
    let signs: Vec<String> = signs.collect();
    out.push_str(&signs.join("   "));
    out.push_str(&format!(
        "\n{DESTRUCTIVE} {DESTRUCTIVE_MEANING}   {APPROVAL} a person approves each call   (verb) granted, but switched off\n"
    ));
    out
}

fn cell(cell: &MatrixCell<'_>) -> String {
    let entries = cell.entries.iter();
    let words = entries.map(|entry| {
        let flag = if entry.approval_required {
            APPROVAL
        } else {
            ""
        };
        let danger = if entry.destructive { DESTRUCTIVE } else { "" };
        let word = format!("{}{}{danger}{flag}", sign(entry.category), entry.label);
        if entry.on || entry.granted_to.is_empty() {
            word
        } else {
            format!("({word})")
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
