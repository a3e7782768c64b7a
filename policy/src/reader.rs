//! Reads a policy from a settings file, node by node, so that every fault is reported.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    marker::PhantomData,
    str::FromStr,
};

use serde_json::Value;
use toolwright_model::{
    Method, SandboxLayer, WorkspaceName,
    settings::{Fault, FaultKind, Node, Placed, Reader},
};

use crate::{
    condition::{ArgumentRule, ValueTemplate},
    declaration::SCOPE_KEYS,
    pattern::{Pattern, UrlPrefix},
    rate::Rate,
    selector::Selector,
    variable::Template,
    written::{Forbid, Policy, Profile, RolePolicy, Scope, ScopeRule, Stated},
};

/// The keys of a role.
pub(crate) const ROLE_KEYS: [&str; 4] = ["grant", "profiles", "credentials", "sandbox"];

/// The keys of a profile.
pub(crate) const PROFILE_KEYS: [&str; 2] = ["tools", "scopes"];

/// The keys of a `forbid`.
pub(crate) const FORBID_KEYS: [&str; 4] = ["tools", "roles", "when", "reason"];

/// The keys of a condition on an argument.
pub(crate) const CONDITION_KEYS: [&str; 3] = ["values", "pattern", "optional"];

/// Reads the tables of a policy.
struct PolicyReader<'r, 'n, N, R> {
    reader: &'r mut R,
    node: PhantomData<fn(N, &'n str)>,
}

impl Policy {
    /// Reads the tables `roles`, `profiles`, `nodes`, `forbid` and `tools` of a settings file. Faults are reported to the reader.
    pub fn read<'n, N, R>(document: N, reader: &mut R) -> Self
    where
        N: Node<'n, Place: Display>,
        R: Reader<'n, N>,
    {
        let mut reader = PolicyReader {
            reader,
            node: PhantomData,
        };
        let mut policy = Self::default();
        for (name, place, table) in reader.tables(document, "roles") {
            let role = reader.reader.parsed(name, place);
            let rules = reader.role(table);
            policy.roles.extend(role.map(|role| (role.value, rules)));
        }
        for (name, place, table) in reader.tables(document, "profiles") {
            let name = reader.reader.parsed(name, place);
            let profile = reader.profile(table);
            policy
                .profiles
                .extend(name.map(|name| (name.value, profile)));
        }
        for (name, _, table) in reader.tables(document, "nodes") {
            reader.reader.check_keys(table, &["scopes"]);
            let rules = reader.scopes(table);
            policy.nodes.insert(name.to_owned(), rules);
        }
        for table in reader.list(document, "forbid") {
            policy.forbids.extend(reader.forbid(table));
        }
        if let Some(table) = reader.table_at(document, "tools") {
            reader.reader.check_keys(table, &["enable", "disable"]);
            policy.enable = reader.stated(table, "enable");
            policy.disable = reader.stated(table, "disable");
        }
        policy
    }
}

impl<'n, N, R> PolicyReader<'_, 'n, N, R>
where
    N: Node<'n, Place: Display>,
    R: Reader<'n, N>,
{
    fn role(&mut self, table: N) -> RolePolicy {
        self.reader.check_keys(table, &ROLE_KEYS);
        let credentials = self.reader.parsed_at(table, "credentials");
        RolePolicy {
            grants: self.stated(table, "grant"),
            profiles: self.stated(table, "profiles"),
            credentials: credentials.map(|account| account.value),
            sandbox: table.value_of("sandbox").map(|_| self.layers(table)),
        }
    }

    fn layers(&mut self, table: N) -> BTreeSet<SandboxLayer> {
        let layers = self.reader.parsed_list(table, "sandbox").into_iter();
        layers.map(|layer| layer.value).collect()
    }

    fn profile(&mut self, table: N) -> Profile {
        self.reader.check_keys(table, &PROFILE_KEYS);
        Profile {
            tools: self.stated(table, "tools"),
            scopes: self.scopes(table),
        }
    }

    fn scopes(&mut self, table: N) -> Vec<ScopeRule> {
        let tables = self.list(table, "scopes").into_iter();
        tables.filter_map(|table| self.scope_rule(table)).collect()
    }

    fn scope_rule(&mut self, table: N) -> Option<ScopeRule> {
        let tools = self.tools_of(table);
        let scope = self.scope(table);
        Some(ScopeRule {
            tools: tools?,
            scope,
        })
    }

    /// Returns the selector of a table; `*` if it has none.
    fn tools_of(&mut self, table: N) -> Option<Stated<Selector>> {
        if table.value_of("tools").is_some() {
            let tools = self.reader.parsed_at(table, "tools")?;
            return Some(Stated::configured(tools.value, tools.place.to_string()));
        }
        let all = "*".parse().ok()?;
        Some(Stated::configured(all, table.place().to_string()))
    }

    fn scope(&mut self, table: N) -> Scope {
        let mut scope = Scope::default();
        if table.value_of("allowed_urls").is_some() {
            let urls = self.reader.texts(table, "allowed_urls");
            let urls = urls
                .into_iter()
                .map(|url| self.checked(url, UrlPrefix::new));
            scope.allowed_urls = Some(urls.collect());
        }
        if table.value_of("allowed_methods").is_some() {
            let methods = self.reader.texts(table, "allowed_methods").into_iter();
            let methods = methods.filter_map(|text| self.method(text));
            scope.allowed_methods = Some(methods.collect());
        }
        if table.value_of("allowed_workspaces").is_some() {
            let names = self.reader.texts(table, "allowed_workspaces").into_iter();
            let names = names.map(|name| self.checked(name, |name| name.parse::<WorkspaceName>()));
            scope.allowed_workspaces = Some(names.collect());
        }
        for (name, _, value) in self.tables_or_values(table, "pinned") {
            scope.pinned.extend(
                self.value(name, value)
                    .map(|value| (name.to_owned(), value)),
            );
        }
        for (name, _, condition) in self.tables(table, "arguments") {
            scope
                .arguments
                .insert(name.to_owned(), self.condition(condition));
        }
        scope.rate = self
            .reader
            .parsed_at::<Rate>(table, "rate")
            .map(|rate| rate.value);
        let bytes = self.reader.number(table, "max_response_bytes", 1..=1 << 30);
        scope.max_response_bytes = bytes.map(|bytes| bytes.value);
        scope.own = self.own_parameters(table);
        scope
    }

    /// Reads the parameters that tools declare: each is a string or a list of strings.
    fn own_parameters(&mut self, table: N) -> BTreeMap<String, Stated<Vec<Template>>> {
        let entries = table.entries().into_iter().flatten();
        let entries = entries.filter(|(key, ..)| !SCOPE_KEYS.contains(key));
        let mut own = BTreeMap::new();
        for (key, place, value) in entries {
            let texts = match value.as_str() {
                Some(text) => vec![text.to_owned()],
                None => {
                    let texts = self.reader.texts(table, key).into_iter();
                    texts.map(|text| text.value).collect()
                }
            };
            let templates = texts.into_iter().map(Template::new).collect();
            own.insert(
                key.to_owned(),
                Stated::configured(templates, place.to_string()),
            );
        }
        own
    }

    fn forbid(&mut self, table: N) -> Option<Forbid> {
        self.reader.check_keys(table, &FORBID_KEYS);
        let tools = self.tools_of(table);
        let mut when = BTreeMap::new();
        for (name, _, condition) in self.tables(table, "when") {
            when.insert(name.to_owned(), self.condition(condition));
        }
        Some(Forbid {
            tools: tools?,
            roles: self.stated(table, "roles"),
            when,
            reason: self.reader.text(table, "reason"),
        })
    }

    fn condition(&mut self, table: N) -> ArgumentRule {
        self.reader.check_keys(table, &CONDITION_KEYS);
        let values = table.value_of("values").map(|node| {
            let Some(elements) = node.elements() else {
                self.reader.wrong_type(node, "`values`", "an array");
                return Vec::new();
            };
            let elements = elements.into_iter();
            elements
                .filter_map(|element| self.value("values", element))
                .collect()
        });
        let pattern = self.reader.string(table, "pattern");
        let pattern = pattern.map(|text| self.checked(text, Pattern::new));
        let optional = self.reader.boolean(table, "optional");
        ArgumentRule {
            values,
            pattern,
            optional: optional.is_some_and(|optional| optional.value),
        }
    }

    /// Reads a value of a policy: a string, a whole number or a boolean.
    fn value(&mut self, name: &str, node: N) -> Option<ValueTemplate> {
        if let Some(text) = node.as_str() {
            return Some(ValueTemplate::Text(Template::new(text)));
        }
        let number = node.as_u64().map(Value::from);
        let value = number.or_else(|| node.as_bool().map(Value::from));
        if value.is_none() {
            let expected = "a string, a whole number from 0, `true` or `false`";
            self.reader.wrong_type(node, &format!("`{name}`"), expected);
        }
        value.map(ValueTemplate::Other)
    }

    fn method(&mut self, text: Placed<String, N::Place>) -> Option<Method> {
        let method = Method::from_word(&text.value);
        if method.is_none() {
            let message = format!("unknown method `{}`", text.value);
            let help = "write the method in capital letters, such as `GET`";
            self.report(text.place, message, Some(help.to_owned()));
        }
        method
    }

    /// Checks the grammar of a string with a plain word for each variable.
    fn checked<T, E: Display>(
        &mut self,
        text: Placed<String, N::Place>,
        check: impl FnOnce(&str) -> Result<T, E>,
    ) -> Template {
        let template = Template::new(text.value);
        if let Err(error) = check(&template.sample()) {
            self.report(text.place, error.to_string(), None);
        }
        template
    }

    fn stated<T: FromStr<Err: Display>>(&mut self, table: N, key: &str) -> Vec<Stated<T>> {
        let parsed = self.reader.parsed_list(table, key).into_iter();
        parsed
            .map(|parsed| Stated::configured(parsed.value, parsed.place.to_string()))
            .collect()
    }

    fn table_at(&mut self, table: N, key: &str) -> Option<N> {
        let node = table.value_of(key)?;
        self.reader.table(node, &format!("`{key}`"))
    }

    fn tables_or_values(&mut self, table: N, key: &str) -> Vec<(&'n str, N::Place, N)> {
        let table = self.table_at(table, key);
        table.and_then(Node::entries).unwrap_or_default()
    }

    /// Returns the tables of a table of tables.
    fn tables(&mut self, table: N, key: &str) -> Vec<(&'n str, N::Place, N)> {
        let entries = self.tables_or_values(table, key).into_iter();
        entries
            .filter(|(name, _, node)| {
                let subject = format!("`{key}.{name}`");
                self.reader.table(*node, &subject).is_some()
            })
            .collect()
    }

    /// Returns the tables of an array of tables.
    fn list(&mut self, table: N, key: &str) -> Vec<N> {
        let Some(node) = table.value_of(key) else {
            return Vec::new();
        };
        let Some(elements) = node.elements() else {
            let expected = format!("an array of tables: `[[{key}]]`");
            self.reader.wrong_type(node, &format!("`{key}`"), &expected);
            return Vec::new();
        };
        let subject = format!("each entry of `{key}`");
        let elements = elements.into_iter();
        elements
            .filter_map(|element| self.reader.table(element, &subject))
            .collect()
    }

    fn report(&mut self, place: N::Place, message: String, help: Option<String>) {
        self.reader.report_fault(Fault {
            kind: FaultKind::UnknownValue,
            place,
            message,
            help,
        });
    }
}
