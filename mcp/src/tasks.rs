//! Calls that have become tasks: their clients go on, and ask for the results later.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{DetailedTask, InputResponses, Task},
    task_manager::{TaskContext, TaskFuture, TaskManager, TaskOptions},
};

use crate::{admission::Admission, shares::has_its_share};

/// The longest time of a task, and the time for which its result is kept. No call waits longer for a person.
const LIFETIME: Duration = Duration::from_hours(1);

/// The interval at which a client should ask for the state of a task.
const POLL: Duration = Duration::from_secs(1);

/// The tasks that may exist at the same time. Further calls do not become tasks.
const MOST: usize = 256;

/// The tasks of a server. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Tasks {
    manager: TaskManager,
    /// The clients of the tasks, who alone may see them. Over pipes there is only one.
    owners: Arc<Mutex<BTreeMap<String, Option<Admission>>>>,
}

impl Tasks {
    /// Returns false if there are so many tasks, in all or of a client with a token of its own, that no call of
    /// the client may become another.
    pub(crate) fn have_room(&self, client: Option<&Admission>) -> bool {
        let mut owners = self.owners();
        let is_full = |owners: &BTreeMap<_, Option<Admission>>| {
            let clients = owners.values().flatten();
            owners.len() >= MOST
                || client.is_some_and(|client| has_its_share(client, clients, MOST))
        };
        if is_full(&owners) {
            owners.retain(|id, _| self.manager.get_task(id).is_ok());
        }
        !is_full(&owners)
    }

    /// Begins a task of a client.
    pub(crate) fn begin(
        &self,
        owner: Option<Admission>,
        work: impl FnOnce(TaskContext) -> TaskFuture,
    ) -> Task {
        let options = TaskOptions::new().with_ttl_ms(milliseconds(LIFETIME));
        let options = options.with_poll_interval_ms(milliseconds(POLL));
        let task = self.manager.spawn(options, work);
        self.owners().insert(task.task_id.clone(), owner);
        task
    }

    /// Returns the state of a task of a client.
    pub(crate) fn get(
        &self,
        id: &str,
        client: Option<&Admission>,
    ) -> Result<DetailedTask, ErrorData> {
        self.check(id, client)?;
        self.manager.get_task(id)
    }

    /// Gives the answers of a client to its task.
    pub(crate) fn update(
        &self,
        id: &str,
        responses: InputResponses,
        client: Option<&Admission>,
    ) -> Result<(), ErrorData> {
        self.check(id, client)?;
        self.manager.update_task(id, responses)
    }

    /// Cancels a task of a client.
    pub(crate) fn cancel(&self, id: &str, client: Option<&Admission>) -> Result<(), ErrorData> {
        self.check(id, client)?;
        self.manager.cancel_task(id)
    }

    /// Ends all tasks.
    pub(crate) fn end(&self) {
        self.manager.shutdown();
    }

    /// Checks that a task is that of a client. One of another client does not exist for it.
    fn check(&self, id: &str, client: Option<&Admission>) -> Result<(), ErrorData> {
        let owners = self.owners();
        let is_own = match (owners.get(id), client) {
            (Some(None), None) => true,
            (Some(Some(owner)), Some(client)) => owner.is_of_same(client),
            _ => false,
        };
        if is_own {
            return Ok(());
        }
        Err(ErrorData::invalid_params(
            format!("unknown task: {id}"),
            None,
        ))
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<String, Option<Admission>>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("number", &self.owners().len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;

    use super::*;
    use crate::{
        access::Access,
        caller::{Caller, Token},
        shares::share_of,
    };

    fn client(token: &str) -> Admission {
        let access = watch::Sender::new(Access::Everyone).subscribe();
        Admission::new(Caller::of_server(Token::new(token).unwrap()), access)
    }

    #[tokio::test]
    async fn a_task_exists_for_its_client_alone() {
        let tasks = Tasks::default();
        let (own, other) = (client("0123456789abcdef"), client("0123456789abcdeF"));
        let task = tasks.begin(Some(own.clone()), |_| Box::pin(std::future::pending()));
        let id = task.task_id.as_str();
        assert!(tasks.get(id, Some(&own)).is_ok());
        assert!(tasks.cancel(id, Some(&own)).is_ok());
        for stranger in [Some(&other), None] {
            let unknown = tasks.get("nothing", stranger).unwrap_err();
            let foreign = tasks.get(id, stranger).unwrap_err();
            let same = foreign.message.replace(id, "nothing");
            assert_eq!((foreign.code, &*same), (unknown.code, &*unknown.message));
            assert!(tasks.cancel(id, stranger).is_err());
            assert!(tasks.update(id, InputResponses::new(), stranger).is_err());
        }
    }

    #[tokio::test]
    async fn there_are_only_so_many_tasks() {
        let tasks = Tasks::default();
        for _ in 0..MOST {
            assert!(tasks.have_room(None));
            tasks.begin(None, |_| Box::pin(std::future::pending()));
        }
        assert!(!tasks.have_room(None));
    }

    #[tokio::test]
    async fn a_client_cannot_take_the_tasks_of_others() {
        let tasks = Tasks::default();
        let [one, other] = ["one", "other"].map(Admission::with_name);
        for _ in 0..share_of(MOST) {
            assert!(tasks.have_room(Some(&one)));
            tasks.begin(Some(one.clone()), |_| Box::pin(std::future::pending()));
        }
        assert!(!tasks.have_room(Some(&one)));
        assert!(tasks.have_room(Some(&other)));
    }
}
