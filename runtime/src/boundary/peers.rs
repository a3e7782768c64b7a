//! The workspaces that runs and sessions used last, for calls that choose none.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use toolwright_model::{Role, ServiceName, WorkspaceName};

use super::{view::Scope, workspaces::Chosen};

/// The most runs and sessions that are remembered. The oldest ones are forgotten.
const MOST_CALLERS: usize = 4_096;

/// The workspace of each service that a caller used last.
#[derive(Debug, Default)]
pub(crate) struct Peers(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    used: BTreeMap<Caller, BTreeMap<ServiceName, WorkspaceName>>,
    /// The callers in the order of their first use.
    order: VecDeque<Caller>,
}

/// The run or the session of a caller. All parts must be equal, so that no caller's choice decides for
/// another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Caller {
    role: Role,
    run: Option<String>,
    session: Option<String>,
    principal: Option<String>,
    workspace: Option<String>,
    /// The number of the view; none if a run or a session identifies the caller.
    view: Option<u64>,
}

impl Peers {
    /// Remembers the workspace that a call was for, if the caller could have chosen another one. A call
    /// that a tool makes in turn is no choice of the caller.
    pub(crate) fn remember(&self, scope: &Scope, service: &ServiceName, chosen: &Chosen) {
        let caller = Caller::new(scope).filter(|_| scope.parent.is_none());
        let (Some(workspace), Some(caller)) = (chosen.choice(), caller) else {
            return;
        };
        let mut peers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !peers.used.contains_key(&caller) {
            peers.order.push_back(caller.clone());
            if peers.order.len() > MOST_CALLERS
                && let Some(oldest) = peers.order.pop_front()
            {
                peers.used.remove(&oldest);
            }
        }
        let used = peers.used.entry(caller).or_default();
        used.insert(service.clone(), workspace.clone());
    }

    /// Returns the workspace of a service that the caller used last.
    pub(crate) fn last(&self, scope: &Scope, service: &ServiceName) -> Option<WorkspaceName> {
        let peers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let used = peers.used.get(&Caller::new(scope)?)?;
        used.get(service).cloned()
    }
}

impl Caller {
    /// Returns the caller; none if nothing tells the callers of a view over the network apart.
    fn new(scope: &Scope) -> Option<Self> {
        let (run, client) = (&scope.run, &scope.client);
        let is_identified = run.run.is_some() || client.session.is_some();
        if !is_identified && client.peer.is_some() {
            return None;
        }
        Some(Self {
            role: scope.role.clone(),
            run: run.run.clone(),
            session: client.session.clone(),
            principal: client.principal.clone(),
            workspace: run.workspace.clone(),
            view: (!is_identified).then_some(scope.number),
        })
    }
}
