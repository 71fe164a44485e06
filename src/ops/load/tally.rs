//! What came back, counted.

use super::answer::Answer;
use super::histogram::Histogram;
use std::collections::BTreeMap;
use std::time::Duration;

/// Different errors that are kept apart; a server that makes up new ones is cut short.
const MAX_KINDS: usize = 20;

/// The counts of one client or of all.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    pub latency: Histogram,
    pub requests: u64,
    /// Requests that named a tag.
    pub conditional: u64,
    pub bytes: u64,
    pub statuses: BTreeMap<u16, u64>,
    /// `Content-Encoding` of answers that had a body.
    pub encodings: BTreeMap<String, u64>,
    pub hits: u64,
    pub misses: u64,
    /// What failed, by its words.
    pub errors: BTreeMap<String, u64>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            latency: Histogram::new(),
            requests: 0,
            conditional: 0,
            bytes: 0,
            statuses: BTreeMap::new(),
            encodings: BTreeMap::new(),
            hits: 0,
            misses: 0,
            errors: BTreeMap::new(),
        }
    }

    pub(super) fn answer(&mut self, answer: &Answer, latency: Duration) {
        self.requests += 1;
        self.latency.add(latency);
        self.bytes += answer.bytes;
        *self.statuses.entry(answer.status).or_default() += 1;
        if answer.bytes > 0 {
            count(&mut self.encodings, &answer.encoding, 1);
        }
        match answer.hit {
            Some(true) => self.hits += 1,
            Some(false) => self.misses += 1,
            None => {}
        }
    }

    /// A failure that is no answer, or an answer that is one.
    pub(super) fn error(&mut self, words: &str) {
        count(&mut self.errors, words, 1);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.requests += other.requests;
        self.conditional += other.conditional;
        self.bytes += other.bytes;
        self.hits += other.hits;
        self.misses += other.misses;
        for (status, n) in &other.statuses {
            *self.statuses.entry(*status).or_default() += n;
        }
        for (encoding, n) in &other.encodings {
            count(&mut self.encodings, encoding, *n);
        }
        for (words, n) in &other.errors {
            count(&mut self.errors, words, *n);
        }
    }
}

/// Counts a word that a server chose, among a bounded number of others.
fn count(words: &mut BTreeMap<String, u64>, word: &str, n: u64) {
    if let Some(known) = words.get_mut(word) {
        *known += n;
    } else {
        let word = if words.len() < MAX_KINDS { word } else { "others" };
        *words.entry(word.to_owned()).or_default() += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_bounded_and_nothing_is_lost() {
        let mut tally = Tally::new();
        for i in 0..MAX_KINDS {
            tally.error(&format!("{i}"));
        }
        assert_eq!(tally.errors.get("others"), None);
        tally.error("one more");
        tally.error("and one");
        assert_eq!((tally.errors.len(), tally.errors["others"]), (MAX_KINDS + 1, 2));
    }

    #[test]
    fn merged_counts_add_up() {
        let head = "HTTP/1.1 200 OK\r\nX-Cache: HIT\r\nContent-Encoding: gzip";
        let answer = Answer { bytes: 10, ..Answer::parse(head).unwrap() };
        let mut all = Tally::new();
        for _ in 0..2 {
            let mut one = Tally::new();
            one.answer(&answer, Duration::from_millis(1));
            one.answer(&Answer::parse("HTTP/1.1 204 x\r\nX-Cache: MISS").unwrap(), Duration::from_millis(3));
            one.error("x");
            all.merge(&one);
        }
        assert_eq!((all.requests, all.bytes, all.hits, all.misses, all.errors["x"]), (4, 20, 2, 2, 2));
        assert_eq!((all.statuses[&200], all.statuses[&204], all.encodings["gzip"]), (2, 2, 2));
        assert_eq!(all.latency.max(), Duration::from_millis(3));
    }
}
