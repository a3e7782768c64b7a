//! Scopes with their variables inserted, and the check of a call against them.
//!
//! This check knows scope parameters alone: neither grants nor switches.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_model::Method;
use url::Url;

use crate::{
    condition::{ResolvedRule, ValueTemplate, argument, argument_name, is_same},
    declaration::{ScopeParameters, URLS},
    memo::Memo,
    own::OwnCheck,
    pattern::{UrlPrefix, compile_all},
    rate::Rate,
    variable::{Language, Template, VariableFault, Variables},
    written::Scope,
};

/// The target of a request.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The method.
    pub method: Method,
    /// The URL: of HTTP, or `unix:` and the path of a socket.
    pub url: &'a str,
}

/// A call, as it would be carried out.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The arguments, with the pinned ones.
    pub arguments: &'a Map<String, Value>,
    /// The target of its request; none if it makes no request.
    pub target: Option<Target<'a>>,
    /// The workspace of the service; none if the service has none.
    pub workspace: Option<&'a str>,
}

/// A scope parameter with its variables inserted, for an operator to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ResolvedParameter {
    /// The place of the rule.
    pub place: String,
    /// The parameter.
    pub parameter: String,
    /// The values. Those of pinned arguments are left out.
    pub values: Vec<String>,
}

/// The targets that a call may have, also by redirects. Each part must allow the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetScope(Vec<Arc<TargetPart>>);

/// The targets that one rule allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TargetPart {
    urls: Option<Vec<UrlPrefix>>,
    methods: Option<BTreeSet<Method>>,
}

/// A scope rule for the tools with the same arguments and scope parameters, which share it.
#[derive(Clone, Debug)]
pub(crate) struct CompiledScope {
    /// The place of the rule.
    pub(crate) place: String,
    written: Arc<Scope>,
    /// The part that is equal for all tools, if it refers to no variable.
    common: Option<Arc<CommonScope>>,
    parameters: ScopeParameters,
    /// The names of the tool's arguments.
    known: BTreeSet<String>,
    /// The scope, if it refers to no variable.
    resolved: Option<Arc<ResolvedScope>>,
    /// The scope for the variables of the last runs.
    memo: Memo<ResolvedScope>,
}

/// A scope with its variables inserted.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedScope {
    common: Arc<CommonScope>,
    pinned: BTreeMap<String, Value>,
    pub(crate) own: Arc<BTreeMap<String, OwnCheck>>,
}

/// The part of a scope with its variables inserted that is equal for all tools.
#[derive(Clone, Debug)]
pub(crate) struct CommonScope {
    target: Arc<TargetPart>,
    workspaces: Option<BTreeSet<String>>,
    arguments: BTreeMap<String, ResolvedRule>,
}

impl CompiledScope {
    pub(crate) fn new(
        place: String,
        written: Arc<Scope>,
        common: Option<Arc<CommonScope>>,
        parameters: ScopeParameters,
        known: BTreeSet<String>,
    ) -> Self {
        let mut scope = Self {
            place,
            written,
            common,
            parameters,
            known,
            resolved: None,
            memo: Memo::default(),
        };
        if scope.common.is_some() {
            scope.resolved = scope.resolve_now(&Variables::new()).ok().map(Arc::new);
        }
        scope
    }

    /// Returns the scope with the variables inserted.
    pub(crate) fn resolve(
        &self,
        variables: &Variables,
    ) -> Result<Arc<ResolvedScope>, VariableFault> {
        match &self.resolved {
            Some(resolved) => Ok(Arc::clone(resolved)),
            None => self.memo.get(variables, || self.resolve_now(variables)),
        }
    }

    /// Returns every fault of the variables.
    pub(crate) fn variable_faults(&self, variables: &Variables) -> Vec<VariableFault> {
        let plain = (self.written.templates())
            .filter_map(|template| template.expand(variables, Language::Plain).err());
        let mut faults: Vec<_> = plain.collect();
        if faults.is_empty() {
            faults.extend(self.resolve(variables).err());
        }
        faults
    }

    pub(crate) fn rate(&self) -> Option<Rate> {
        self.written.rate
    }

    pub(crate) fn max_response_bytes(&self) -> Option<u64> {
        self.written.max_response_bytes
    }

    /// Returns the parameters of the rule with the variables inserted.
    pub(crate) fn describe(
        &self,
        variables: &Variables,
    ) -> Result<Vec<ResolvedParameter>, VariableFault> {
        self.describe_by(&|template| template.expand(variables, Language::Plain))
    }

