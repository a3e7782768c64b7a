//! The pages: tables of the data.

use std::{fmt::Write, fs, path::Path};

use crate::figures::{Calls, Figures, Instances, Refusal, RegistryFigures};

const SPEED: &str = include_str!("report/speed.md");
const SCALE: &str = include_str!("report/scale.md");

/// The limits of a call through the boundary, in microseconds.
const MOST_MEDIAN: f64 = 20.0;
const MOST_P99: f64 = 100.0;

/// The limits of a registry of 10,000 tools.
const MOST_BUILD_MS: f64 = 300.0;
const MOST_KIB_PER_TOOL: f64 = 4.0;

/// The greatest difference between two refusals, in percent.
const MOST_DIFFERENCE: f64 = 5.0;

/// The numbers of tools and roles that the limits are for.
const TOOLS: usize = 10_000;
const ROLES: usize = 100;

/// The number of instances that is computed.
const INSTANCES: f64 = 50.0;

/// A page, and the limits that its figures miss.
struct Page {
    text: String,
    missed: Vec<String>,
}

/// Writes both pages. Fails if a figure misses its limit.
pub(crate) fn write(data: &Path, folder: &Path) -> Result<(), String> {
    let figures = Figures::read(data)?;
    let speed = speed(&figures)?;
    let scale = scale(&figures)?;
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).map_err(|error| error.to_string())
    };
    write("boundary-speed.md", &speed.text)?;
    write("scale.md", &scale)?;
    if speed.missed.is_empty() {
        return Ok(());
    }
    Err(speed.missed.join("\n"))
}

impl Page {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Adds a row with a limit.
    fn row(&mut self, what: &str, found: f64, limit: f64, unit: &str) {
        self.line(format_args!(
            "| {what} | {found:.1} {unit} | {limit} {unit} |"
        ));
        if found > limit {
            self.missed.push(format!(
                "{what}: {found:.1} {unit}, {limit} {unit} are allowed"
            ));
        }
    }
}

fn speed(figures: &Figures) -> Result<Page, String> {
    let mut page = Page {
        text: SPEED.to_owned(),
        missed: Vec::new(),
    };
    let calls = figures.calls.ok_or("the calls were not measured")?;
    let registry = registry(&figures.registries, TOOLS, ROLES)?;
    page.line(format_args!(
        "\n## Limits\n\n| figure | measured | limit |\n|---|--:|--:|"
    ));
    page.row(
        "a call without I/O, median",
        calls.boundary.median,
        MOST_MEDIAN,
        "µs",
    );
    page.row(
        "a call without I/O, 99th percentile",
        calls.boundary.p99,
        MOST_P99,
        "µs",
    );
    page.row(
        "building a registry of 10,000 tools",
        registry.build_ms,
        MOST_BUILD_MS,
        "ms",
    );
    page.row(
        "memory of a tool next to its record",
        kib_per_tool(registry),
        MOST_KIB_PER_TOOL,
        "KiB",
    );
    for question in ["call", "describe"] {
        let what = format!("largest difference of refusals, {question}");
        page.row(
            &what,
            difference(&figures.refusals, question),
            MOST_DIFFERENCE,
            "%",
        );
    }
    requests(&mut page, calls);
    refusals(&mut page, &figures.refusals);
    page.line(format_args!(
        "\n## Instructions\n\n| | instructions |\n|---|--:|"
    ));
    for counted in &figures.instructions {
        page.line(format_args!("| {} | {} |", counted.what, counted.number));
    }
    Ok(page)
}

fn requests(page: &mut Page, calls: Calls) {
    page.line(format_args!(
        "\n## Next to a bare request\n\nA request of `reqwest` to a service on the same machine, and the same request as a governed \
         call, in turn, {} of each.\n\n| | median | 99th percentile |\n|---|--:|--:|",
        calls.number / 2
    ));
    for (what, times) in [
        ("bare request, with its JSON", calls.bare),
        ("governed call", calls.governed),
        ("the boundary alone", calls.boundary),
    ] {
        page.line(format_args!(
            "| {what} | {:.1} µs | {:.1} µs |",
            times.median, times.p99
        ));
    }
}

fn refusals(page: &mut Page, refusals: &[Refusal]) {
    page.line(format_args!(
        "\n## Refusals\n\nMedian times of 10,000 questions for each reason. The answers are equal byte for byte.\n\n\
         | question | reason | median |\n|---|---|--:|"
    ));
    for refusal in refusals {
        let Refusal {
            question,
            reason,
            median,
        } = refusal;
        page.line(format_args!("| {question} | {reason} | {median:.2} µs |"));
    }
}

/// Returns the largest difference between two medians of a question, in percent of the smaller one.
fn difference(refusals: &[Refusal], question: &str) -> f64 {
    let medians = refusals
        .iter()
        .filter(|refusal| refusal.question == question);
    let medians: Vec<f64> = medians.map(|refusal| refusal.median).collect();
    let least = medians.iter().copied().fold(f64::INFINITY, f64::min);
    let most = medians.iter().copied().fold(0.0, f64::max);
    (most / least - 1.0) * 100.0
}

