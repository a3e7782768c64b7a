//! The matrix as a drawing: the page without a browser's help, for slides and documents.

use maud::{Markup, PreEscaped, html};
use toolwright::Category;

use super::{Matrix, MatrixCell, MatrixEntry, MatrixRow, MatrixService};
use crate::picture::{self, APPROVAL, DESTRUCTIVE, DESTRUCTIVE_MEANING, sign};

/// The width of a character; other sizes are multiples of it.
const CHARACTER: usize = 7;
/// The width by which a sign is wider than a character.
const SIGN: usize = 4;
const LINE: usize = 20;
const CHIP: usize = 16;
const GAP: usize = 5;
const MARGIN: usize = 24;
/// The least width of the drawing, in which every line of the legend has room.
const LEGEND: usize = 420;
/// The greatest width of a column before its content is wrapped.
const WIDEST: usize = 320;

const STYLE: &str = "
text { font: 11.5px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1b1f24 }
.title { font: 600 20px system-ui, 'Segoe UI', Arial, 'DejaVu Sans', sans-serif }
.head { font-weight: 600 } .soft { fill: #5b6572 }
rect.chip { rx: 3; stroke-width: 1 }
.observe rect { fill: #e8f2f9; stroke: #9cc9e4 } .observe text { fill: #0072b2 }
.report rect { fill: #e5f4ef; stroke: #8fcdb9 } .report text { fill: #00795a }
.execute rect { fill: #fdefe3; stroke: #e9b183 } .execute text { fill: #b34700 }
.approve rect { fill: #f8eaf3; stroke: #d9a3c5 } .approve text { fill: #8c3a72 }
.off rect { fill: none; stroke-dasharray: 3 2 } .off text { font-style: italic; opacity: .8 }
.nobody rect { fill: none; stroke: #d8dde3 } .nobody text { fill: #5b6572 }
.destructive rect { stroke: #b3261e; stroke-width: 2 }
line { stroke: #d8dde3 } line.strong { stroke: #1b1f24 } .paper { fill: #ffffff }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e9ed } .soft { fill: #a3adb8 } .paper { fill: #14171b }
  .observe rect { fill: #10283a; stroke: #2f6d94 } .observe text { fill: #7cc4f2 }
  .report rect { fill: #0f2c24; stroke: #2f7d66 } .report text { fill: #6fd3b3 }
  .execute rect { fill: #38220f; stroke: #96602f } .execute text { fill: #ffb380 }
  .approve rect { fill: #331c2b; stroke: #86496f } .approve text { fill: #eda8d3 }
  .off rect, .nobody rect { fill: none } .nobody rect { stroke: #3a424b } .nobody text { fill: #a3adb8 }
  .destructive rect { stroke: #ff8a80 }
  line { stroke: #3a424b } line.strong { stroke: #e6e9ed }
}
";

/// The columns: the nouns, the roles, and the ungranted tools.
struct Columns {
    widths: Vec<usize>,
}

pub(super) fn render(matrix: &Matrix) -> String {
    let columns = Columns::new(matrix);
    let used = columns.widths.iter().sum::<usize>();
    let width = used.max(LEGEND) + 2 * MARGIN;
    let mut parts = Vec::new();
    let mut y = MARGIN + 20;
    parts.push(html! { text.title x=(MARGIN) y=(y) { "Who may do what" } });
    y += LINE + 4;
    let (signs, lines) = legend(y, width - 2 * MARGIN);
    parts.push(signs);
    y += lines * LINE;
    for service in &matrix.services {
        y = of_service(matrix, service, &columns, y + LINE, &mut parts);
    }
    let height = y + MARGIN;
    let svg = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="img" {
            title { "Who may do what" }
            style { (PreEscaped(STYLE)) }
            rect.paper width="100%" height="100%" {}
            @for part in &parts { (part) }
        }
    };
    svg.into_string()
}

/// Explains the signs, in lines of a width. Returns the number of lines too.
fn legend(y: usize, width: usize) -> (Markup, usize) {
    let mut texts: Vec<String> = Category::ALL
        .iter()
        .map(|&category| {
            format!(
                "{} {category}: {}",
                sign(category),
                picture::meaning(category)
            )
        })
        .collect();
    texts.push(format!("{DESTRUCTIVE} {DESTRUCTIVE_MEANING}"));
    texts.push(format!("{APPROVAL} a person approves each call"));
    texts.push("dashed: switched off".to_owned());
    let (mut left, mut line) = (0, 0);
    let mut placed = Vec::new();
    for text in &texts {
        let wide = text.chars().count() * CHARACTER + SIGN;
        if left > 0 && left + wide > width {
            left = 0;
            line += 1;
        }
        placed.push((text, MARGIN + left, y + line * LINE));
        left += wide + 3 * CHARACTER;
    }
    let signs = html! {
        @for (text, x, y) in &placed { text.soft x=(x) y=(y) { (text) } }
    };
    (signs, line + 1)
}

fn of_service(
    matrix: &Matrix,
    service: &MatrixService,
    columns: &Columns,
    y: usize,
    parts: &mut Vec<Markup>,
) -> usize {
    let mut titles = vec![service.name.to_string()];
    titles.extend(matrix.roles.iter().map(ToString::to_string));
    if has_nobody(matrix) {
        titles.push("granted to no role".to_owned());
    }
    let right = MARGIN + columns.widths.iter().sum::<usize>();
    parts.push(html! {
        @for (title, x) in titles.iter().zip(columns.column_edges()) {
            text.head x=(x) y=(y + 14) { (title) }
        }
        line.strong x1=(MARGIN) x2=(right) y1=(y + LINE) y2=(y + LINE) {}
    });
    let mut y = y + LINE + 3;
    for row in &service.rows {
        let lines = columns.lines(matrix, row);
        parts.push(html! {
            text x=(MARGIN) y=(y + 13) { (row.noun) }
            @for (index, (cell, x)) in cells(matrix, row).iter().zip(columns.column_edges().skip(1)).enumerate() {
                @let width = columns.widths.get(index + 1).copied().unwrap_or_default();
                (chips(cell, x, y, width))
            }
            line x1=(MARGIN) x2=(right) y1=(y + lines * LINE) y2=(y + lines * LINE) {}
        });
        y += lines * LINE + 2;
    }
    y
}

/// Checks whether there is a column of ungranted tools.
fn has_nobody(matrix: &Matrix) -> bool {
    let mut services = matrix.services.iter();
    services.any(MatrixService::has_ungranted)
}

fn cells<'a>(matrix: &Matrix, row: &'a MatrixRow) -> Vec<MatrixCell<'a>> {
    let roles = matrix.roles.iter().map(|role| row.cell(role));
    let nobody = has_nobody(matrix).then(|| row.nobody());
    roles.chain(nobody).collect()
}

/// Places each entry of a cell in its column: the distance from the left, and the line.
fn lay_out<'a>(cell: &MatrixCell<'a>, width: usize) -> Vec<(&'a MatrixEntry, usize, usize)> {
    let (mut left, mut line) = (0, 0);
    let mut placed = Vec::new();
    for entry in &cell.entries {
        let wide = chip_width(entry);
        if left > 0 && left + wide + GAP > width {
            left = 0;
            line += 1;
        }
        placed.push((*entry, left, line));
        left += wide + GAP;
    }
    placed
}

fn chips(cell: &MatrixCell<'_>, x: usize, y: usize, width: usize) -> Markup {
    html! {
        @for (entry, left, line) in lay_out(cell, width) {
            g class={ (entry.category.word()) (danger(entry)) (state(entry)) } {
                title { (entry.name) }
                rect.chip x=(x + left) y=(y + line * LINE) width=(chip_width(entry)) height=(CHIP) {}
                text x=(x + left + GAP) y=(y + line * LINE + 12) { (words(entry)) }
            }
        }
    }
}

const fn danger(entry: &MatrixEntry) -> &'static str {
    if entry.destructive {
        " destructive"
    } else {
        ""
    }
}

fn state(entry: &MatrixEntry) -> &'static str {
    if entry.granted_to.is_empty() {
        " nobody"
    } else if entry.on {
        ""
    } else {
        " off"
    }
}

fn words(entry: &MatrixEntry) -> String {
    let flag = if entry.approval_required {
        format!(" {APPROVAL}")
    } else {
        String::new()
    };
    let danger = if entry.destructive {
        format!(" {DESTRUCTIVE}")
    } else {
        String::new()
    };
    format!("{} {}{danger}{flag}", sign(entry.category), entry.label)
}

/// The width of a chip. Signs are wider than letters in many fonts.
fn chip_width(entry: &MatrixEntry) -> usize {
    let words = words(entry);
    let signs = words.chars().filter(|c| !c.is_ascii()).count();
    words.chars().count() * CHARACTER + signs * SIGN + 2 * GAP
}

impl Columns {
    fn new(matrix: &Matrix) -> Self {
        let rows = || matrix.services.iter().flat_map(|service| &service.rows);
        let nouns = rows().map(|row| row.noun.chars().count());
        let names = matrix
            .services
            .iter()
            .map(|service| service.name.as_str().len());
        let first = nouns.chain(names).max().unwrap_or_default() * CHARACTER;
        let mut widths = vec![first + 2 * GAP];
        let titles = matrix.roles.iter().map(|role| role.as_str().len());
        for (index, title) in titles
            .chain(has_nobody(matrix).then_some("granted to no role".len()))
            .enumerate()
        {
            let used = rows().map(|row| {
                let cells = cells(matrix, row);
                cells.get(index).map_or(0, |cell| {
                    cell.entries
                        .iter()
                        .map(|entry| chip_width(entry) + GAP)
                        .sum::<usize>()
                })
            });
            let used = used.max().unwrap_or_default().min(WIDEST);
            widths.push(used.max(title * CHARACTER) + 2 * GAP);
        }
        Self { widths }
    }

    /// Returns the left edge of each column.
    fn column_edges(&self) -> impl Iterator<Item = usize> {
        self.widths.iter().scan(MARGIN, |left, width| {
            let at = *left;
            *left += width;
            Some(at)
        })
    }

    /// Returns the number of lines of chips that a row needs.
    fn lines(&self, matrix: &Matrix, row: &MatrixRow) -> usize {
        let cells = cells(matrix, row);
        let lines = cells.iter().zip(self.widths.iter().skip(1));
        let last = lines.filter_map(|(cell, width)| Some(lay_out(cell, *width).last()?.2));
        last.max().unwrap_or_default() + 1
    }
}
