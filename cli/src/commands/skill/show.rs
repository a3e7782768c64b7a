//! `toolwright skill list` and `toolwright skill show`.

use serde_json::{Value, json};
use toolwright::{Registry, ToolSpec, audit::MemoryAudit};
use toolwright_model::Standing;
use toolwright_skills::{SCRIPT, Skill, check, governance, standing::of_file};
use toolwright_state::{State, StoredSkill};

use super::{ListArguments, Loaded, NamedArguments, name_of};
use crate::{
    Exit, Failure,
    context::Context,
    linked,
    operator::runtime,
    output::{Table, plural},
    skills, state,
};

/// What the state says of a skill.
struct Stored {
    standing: Standing,
    record: Option<StoredSkill>,
    runs: u64,
    failures: u64,
}

pub(super) fn list(arguments: &ListArguments, context: &mut Context) -> Result<Exit, Failure> {
    let loaded = Loaded::for_deciding(&arguments.tools, context)?;
    let known = skills::known(&loaded.specs, &loaded.config);
    let mut table = Table::new(["SKILL", "STANDING", "RUNS", "OK", "CLASS", "LINE"]);
    let mut faulty = 0;
    let stored = runtime()?.block_on(stored(&loaded))?;
    for found in &loaded.found {
        let name = name_of(found);
        let skill = found.skill.as_ref().ok();
        let spec = skill.and_then(|skill| governance(skill, &known).ok());
        let (Some(skill), Some(spec)) = (skill, spec) else {
            faulty += 1;
            continue;
        };
        let faults = check(skill, &known).len();
        faulty += usize::from(faults > 0);
        let stored = stored
            .iter()
            .find(|(stored, _)| *stored == skill.name.value.as_str());
        let Some((_, stored)) = stored else { continue };
        if arguments.format.is_json() {
            let mut line = described(skill, &spec, stored);
            if let Some(line) = line.as_object_mut() {
                line.insert("faults".to_owned(), faults.into());
            }
            context.output.json(&line)?;
        }
        let rate = match stored.runs {
            0 => "–".to_owned(),
            runs => format!("{} %", (runs - stored.failures) * 100 / runs),
        };
        table.row([
            name.into(),
            stored.standing.word().into(),
            stored.runs.to_string().into(),
            rate.into(),
            class(&spec).into(),
            skill.line.as_str().into(),
        ]);
    }
    if !arguments.format.is_json() {
        context.output.table(&table)?;
        if faulty > 0 {
            let number = plural(faulty, "skill");
            let text = format!("{number} with faults: `toolwright skill check` reports them");
            context.output.line(text)?;
        }
    }
    Ok(if faulty == 0 {
        Exit::Done
    } else {
        Exit::Partial
    })
}