fn registry(
    all: &[RegistryFigures],
    tools: usize,
    roles: usize,
) -> Result<RegistryFigures, String> {
    let found = all
        .iter()
        .find(|one| (one.tools, one.roles) == (tools, roles));
    found
        .copied()
        .ok_or_else(|| format!("a registry of {tools} tools was not measured"))
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn kib_per_tool(registry: RegistryFigures) -> f64 {
    registry.kib as f64 / registry.tools as f64
}

fn scale(figures: &Figures) -> Result<String, String> {
    let mut page = Page {
        text: SCALE.to_owned(),
        missed: Vec::new(),
    };
    registries(&mut page, figures)?;
    if let Some(instances) = figures.instances {
        together(&mut page, instances);
    }
    conclusions(&mut page, figures)?;
    Ok(page.text)
}

fn registries(page: &mut Page, figures: &Figures) -> Result<(), String> {
    page.line(format_args!(
        "\n## One instance\n\n| tools | roles | build | memory | policy load | list | decision | 99th percentile | switch |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    ));
    for one in &figures.registries {
        page.line(format_args!(
            "| {} | {} | {:.0} ms | {} MiB | {:.0} ms | {:.1} ms | {:.1} µs | {:.1} µs | {:.0} µs |",
            one.tools,
            one.roles,
            one.build_ms,
            one.kib / 1024,
            one.reload_ms,
            one.list_ms,
            one.decision.median,
            one.decision.p99,
            one.switch_us
        ));
    }
    let (few, many) = (
        registry(&figures.registries, 1_000, ROLES)?,
        registry(&figures.registries, 100_000, ROLES)?,
    );
    page.line(format_args!(
        "\nThe power of the number of tools with which each figure grows, from 1,000 to 100,000 tools and with {ROLES} roles:\n\n\
         | figure | power |\n|---|--:|"
    ));
    let figures = [
        ("building the registry", few.build_ms, many.build_ms),
        ("loading a policy", few.reload_ms, many.reload_ms),
        ("listing all tools", few.list_ms, many.list_ms),
        ("a decision", few.decision.median, many.decision.median),
    ];
    for (what, few, many) in figures {
        let power = (many / few).log10() / 2.0;
        page.line(format_args!("| {what} | {power:.2} |"));
    }
    Ok(())
}

fn together(page: &mut Page, instances: Instances) {
    let Instances {
        processes,
        requests_per_second,
        alone_per_second,
        propagation_ms,
    } = instances;
    page.line(format_args!(
        "\n## Several instances on one PostgreSQL\n\n| figure | measured |\n|---|--:|"
    ));
    page.line(format_args!(
        "| requests for approval, one process | {alone_per_second:.0} each second |"
    ));
    page.line(format_args!(
        "| requests for approval, {processes} processes | {requests_per_second:.0} each second |"
    ));
    page.line(format_args!(
        "| a switch reaches each of {processes} processes, median | {:.1} ms |",
        propagation_ms.median
    ));
    page.line(format_args!(
        "| a switch reaches each of {processes} processes, 99th percentile | {:.1} ms |",
        propagation_ms.p99
    ));
}

fn conclusions(page: &mut Page, figures: &Figures) -> Result<(), String> {
    let most = registry(&figures.registries, 100_000, 1_000)?;
    page.line(format_args!(
        "\n## 100,000 tools, 1,000 roles, 50 instances\n\n| figure | value | |\n|---|--:|---|"
    ));
    page.line(format_args!(
        "| start of an instance | {:.1} s | measured |",
        most.build_ms / 1e3
    ));
    page.line(format_args!(
        "| a reload of the policy | {:.1} s | measured |",
        most.reload_ms / 1e3
    ));
    page.line(format_args!(
        "| memory of an instance next to the records | {} MiB | measured |",
        most.kib / 1024
    ));
    page.line(format_args!(
        "| a decision, median | {:.1} µs | measured |",
        most.decision.median
    ));
    page.line(format_args!(
        "| a list of all tools | {:.0} ms | measured |",
        most.list_ms
    ));
    if let Some(instances) = figures.instances {
        page.line(format_args!(
            "| requests for approval of each of 50 instances at once | {:.0} each second | expected: the rate of all, divided |",
            instances.requests_per_second / INSTANCES
        ));
        page.line(format_args!(
            "| connections to PostgreSQL | {:.0} | expected: at most two for each instance |",
            INSTANCES * 2.0
        ));
    }
    page.text.push_str(CONCLUSIONS);
    Ok(())
}

/// What follows from the figures.
const CONCLUSIONS: &str = "
## What breaks first

1. **The list.** An agent cannot use a list of that many tools, whatever it costs. Narrow the view of a run
   (`ScopedToolView::narrowed_to`), or grant roles less.
2. **The reload of a policy.** Every instance compiles the whole policy when its file changes. Calls go on with the old policy
   meanwhile; the new one applies at once after it.
3. **Requests for approval.** Each one is a transaction on one database. Decisions need no database: they read a snapshot.
4. **The memory of scopes.** A profile holds the rules of each of its tools. Roles that share a profile share them.

## What to shard

Split by service: one deployment for each group of services, with its own registry, policy and state. Nothing in a decision
refers to another service, so the parts need no coordination. Split the state last: its tables are small, and every row belongs to
one tool or one role.
";
