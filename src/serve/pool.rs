//! The threads that may block: a bounded queue of work on tile files.
//!
//! Responsible for keeping file access off the event loops, and for saying no in time when more
//! is asked than disks deliver. It knows nothing of tiles; the work comes as closures.

use super::readers::Readers;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// How long an idle thread waits before it closes the files of versions that are gone.
const TIDY: Duration = Duration::from_secs(1);

type Job = Box<dyn FnOnce(&mut Readers) + Send>;

/// Reader threads and the way to them. Dropped, it lets them finish and end.
pub(super) struct Pool {
    jobs: Sender<Job>,
    /// One permit for each thread and each place in the queue; held until the work is done.
    room: Arc<Semaphore>,
    /// Threads and places in the queue.
    size: usize,
    taken: AtomicU64,
    rejected: AtomicU64,
    wait: Duration,
}

/// How busy a pool is.
pub(super) struct Usage {
    /// Work that is being done or waits.
    pub jobs: u64,
    /// Work that found a place since the start.
    pub taken: u64,
    /// Work that was refused since the start.
    pub rejected: u64,
}

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The queue stayed full for the configured time.
    Full,
    /// The work panicked.
    Failed,
}

impl Pool {
    /// Starts `threads` readers with room for `queue` more jobs than they are working on. Each
    /// job waits for `delay` first, which is zero but in tests.
    pub(super) fn start(threads: usize, queue: usize, wait: Duration, delay: Duration) -> std::io::Result<Self> {
        // Unbounded by itself: the permits are the bound, and they can be waited for in order.
        let (jobs, inbox) = crossbeam_channel::unbounded();
        for n in 0..threads {
            let inbox = inbox.clone();
            std::thread::Builder::new().name(format!("reader-{n}")).spawn(move || work(&inbox, delay))?;
        }
        Ok(Self {
            jobs,
            room: Arc::new(Semaphore::new(threads + queue)),
            size: threads + queue,
            taken: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            wait,
        })
    }

    /// Has a reader thread do this, and waits for what comes of it without blocking.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Readers) -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let permit = self.permit().await?;
        self.taken.fetch_add(1, Relaxed);
        let (answer, result) = oneshot::channel();
        let job = move |readers: &mut Readers| {
            let _until_done = permit;
            let _ = answer.send(work(readers));
        };
        self.jobs.send(Box::new(job)).map_err(|_| Refused::Failed)?;
        result.await.map_err(|_| Refused::Failed)
    }

    /// The right to a place in the queue; held until the work is done.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, Refused> {
        let room = Arc::clone(&self.room);
        if let Ok(permit) = Arc::clone(&room).try_acquire_owned() {
            return Ok(permit);
        }
        let waited = tokio::time::timeout(self.wait, room.acquire_owned()).await;
        waited.ok().and_then(Result::ok).ok_or_else(|| {
            self.rejected.fetch_add(1, Relaxed);
            Refused::Full
        })
    }

    pub(super) fn usage(&self) -> Usage {
        let jobs = self.size.saturating_sub(self.room.available_permits()) as u64;
        Usage { jobs, taken: self.taken.load(Relaxed), rejected: self.rejected.load(Relaxed) }
    }
}

fn work(inbox: &Receiver<Job>, delay: Duration) {
    let mut readers = Readers::default();
    loop {
        match inbox.recv_timeout(TIDY) {
            Ok(job) => {
                if !delay.is_zero() {
                    std::thread::sleep(delay);
                }
                if std::panic::catch_unwind(AssertUnwindSafe(|| job(&mut readers))).is_err() {
                    tracing::error!("reading a tile panicked; its connections are opened anew");
                    readers = Readers::default();
                }
            }
            Err(RecvTimeoutError::Timeout) => readers.close_gone(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn a_full_queue_says_no_after_the_wait_and_recovers() {
        let pool = Arc::new(Pool::start(1, 1, Duration::from_millis(20), Duration::ZERO).unwrap());
        let (open, gate) = crossbeam_channel::bounded::<()>(0);
        block_on(async {
            let local = tokio::task::LocalSet::new();
            local
                .run_until(async {
                    let blocked: Vec<_> = (0..2)
                        .map(|_| {
                            let (pool, gate) = (Arc::clone(&pool), gate.clone());
                            tokio::task::spawn_local(async move { pool.run(move |_| gate.recv().is_ok()).await })
                        })
                        .collect();
                    tokio::task::yield_now().await;
                    assert_eq!(pool.run(|_| ()).await, Err(Refused::Full));
                    // Nothing receives before the job itself does, so both sends meet a running job.
                    let opener = std::thread::spawn(move || (0..2).all(|_| open.send(()).is_ok()));
                    for task in blocked {
                        assert_eq!(task.await.unwrap(), Ok(true));
                    }
                    assert!(opener.join().unwrap());
                    assert_eq!(pool.run(|_| 7).await, Ok(7));
                })
                .await;
        });
    }

    #[test]
    fn a_panic_costs_one_answer_and_no_thread() {
        let pool = Pool::start(1, 1, Duration::from_millis(20), Duration::ZERO).unwrap();
        block_on(async {
            for _ in 0..5 {
                let failed = pool.run(|_| assert_eq!(1, 2, "on purpose")).await;
                assert_eq!(failed, Err(Refused::Failed));
            }
            assert_eq!(pool.run(|_| 7).await, Ok(7));
        });
    }
}