    /// Returns the parameters of the rule as written.
    pub(crate) fn describe_written(&self) -> Vec<ResolvedParameter> {
        let written = self.describe_by(&|template| Ok(vec![template.as_str().to_owned()]));
        written.unwrap_or_default()
    }

    fn describe_by(
        &self,
        text: &dyn Fn(&Template) -> Result<Vec<String>, VariableFault>,
    ) -> Result<Vec<ResolvedParameter>, VariableFault> {
        let texts = |templates: &[Template]| -> Result<Vec<String>, VariableFault> {
            let texts: Result<Vec<_>, _> = templates.iter().map(text).collect();
            Ok(texts?.concat())
        };
        let Scope {
            allowed_urls,
            allowed_methods,
            allowed_workspaces,
            pinned,
            arguments,
            rate,
            max_response_bytes,
            own,
        } = &*self.written;
        let mut described = Vec::new();
        if let Some(urls) = allowed_urls {
            described.push(("allowed_urls".to_owned(), texts(urls)?));
        }
        if let Some(methods) = allowed_methods {
            let methods = methods.iter().map(ToString::to_string);
            described.push(("allowed_methods".to_owned(), methods.collect()));
        }
        if let Some(names) = allowed_workspaces {
            described.push(("allowed_workspaces".to_owned(), texts(names)?));
        }
        let pinned = pinned
            .keys()
            .map(|name| (format!("pinned.{name}"), Vec::new()));
        described.extend(pinned);
        for (name, rule) in arguments {
            described.push((format!("arguments.{name}"), rule.describe(text)?));
        }
        for (name, stated) in own {
            described.push((name.clone(), texts(&stated.value)?));
        }
        let rate = rate
            .iter()
            .map(|rate| ("rate".to_owned(), vec![rate.to_string()]));
        described.extend(rate);
        let bytes = max_response_bytes.iter();
        described
            .extend(bytes.map(|bytes| ("max_response_bytes".to_owned(), vec![bytes.to_string()])));
        let described = described.into_iter();
        Ok(described
            .map(|(parameter, values)| ResolvedParameter {
                place: self.place.clone(),
                parameter,
                values,
            })
            .collect())
    }

    /// Checks whether the rule sets a parameter that the tool declares.
    pub(crate) fn sets(&self, parameter: &str) -> bool {
        let has_urls = parameter == URLS && self.written.allowed_urls.is_some();
        has_urls || self.written.own.contains_key(parameter)
    }

    /// Returns the arguments that the rule pins and the tool has, as written.
    pub(crate) fn written_pins(&self) -> impl Iterator<Item = (&String, &ValueTemplate)> {
        let pinned = self.written.pinned.iter();
        pinned.filter(|(name, _)| self.known.contains(*name))
    }

    /// Returns an argument that another rule pins to another value.
    pub(crate) fn contradicts(&self, other: &Self) -> Option<String> {
        let mut own = self.written_pins();
        let differs = own.find(|(name, value)| {
            let other = other.written.pinned.get(*name);
            other.is_some_and(|other| other != *value)
        });
        differs.map(|(name, _)| name.clone())
    }

    /// Returns the arguments that the rule pins and the tool has.
    pub(crate) fn pins(
        &self,
        variables: &Variables,
    ) -> Result<BTreeMap<String, Value>, VariableFault> {
        let mut pins = BTreeMap::new();
        for (name, value) in self.written_pins() {
            let mut values = value.expand(variables)?;
            match (values.pop(), values.is_empty()) {
                (Some(value), true) => pins.insert(name.clone(), value),
                _ => return Err(VariableFault::too_many(name)),
            };
        }
        Ok(pins)
    }

    /// Returns the parameter that the call does not fit.
    pub(crate) fn violation(&self, scope: &ResolvedScope, call: Call<'_>) -> Option<String> {
        if let Some(parameter) = scope.common.target.violation(call.target) {
            return Some(parameter.to_owned());
        }
        if !scope.allows_workspace(call.workspace) {
            return Some("allowed_workspaces".to_owned());
        }
        self.violated_argument(scope, call.arguments)
    }

