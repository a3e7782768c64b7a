//! The skills of a view in the form of the extension `io.modelcontextprotocol/skills`: each is a folder with a
//! `SKILL.md`, which tells a model how to call the tool that the skill is.
//!
//! A skill runs in the server, through all gates. A client reads its description here, which holds nothing
//! that the list of tools does not show to the same client.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{
        CacheScope, GetSkillResult, ListSkillsResult, ReadResourceResult, Resource,
        ResourceContents, Skill, SkillFrontmatter, SkillResource, SkillResources,
    },
};
use serde_json::Value;
use toolwright::{
    ScopedToolView, ToolSpec,
    audit::{OWN_SERVICE, SKILLS},
};

/// The start of the URI of a skill.
const SCHEME: &str = "skill://";

/// The file of a skill.
const FILE: &str = "/SKILL.md";

/// The type of the file.
const MARKDOWN: &str = "text/markdown";

/// The longest description that hosts accept, in characters.
const LONGEST_DESCRIPTION: usize = 1024;

/// The tool that a role is offered together with its first skill.
const LIST: &str = "list-toolwright-skills";

/// Checks whether a view has skills.
pub(crate) fn are_in(view: &ScopedToolView) -> bool {
    view.spec(LIST).is_some()
}

/// Lists the skills of a view.
pub(crate) fn list(view: &ScopedToolView) -> ListSkillsResult {
    let skills = specs(view).map(|spec| entry(&spec)).collect();
    let list = ListSkillsResult::with_all_items(skills);
    list.with_ttl_ms(0).with_cache_scope(CacheScope::Private)
}

/// Returns the skill of a URI.
pub(crate) fn get(view: &ScopedToolView, uri: &str) -> Result<GetSkillResult, ErrorData> {
    let spec = find(view, uri).ok_or_else(|| {
        // It is the same for a skill that the role may not run.
        ErrorData::invalid_params(format!("there is no skill `{uri}`"), None)
    })?;
    let skill = GetSkillResult::new(entry(&spec));
    Ok(skill.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// Lists the files of the skills of a view as resources, for clients that do not know the extension.
pub(crate) fn resources(view: &ScopedToolView) -> impl Iterator<Item = Resource> {
    specs(view).map(|spec| {
        let resource = Resource::new(uri(&spec), spec.name.as_str());
        let resource = resource.with_description(about(&spec));
        let size = u64::try_from(file(&spec).len()).unwrap_or(u64::MAX);
        resource.with_mime_type(MARKDOWN).with_size(size)
    })
}

/// Reads the file of a skill. Returns none if the URI is not that of one.
pub(crate) fn read(view: &ScopedToolView, uri: &str) -> Option<ReadResourceResult> {
    let spec = find(view, uri)?;
    let contents = ResourceContents::text(file(&spec), uri).with_mime_type(MARKDOWN);
    let result = ReadResourceResult::new(vec![contents]);
    Some(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

fn specs(view: &ScopedToolView) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {
    view.specs().into_iter().filter(|spec| is_skill(spec))
}

fn is_skill(spec: &ToolSpec) -> bool {
    spec.service.as_str() == OWN_SERVICE && spec.section == SKILLS
}

fn find(view: &ScopedToolView, uri: &str) -> Option<Arc<ToolSpec>> {
    let name = uri.strip_prefix(SCHEME)?.strip_suffix(FILE)?;
    view.spec(name).filter(|spec| is_skill(spec))
}

fn uri(spec: &ToolSpec) -> String {
    format!("{SCHEME}{}{FILE}", spec.name)
}

fn entry(spec: &ToolSpec) -> Skill {
    let uri = uri(spec);
    let file = SkillResource::from_bytes(uri.as_str(), file(spec).as_bytes());
    let frontmatter = SkillFrontmatter::new(spec.name.as_str(), about(spec));
    Skill::new(uri, frontmatter, SkillResources::Files(vec![file]))
}

/// Returns what a skill does and when to use it.
fn about(spec: &ToolSpec) -> String {
    let text = match &spec.when_to_use {
        Some(when) => format!("{} Use it when {when}", spec.short),
        None => spec.short.clone(),
    };
    text.chars().take(LONGEST_DESCRIPTION).collect()
}

/// Returns the `SKILL.md` of a skill.
fn file(spec: &ToolSpec) -> String {
    let name = &spec.name;
    // A string of JSON is one of YAML.
    let about = Value::from(about(spec));
    let schema = spec.input_schema.whole();
    format!(
        "---\n\
         name: {name}\n\
         description: {about}\n\
         ---\n\n\
         # {}\n\n\
         {}\n\n\
         Call the tool `{name}` once. It makes all of these calls itself, and each of them is checked and \
         recorded. Its arguments have this JSON Schema:\n\n\
         ```json\n{schema:#}\n```\n\n\
         The answer has the `result`, and a `warning` if the skill is deprecated.\n",
        spec.title, spec.description,
    )
}
