//! Clients at work: each a thread with a connection, a walk and a schedule of its own.

use super::answer::Answer;
use super::client::Client;
use super::error::Error;
use super::options::Options;
use super::places;
use super::random::Random;
use super::report::Report;
use super::session::{EXPONENT, Sessions, World};
use super::tally::Tally;
use super::target::Target;
use super::zipf::Zipf;
use crate::tile::TileCoord;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often somebody hears how it goes.
const NEWS: Duration = Duration::from_millis(250);

/// After so many failures in a row a client gives up: nobody is there.
const MAX_FAILURES: u32 = 20;

/// A client that failed waits, so that a server that is down is not hammered.
const AFTER_FAILURE: Duration = Duration::from_millis(10);

/// Tiles that a client remembers with their tags, as a browser's cache does.
const MAX_KNOWN: usize = 512;

/// A client's stack: it holds little more than a read buffer.
const STACK: usize = 512 << 10;

/// What the test has come to, for whoever tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// The places that sessions gather around are found.
    Found {
        /// How many.
        places: usize,
        /// Tiles that were asked for to find them.
        asked: usize,
    },
    /// Warming up goes on.
    Warming {
        /// Requests answered so far.
        requests: u64,
    },
    /// Measuring goes on.
    Running {
        /// Time since it began.
        elapsed: Duration,
        /// Requests answered so far.
        requests: u64,
        /// Their 99th percentile so far.
        p99: Duration,
        /// Failures so far.
        errors: u64,
    },
}

/// Tests the server of a TileJSON with sessions at maps; `tell` hears how it goes.
///
/// # Errors
/// When the options make no sense, the server is not this machine and not allowed, or there is
/// no TileJSON or no tile with data. Failures while it runs are in the report.
pub fn load(options: &Options, tell: &dyn Fn(Step)) -> Result<Report, Error> {
    options.validate()?;
    let target = Target::read(options)?;
    let found = places::find(&target, &options.encoding, options.seed)?;
    tell(Step::Found { places: found.list.len(), asked: found.asked });
    let popularity = Zipf::new(found.list.len(), EXPONENT);
    let world = World { minzoom: target.minzoom, places: found.list, popularity };
    let run = Run { options, target: &target };
    let walk = |i| Walker::new(&run, Sessions::new(&world, Random::fork(options.seed, 2 * i)), i);
    let mut walkers: Vec<_> = (0..options.clients as u64).map(walk).collect();
    run.phase(&mut walkers, Some(options.warmup), None, &|tally, _| tell(Step::Warming { requests: tally.requests }));
    let (tally, measured) = run.phase(&mut walkers, options.requests, options.rate, &|tally, elapsed| {
        let errors = tally.errors.values().sum();
        tell(Step::Running { elapsed, requests: tally.requests, p99: tally.latency.quantile(0.99), errors });
    });
    Ok(Report::new(options, target.template(), world.places.len(), tally, measured))
}

struct Run<'r> {
    options: &'r Options,
    target: &'r Target,
}

/// When a client asks.
struct Schedule {
    start: Instant,
    end: Instant,
    /// From the start to its first request, and from one to the next.
    pace: Option<(Duration, Duration)>,
    /// Its part of the requests.
    requests: u64,
}

impl Run<'_> {
    /// Lets all clients work until the requests or the time are used up.
    fn phase(
        &self,
        walkers: &mut [Walker],
        requests: Option<u64>,
        rate: Option<f64>,
        news: &dyn Fn(&Tally, Duration),
    ) -> (Tally, Duration) {
        let (start, clients) = (Instant::now(), walkers.len() as u64);
        let tallies: Vec<_> = walkers.iter().map(|_| Mutex::new(Tally::new())).collect();
        let schedule = |i: u64| Schedule {
            start,
            end: start + self.options.duration,
            pace: rate.map(|rate| {
                let gap = Duration::from_secs_f64((1.0 / rate).min(1e6));
                (gap.saturating_mul(i as u32), Duration::from_secs_f64((clients as f64 / rate).min(1e6)))
            }),
            requests: requests.map_or(u64::MAX, |all| all / clients + u64::from(i < all % clients)),
        };
        thread::scope(|scope| {
            let mut handles = Vec::new();
            for (i, (walker, tally)) in (0..).zip(walkers.iter_mut().zip(&tallies)) {
                let schedule = schedule(i);
                let work = move || walker.work(&schedule, tally);
                match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                    Ok(handle) => handles.push(handle),
                    Err(error) => lock(tally).error(&format!("no thread for a client: {error}")),
                }
            }
            while handles.iter().any(|handle| !handle.is_finished()) {
                thread::park_timeout(if start.elapsed() < NEWS { NEWS / 25 } else { NEWS / 5 });
                news(&sum(&tallies), start.elapsed());
            }
        });
        let (all, elapsed) = (sum(&tallies), start.elapsed());
        news(&all, elapsed);
        (all, elapsed)
    }

    /// What is wrong with an answer, if anything is.
    fn fault(&self, answer: &Answer, conditional: bool) -> Option<String> {
        let fits = match answer.status {
            200 | 204 => true,
            304 => conditional,
            404 => self.target.sparse,
            _ => false,
        };
        if !fits && !self.options.allowed.contains(&answer.status) {
            return Some(format!("status {}", answer.status));
        }
        let wanted = |element: &str| {
            let coding = element.split(';').next().unwrap_or_default().trim();
            coding == "*" || coding.eq_ignore_ascii_case(&answer.encoding)
        };
        let encoded = answer.bytes > 0 && answer.encoding != "identity";
        (encoded && !self.options.encoding.split(',').any(wanted))
            .then(|| format!("encoding {} was not asked for", answer.encoding))
    }
}

fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sum(tallies: &[Mutex<Tally>]) -> Tally {
    let mut all = Tally::new();
    for tally in tallies {
        all.merge(&lock(tally));
    }
    all
}

/// One client: keeps its connection, its walk and what it knows from phase to phase.
struct Walker<'r> {
    run: &'r Run<'r>,
    client: Client,
    sessions: Sessions<'r>,
    /// Decides what is asked for again.
    random: Random,
    /// Tiles with their tags, the oldest replaced first.
    known: Vec<(TileCoord, String)>,
    oldest: usize,
}

impl<'r> Walker<'r> {
    fn new(run: &'r Run<'r>, sessions: Sessions<'r>, i: u64) -> Self {
        let random = Random::fork(run.options.seed, 2 * i + 1);
        let client = run.target.client(&run.options.encoding);
        Self { run, client, sessions, random, known: Vec::new(), oldest: 0 }
    }

    fn work(&mut self, schedule: &Schedule, tally: &Mutex<Tally>) {
        let mut failures = 0;
        let mut due = schedule.start + schedule.pace.map_or(Duration::ZERO, |(first, _)| first);
        for _ in 0..schedule.requests {
            let now = Instant::now();
            if let Some((_, gap)) = schedule.pace {
                if due >= schedule.end {
                    break;
                }
                thread::sleep(due.saturating_duration_since(now));
                // A request that is late waits for nobody, and its lateness counts.
                let from = due;
                due += gap;
                failures = if self.one(from, tally) { 0 } else { failures + 1 };
            } else {
                failures = if self.one(now, tally) { 0 } else { failures + 1 };
            }
            if failures >= MAX_FAILURES || Instant::now() >= schedule.end {
                break;
            }
        }
    }

    /// One request, and whether it was answered at all.
    fn one(&mut self, from: Instant, tally: &Mutex<Tally>) -> bool {
        let (tile, tag) = self.choose();
        let answer = self.client.get(&self.run.target.path(tile), tag.as_deref());
        let latency = from.elapsed();
        let mut tally = lock(tally);
        tally.conditional += u64::from(tag.is_some());
        match answer {
            Ok(answer) => {
                tally.answer(&answer, latency);
                if let Some(fault) = self.run.fault(&answer, tag.is_some()) {
                    tally.error(&fault);
                }
                drop(tally);
                self.learn(tile, answer, tag.is_some());
                true
            }
            Err(error) => {
                tally.error(&words(&error));
                drop(tally);
                thread::sleep(AFTER_FAILURE);
                false
            }
        }
    }

    /// A tile seen before with its tag, for the share that asks again, or the next of the walk.
    fn choose(&mut self) -> (TileCoord, Option<String>) {
        if !self.known.is_empty() && self.random.unit() < self.run.options.revalidate {
            let (tile, tag) = &self.known[self.random.below(self.known.len())];
            return (*tile, Some(tag.clone()));
        }
        (self.sessions.tile(), None)
    }

    fn learn(&mut self, tile: TileCoord, answer: Answer, again: bool) {
        let Some(tag) = answer.tag.filter(|_| answer.status == 200 && !again) else { return };
        if self.run.options.revalidate == 0.0 {
            return;
        }
        if self.known.len() < MAX_KNOWN {
            self.known.push((tile, tag));
        } else {
            self.known[self.oldest] = (tile, tag);
            self.oldest = (self.oldest + 1) % MAX_KNOWN;
        }
    }
}

/// The same words for the same failure.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut => "no answer within 10 s".into(),
        _ => error.to_string(),
    }
}
