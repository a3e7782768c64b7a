//! A state that cannot be reached for a while.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::sleep,
};
use toolwright_state::{Location, testing::TestPlace};

use crate::{
    instance::{CHANGES, READS, WAITS},
    peer::{Operator, Peer},
};

/// The seconds for which the last known state applies here.
const GRACE: u32 = 3;

/// Stands between a program and PostgreSQL, and passes nothing on while it hangs.
struct Wire {
    hangs: Arc<AtomicBool>,
    url: String,
}

impl Wire {
    async fn to(url: &str) -> Self {
        let (server, database) = url.rsplit_once('/').unwrap();
        let (scheme, host) = server.rsplit_once('@').unwrap();
        let target = if host.contains(':') {
            host.to_owned()
        } else {
            format!("{host}:5432")
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap();
        let hangs = Arc::new(AtomicBool::new(false));
        let is_hanging = Arc::clone(&hangs);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&target).await.unwrap();
                let (near, far) = (near.into_split(), far.into_split());
                tokio::spawn(pass(near.0, far.1, Arc::clone(&is_hanging)));
                tokio::spawn(pass(far.0, near.1, Arc::clone(&is_hanging)));
            }
        });
        let url = format!("{scheme}@{own}/{database}");
        Self { hangs, url }
    }
}

async fn pass(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    hangs: Arc<AtomicBool>,
) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        while hangs.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(20)).await;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

/// What makes the state unreachable.
enum Cut {
    Wire(Wire),
    File(std::path::PathBuf),
}

impl Cut {
    fn cut(&self, is_cut: bool) {
        match self {
            Self::Wire(wire) => wire.hangs.store(is_cut, Ordering::SeqCst),
            Self::File(file) => {
                let away = file.with_extension("away");
                let (from, to) = if is_cut { (file, &away) } else { (&away, file) };
                fs::rename(from, to).unwrap();
            }
        }
    }
}

/// The state becomes unreachable, and comes back. PostgreSQL hangs, and the file of SQLite is away.
pub(crate) async fn outage(place: TestPlace) {
    let operator = Operator::new(place).await;
    let (cut, location) = match &operator.place.location {
        Location::Postgres { url, .. } => {
            let wire = Wire::to(url).await;
            let location = Location::postgres(wire.url.clone());
            (Cut::Wire(wire), location)
        }
        location => (Cut::File(operator.place.file().unwrap()), location.clone()),
    };
    let mut peer = Peer::start(&location, operator.folder.path(), GRACE).await;
    let outcome =
        async |peer: &mut Peer, tool: &str| -> Value { peer.ask(&format!("call {tool} x")).await };
    let passes = json!({"ended": "ok", "reason": "granted"});
    let refused = json!({"ended": "undecided", "reason": "state_unreachable"});

    assert_eq!(outcome(&mut peer, CHANGES).await, passes);
    cut.cut(true);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(
        outcome(&mut peer, CHANGES).await,
        passes,
        "the last known state applies"
    );
    let approval = outcome(&mut peer, WAITS).await;
    assert_eq!(
        approval["ended"], "undecided",
        "an approval needs the state itself"
    );
    sleep(Duration::from_secs(u64::from(GRACE) + 1)).await;
    for _ in 0..3 {
        assert_eq!(outcome(&mut peer, CHANGES).await, refused);
        assert_eq!(
            outcome(&mut peer, READS).await,
            passes,
            "a read changes nothing"
        );
    }
    assert_eq!(
        outcome(&mut peer, WAITS).await["reason"],
        "state_unreachable"
    );

    cut.cut(false);
    for attempt in 0.. {
        sleep(Duration::from_millis(100)).await;
        if outcome(&mut peer, CHANGES).await == passes {
            break;
        }
        assert!(attempt < 100, "the state is reached again");
    }
    assert_eq!(
        outcome(&mut peer, WAITS).await["reason"],
        "approval_required"
    );
}
