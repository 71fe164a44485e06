//! Follows the store: new versions are opened beside the old ones, then everything is swapped.
//!
//! Responsible for the one thread that looks at the store, and for the second look that a
//! request for an unknown version may cause. A store that cannot be read leaves what is served
//! as it is.

use super::error::Error;
use super::snapshot::Snapshot;
use crate::tileset::{Catalog, Fingerprint};
use arc_swap::{ArcSwap, Guard};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, oneshot};

/// How often requests may cause a look at the store.
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// How long a request waits for such a look; a network disk that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The current snapshot and the thread that keeps it so. Dropped, the thread ends.
pub(super) struct Follow {
    now: Arc<ArcSwap<Snapshot>>,
    orders: Sender<oneshot::Sender<()>>,
    looked: Arc<Mutex<Option<Instant>>>,
}

impl Follow {
    /// Opens everything that is published and starts to follow.
    pub(super) fn start(root: &Path, poll: Duration) -> Result<Self, Error> {
        let now = Arc::new(ArcSwap::from_pointee(Snapshot::empty()));
        let mut eye = Eye { root: root.to_owned(), now: Arc::clone(&now), seen: None, complaints: BTreeSet::new() };
        eye.look()?;
        let (orders, inbox) = crossbeam_channel::unbounded();
        std::thread::Builder::new()
            .name("follow".into())
            .spawn(move || eye.follow(&inbox, poll))
            .map_err(|source| Error::Thread { source })?;
        Ok(Self { now, orders, looked: Arc::default() })
    }

    /// What is served now.
    pub(super) fn now(&self) -> Guard<Arc<Snapshot>> {
        self.now.load()
    }

    /// Looks at the store once more, unless that was done within the last second. Many at once
    /// cause one look, and all of them wait for it.
    pub(super) async fn look_again(&self) {
        let (looked, orders) = (Arc::clone(&self.looked), self.orders.clone());
        // A task of its own: it goes on when the client that caused it goes away.
        let look = actix_web::rt::spawn(async move {
            let mut looked = looked.lock().await;
            if looked.is_some_and(|at| at.elapsed() < SECOND_LOOK) {
                return;
            }
            let (done, wait) = oneshot::channel();
            if orders.send(done).is_ok() {
                let _ = tokio::time::timeout(PATIENCE, wait).await;
            }
            *looked = Some(Instant::now());
        });
        let _ = look.await;
    }
}

/// The thread's side.
struct Eye {
    root: PathBuf,
    now: Arc<ArcSwap<Snapshot>>,
    seen: Option<Fingerprint>,
    /// What was logged at the last look, so that it is not logged at each.
    complaints: BTreeSet<String>,
}

impl Eye {
    fn follow(mut self, inbox: &Receiver<oneshot::Sender<()>>, poll: Duration) {
        loop {
            let asked = match inbox.recv_timeout(poll) {
                Ok(asked) => Some(asked),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            match std::panic::catch_unwind(AssertUnwindSafe(|| self.look())) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => self.complain(vec![super::readers::chain(&error)]),
                Err(_) => self.complain(vec!["looking at the store panicked".into()]),
            }
            if let Some(asked) = asked {
                let _ = asked.send(());
            }
        }
    }

    fn look(&mut self) -> Result<(), Error> {
        let fingerprint = Catalog::fingerprint(&self.root);
        let before = self.now.load_full();
        if self.seen.as_ref() == Some(&fingerprint) {
            return Ok(());
        }
        let (catalog, problems) = Catalog::read(&self.root).map_err(Error::store)?;
        let (next, mut complaints) = Snapshot::next(&catalog, &problems, &self.root, &before);
        complaints.extend(problems.iter().map(ToString::to_string));
        self.now.store(Arc::new(next));
        // What could not be read may be readable next time without a new fingerprint.
        self.seen = Some(fingerprint).filter(|_| complaints.is_empty());
        self.complain(complaints);
        Ok(())
    }

    fn complain(&mut self, complaints: Vec<String>) {
        let complaints: BTreeSet<_> = complaints.into_iter().collect();
        for new in complaints.difference(&self.complaints) {
            tracing::error!("{new}");
        }
        self.complaints = complaints;
    }
}
