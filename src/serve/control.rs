//! The thread without work: watches the workers' event loops, and answers the admin listener.
//!
//! Every worker has a clock that should tick each [`TICK`] and tells by how much it was late. A
//! machine that is busy with something else makes every clock late, this thread's too: what is
//! left when that is subtracted was spent inside the worker, by something that blocked it.

use super::admin;
use super::config::Config;
use super::counters::Counters;
use super::error::Error;
use super::origin::Origin;
use actix_web::rt;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often clocks tick.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// Starts the thread; it ends when the other end of `stop` is dropped.
pub(super) fn start(
    origin: &Arc<Origin>,
    admin: Option<TcpListener>,
    mut stop: watch::Receiver<bool>,
) -> Result<JoinHandle<()>, Error> {
    let origin = Arc::clone(origin);
    let run = move || {
        let Ok(runtime) = rt::Runtime::new() else {
            tracing::error!("no event loop for the control thread: nobody watches the workers");
            return;
        };
        runtime.block_on(async move {
            rt::spawn(watch(Arc::clone(&origin)));
            if let Some(listener) = admin {
                rt::spawn(admin::serve(origin, listener));
            }
            while stop.changed().await.is_ok() {}
        });
    };
    std::thread::Builder::new().name("control".into()).spawn(run).map_err(|source| Error::Thread { source })
}

/// A worker's clock.
pub(super) async fn tick(counters: Arc<Counters>) {
    loop {
        let late = late_tick().await;
        counters.late(late);
    }
}

/// Waits for one tick and returns by how much it was late.
async fn late_tick() -> Duration {
    let due = Instant::now() + TICK;
    tokio::time::sleep_until(due).await;
    due.elapsed()
}

/// Looks at all workers' clocks whenever its own has ticked.
async fn watch(origin: Arc<Origin>) {
    let mut before = Duration::ZERO;
    loop {
        let own = late_tick().await;
        for late in origin.metrics.workers().iter().filter_map(|w| w.take_late()) {
            // A worker may have told before or after this thread's own tick.
            let drift = late.saturating_sub(own.max(before));
            origin.metrics.drift.observe(drift);
            warn(&origin.config, drift);
        }
        before = own;
    }
}

fn warn(config: &Config, drift: Duration) {
    if drift >= config.drift_warning {
        tracing::warn!(
            milliseconds = u64::try_from(drift.as_millis()).unwrap_or(u64::MAX),
            "a worker's event loop was blocked; all of its connections waited"
        );
    }
}