    fn violated_argument(
        &self,
        scope: &ResolvedScope,
        arguments: &Map<String, Value>,
    ) -> Option<String> {
        let concerns = |name: &str| {
            let name = argument_name(name);
            self.known.contains(&name) || arguments.contains_key(&name)
        };
        for (name, value) in &scope.pinned {
            let given = arguments.get(name);
            if concerns(name) && !given.is_some_and(|given| is_same(given, value)) {
                return Some(format!("pinned.{name}"));
            }
        }
        for (name, rule) in &scope.common.arguments {
            if concerns(name) && !rule.allows(argument(arguments, name)) {
                return Some(format!("arguments.{name}"));
            }
        }
        let violated = scope.own.iter().find(|(_, check)| !check.allows(arguments));
        violated.map(|(parameter, _)| parameter.clone())
    }

    fn resolve_now(&self, variables: &Variables) -> Result<ResolvedScope, VariableFault> {
        let common = match &self.common {
            Some(common) => Arc::clone(common),
            None => Arc::new(CommonScope::resolve(&self.written, variables)?),
        };
        let own = self.written.own.iter().filter_map(|(name, stated)| {
            let parameter = self.parameters.get(name)?;
            let check = OwnCheck::new(parameter, &stated.value, variables);
            Some(check.map(|check| (name.clone(), check)))
        });
        Ok(ResolvedScope {
            common,
            pinned: self.pins(variables)?,
            own: Arc::new(own.collect::<Result<_, VariableFault>>()?),
        })
    }
}

impl CommonScope {
    /// Returns the common part of a rule, if the rule refers to no variable.
    pub(crate) fn without_variables(written: &Scope) -> Option<Arc<Self>> {
        let mut templates = written.templates();
        let has_variables = templates.any(|template| template.variables().next().is_some());
        if has_variables {
            return None;
        }
        Self::resolve(written, &Variables::new()).ok().map(Arc::new)
    }

    fn resolve(written: &Scope, variables: &Variables) -> Result<Self, VariableFault> {
        let urls = written.allowed_urls.as_ref();
        let urls = urls.map(|urls| compile_all(urls, variables, Language::Url, UrlPrefix::new));
        let arguments = (written.arguments.iter())
            .map(|(name, rule)| Ok((name.clone(), rule.resolve(variables)?)));
        let workspaces = written.allowed_workspaces.as_ref().map(|names| {
            let names = names.iter();
            let names = names.map(|name| name.expand(variables, Language::Plain));
            let names: Result<Vec<_>, VariableFault> = names.collect();
            names.map(|names| names.into_iter().flatten().collect())
        });
        Ok(Self {
            workspaces: workspaces.transpose()?,
            target: Arc::new(TargetPart {
                urls: urls.transpose()?,
                methods: written.allowed_methods.clone(),
            }),
            arguments: arguments.collect::<Result<_, VariableFault>>()?,
        })
    }
}

impl ResolvedScope {
    pub(crate) fn target(&self) -> &Arc<TargetPart> {
        &self.common.target
    }

    /// Checks whether a call may be for a workspace. A call of a service without workspaces fits no
    /// list of them.
    pub(crate) fn allows_workspace(&self, workspace: Option<&str>) -> bool {
        let listed = |names: &BTreeSet<String>| workspace.is_some_and(|name| names.contains(name));
        self.common.workspaces.as_ref().is_none_or(listed)
    }
}

impl TargetPart {
    /// Returns the parameter that the target does not fit. A call without a request has no target,
    /// and fits no such parameter.
    fn violation(&self, target: Option<Target<'_>>) -> Option<&'static str> {
        let by_method = |methods: &BTreeSet<Method>| {
            target.is_some_and(|target| methods.contains(&target.method))
        };
        let by_url = |urls: &Vec<UrlPrefix>| {
            let url = target.and_then(|target| Url::parse(target.url).ok());
            url.is_some_and(|url| urls.iter().any(|prefix| prefix.allows(&url)))
        };
        if !self.methods.as_ref().is_none_or(by_method) {
            return Some("allowed_methods");
        }
        (!self.urls.as_ref().is_none_or(by_url)).then_some("allowed_urls")
    }
}

impl TargetScope {
    pub(crate) fn narrow(&mut self, part: &Arc<TargetPart>) {
        self.0.push(Arc::clone(part));
    }

    /// Checks whether a call may have the target.
    #[must_use]
    pub fn allows(&self, target: Target<'_>) -> bool {
        self.0
            .iter()
            .all(|part| part.violation(Some(target)).is_none())
    }
}