pub(super) fn show(arguments: &NamedArguments, context: &mut Context) -> Result<Exit, Failure> {
    let loaded = Loaded::for_deciding(&arguments.tools, context)?;
    let skill = loaded.skill(&arguments.name)?;
    let known = skills::known(&loaded.specs, &loaded.config);
    let spec = governance(skill, &known).map_err(|error| Failure::new(error.to_string()))?;
    let stored = runtime()?.block_on(async {
        let state = state::open(&loaded.config).await?;
        read(&state, skill, &loaded).await
    })?;
    let roles = roles(skill, &loaded)?;
    if arguments.format.is_json() {
        let mut shown = described(skill, &spec, &stored);
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("roles".to_owned(), json!(roles));
            shown.insert("parameters".to_owned(), spec.input_schema.whole().clone());
            shown.insert("record".to_owned(), json!(stored.record));
        }
        context.output.json(&shown)?;
        return Ok(Exit::Done);
    }
    let mut fields = vec![
        ("skill", skill.name.value.to_string()),
        ("line", skill.line.clone()),
        ("owner", skill.owner.clone()),
        ("standing", stored.standing.word().to_owned()),
        ("class", class(&spec)),
        ("roles", roles.join(", ")),
        ("digest", skill.digest.clone()),
    ];
    if let Some(record) = &stored.record {
        let person = record.person.as_deref().unwrap_or("itself");
        let changed = format!("by {person}, {:.0}: {}", record.changed_at, record.reason);
        fields.push(("changed", changed));
    }
    if stored.runs > 0 {
        let runs = format!("{}, {} failed", stored.runs, stored.failures);
        fields.push(("runs", runs));
    }
    for step in &skill.sequence.steps {
        let arguments = step.arguments.to_json();
        let each = step.each.as_ref();
        let each = each.map(|each| format!(", for each of {}, at most {}", each.list, each.most));
        let call = format!(
            "{} {arguments}{}",
            step.tool.value,
            each.unwrap_or_default()
        );
        fields.push(("call", call));
    }
    if let Some(script) = &skill.script {
        for tool in &script.tools {
            fields.push(("call", tool.value.to_string()));
        }
        fields.push(("time", format!("at most {} seconds", script.seconds)));
    }
    context.output.fields(&fields)?;
    if let Some(script) = &skill.script {
        context.output.text(&format!("\n{SCRIPT}:"))?;
        for line in script.text.lines() {
            context.output.text(&format!("    {line}"))?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the roles that would be offered the skill if it were active.
fn roles(skill: &Skill, loaded: &Loaded) -> Result<Vec<String>, Failure> {
    let registry = Registry::builder()
        .specs(loaded.specs.iter().cloned())
        .config(loaded.config.clone())
        .audit(MemoryAudit::new())
        .partial()
        .build()
        .map_err(|error| linked::wrong(&error))?;
    let roles = registry.roles().into_iter().filter(|role| {
        let view = registry.for_agent(role);
        let mut tools = skill.tools().into_iter();
        tools.all(|tool| view.spec(tool.as_str()).is_some())
    });
    Ok(roles.map(|role| role.to_string()).collect())
}

async fn stored(loaded: &Loaded) -> Result<Vec<(String, Stored)>, Failure> {
    let state = state::open(&loaded.config).await?;
    let skills: Vec<Skill> = loaded.skills().cloned().collect();
    skills::notice(&loaded.config, &skills, &state).await?;
    let mut stored = Vec::new();
    for skill in &skills {
        let of_skill = read(&state, skill, loaded).await?;
        stored.push((skill.name.value.to_string(), of_skill));
    }
    Ok(stored)
}

async fn read(state: &State, skill: &Skill, loaded: &Loaded) -> Result<Stored, Failure> {
    let records = state.skills().await?;
    let name = &skill.name.value;
    let record = records.iter().find(|record| record.name == *name).cloned();
    let recent = match &record {
        Some(record) => {
            state
                .skill_health(record, loaded.config.skills.health_runs)
                .await?
        }
        None => toolwright_state::Recent::default(),
    };
    Ok(Stored {
        standing: of_file(name, &skill.digest, &records),
        record,
        runs: recent.runs,
        failures: recent.failures,
    })
}

fn described(skill: &Skill, spec: &ToolSpec, stored: &Stored) -> Value {
    json!({
        "skill": skill.name.value,
        "line": skill.line,
        "owner": skill.owner,
        "standing": stored.standing,
        "digest": skill.digest,
        "category": spec.category,
        "effect": spec.effect,
        "approval_required": spec.approval_required,
        "hints": spec.hints,
        "calls": skill.tools(),
        "script": skill.script.as_ref().map(|script| &script.text),
        "runs": stored.runs,
        "failures": stored.failures,
    })
}

fn class(spec: &ToolSpec) -> String {
    let approval = if spec.approval_required {
        ", approval"
    } else {
        ""
    };
    let danger = if spec.hints.destructive {
        ", destructive"
    } else {
        ""
    };
    format!("{}{danger}{approval}", spec.category)
}
