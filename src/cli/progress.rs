//! Progress of a build: a bar on a terminal, nothing elsewhere.

use crate::build::Event;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Shows a build's events on standard error.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
        if quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{msg:18} [{bar:30}] {percent:>3} %  {elapsed}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    pub(super) fn show(&self, event: &Event, maxzoom: u8) {
        let (done, total, message) = match *event {
            Event::Reading { done, total } => (done.min(total), total.max(1), "reading".to_owned()),
            Event::Preparing => (0, 1, "simplifying".to_owned()),
            Event::Zoom { zoom, tiles } => {
                // Each zoom is about as much work as all before it together.
                (1 << zoom, 1 << (maxzoom + 1), format!("zoom {zoom}: {} tiles", HumanCount(tiles)))
            }
            Event::Finishing => (1, 1, "finishing".to_owned()),
        };
        self.0.set_length(total);
        self.0.set_position(done);
        self.0.set_message(message);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
