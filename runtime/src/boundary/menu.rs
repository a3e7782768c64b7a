//! The menu of a view: its tools, and the tools of discovery that an agent sees in place of many.
//!
//! Menus are kept, since an index of the tools takes long to make. A menu belongs to one policy, and to
//! everything else that a view of the same role may show differently.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use toolwright_model::{Role, ServiceName, ToolName, ToolSpec, WorkspaceName};
use toolwright_policy::Variables;

use super::{
    core::{Core, Policy, RegisteredTool},
    shown::{Constants, ServiceConstants},
    tool::Tool,
    view::ScopedToolView,
};
use crate::{
    audit::ToolKind,
    discovery::{DiscoveryTool, Searcher, ToolIndex, records},
};

/// The greatest number of kept menus.
const MOST_MENUS: usize = 32;

/// The tools of a view.
pub(crate) struct Menu {
    key: MenuKey,
    /// The service constants that the tools are shown without.
    constants: ServiceConstants,
    /// The tools, as an agent sees them, sorted by name.
    pub(crate) tools: Arc<[Arc<ToolSpec>]>,
    /// The tools of discovery; none if the view has too few tools.
    discovery: Vec<RegisteredTool>,
    searcher: Option<Arc<dyn Searcher>>,
    index: OnceLock<Box<dyn ToolIndex>>,
}

/// What the tools of a view depend on, apart from the service constants.
#[derive(Clone)]
struct MenuKey {
    policy: Arc<Policy>,
    role: Role,
    node: Option<String>,
    allow_list: Option<BTreeSet<String>>,
    variables: Arc<Variables>,
    workspace: Option<String>,
    bound: Arc<BTreeMap<ServiceName, WorkspaceName>>,
    /// The composed tools whose conditions hold, such as active skills.
    composed: Vec<ToolName>,
}

/// The menus that were made last.
#[derive(Default)]
pub(crate) struct Menus(Mutex<VecDeque<Arc<Menu>>>);

impl ScopedToolView {
    /// Returns the tools to show to an agent: those of the view, sorted by name; or if it has many, the
    /// [tools of discovery](crate::discovery) in their place, and after them those that find and run skills.
    #[must_use]
    pub fn shown(&self) -> Vec<Arc<ToolSpec>> {
        match self.menu() {
            Some(menu) => menu.shown(),
            None => self.specs(),
        }
    }

    /// Returns the menu if an agent sees the tools of discovery.
    pub(crate) fn menu(&self) -> Option<Arc<Menu>> {
        let core = self.core();
        let searcher = core.searcher.as_ref()?;
        let policy = core.policy();
        let threshold = policy.discovery_threshold?;
        self.scope().check_valid(core, &policy).ok()?;
        let key = MenuKey::new(self, policy);
        let kept = core.menus.find(core, &key);
        let menu = kept.unwrap_or_else(|| {
            let (tools, constants) = self.specs_and_constants(&key.policy);
            let records = match tools.len() >= threshold {
                true => records(&tools),
                false => Vec::new(),
            };
            let discovery = records
                .into_iter()
                .map(|record| RegisteredTool::new(Tool::bound(record)));
            let menu = Menu {
                key,
                constants,
                discovery: discovery.collect(),
                searcher: Some(Arc::clone(searcher)),
                index: OnceLock::new(),
                tools: tools.into(),
            };
            core.menus.keep(menu)
        });
        (!menu.discovery.is_empty()).then_some(menu)
    }

    /// Returns the tool of discovery with this name, if the view offers it.
    pub(crate) fn discovery_tool(&self, name: &str) -> Option<(DiscoveryTool, Arc<Menu>)> {
        let tool = DiscoveryTool::from_name(name)?;
        let menu = self.menu()?;
        menu.entry(tool).is_some().then_some((tool, menu))
    }
}

impl Menu {
    /// Returns the tools of discovery, and those of the view that do the same for skills.
    fn shown(&self) -> Vec<Arc<ToolSpec>> {
        let records = self.discovery.iter().map(|entry| entry.tool.spec());
        let of_skills = self.tools.iter();
        let of_skills = of_skills.filter(|spec| ToolKind::from_spec(spec) == ToolKind::Discovery);
        records.chain(of_skills).cloned().collect()
    }

    /// Returns a tool of discovery; none if the view has no tool that it could call.
    pub(crate) fn entry(&self, tool: DiscoveryTool) -> Option<&RegisteredTool> {
        let mut entries = self.discovery.iter();
        entries.find(|entry| entry.spec().name.as_str() == tool.name())
    }

    /// Returns a tool of the view, as an agent sees it.
    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<ToolSpec>> {
        let found = self
            .tools
            .binary_search_by(|spec| spec.name.as_str().cmp(name));
        self.tools.get(found.ok()?)
    }

    /// Returns the tools that fit a query, best first. The first search of a menu takes long.
    pub(crate) fn search(&self, query: &str, most: usize) -> Vec<&Arc<ToolSpec>> {
        let Some(searcher) = &self.searcher else {
            return Vec::new();
        };
        let index = self.index.get_or_init(|| searcher.index(&self.tools));
        let places = index.search(query, most).into_iter().take(most);
        places.filter_map(|place| self.tools.get(place)).collect()
    }
}

impl MenuKey {
    fn new(view: &ScopedToolView, policy: Arc<Policy>) -> Self {
        let scope = view.scope();
        Self {
            role: scope.role.clone(),
            node: scope.run.node.clone(),
            allow_list: scope.allow_list.clone(),
            variables: Arc::clone(&scope.variables),
            workspace: scope.run.workspace.clone(),
            bound: Arc::clone(&scope.bound),
            composed: policy.tools.composed_and_offered(),
            policy,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.policy, &other.policy)
            && self.role == other.role
            && self.node == other.node
            && self.allow_list == other.allow_list
            && self.variables == other.variables
            && self.workspace == other.workspace
            && self.bound == other.bound
            && self.composed == other.composed
    }
}

impl Menus {
    /// Returns the kept menu of a key if it still shows the tools as they are.
    fn find(&self, core: &Core, key: &MenuKey) -> Option<Arc<Menu>> {
        let kept = {
            let menus = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            menus.iter().find(|menu| menu.key.is_same(key)).cloned()
        };
        let account = key.policy.snapshot.account(&key.role);
        let is_current = |menu: &Arc<Menu>| {
            let mut constants = menu.constants.iter();
            constants.all(|((service, workspace), known)| {
                let place = (service, workspace.as_ref());
                Constants::of(&core.credentials, &menu.key.policy, account, place) == *known
            })
        };
        kept.filter(is_current)
    }

    /// Keeps a menu in place of an earlier one of its key, and of those of earlier policies.
    fn keep(&self, menu: Menu) -> Arc<Menu> {
        let menu = Arc::new(menu);
        let mut menus = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        menus.retain(|kept| {
            Arc::ptr_eq(&kept.key.policy, &menu.key.policy) && !kept.key.is_same(&menu.key)
        });
        menus.truncate(MOST_MENUS - 1);
        menus.push_front(Arc::clone(&menu));
        menu
    }
}
