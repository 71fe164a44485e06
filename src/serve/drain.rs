//! Tells the connections of one worker that it is time to go.
//!
//! Every connection asks at each of its turns, so asking must cost next to nothing: one of these
//! belongs to one worker, and no connection waits for another thread's lock.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The signal of one worker.
#[derive(Clone, Default)]
pub(super) struct Drain(Rc<Shared>);

#[derive(Default)]
struct Shared {
    begun: Cell<bool>,
    next: Cell<u64>,
    waiting: RefCell<HashMap<u64, Waker>>,
}

/// Ready when the worker's connections shall end.
pub(super) struct Begun {
    shared: Rc<Shared>,
    number: u64,
    waker: Option<Waker>,
}

impl Drain {
    /// From now on every connection ends with the request it is answering.
    pub(super) fn begin(&self) {
        self.0.begun.set(true);
        self.0.waiting.borrow_mut().drain().for_each(|(_, waker)| waker.wake());
    }

    /// For one connection.
    pub(super) fn begun(&self) -> Begun {
        let number = self.0.next.get();
        self.0.next.set(number + 1);
        Begun { shared: Rc::clone(&self.0), number, waker: None }
    }
}

impl Future for Begun {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.shared.begun.get() {
            return Poll::Ready(());
        }
        if !self.waker.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
            self.shared.waiting.borrow_mut().insert(self.number, cx.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.shared.waiting.borrow_mut().remove(&self.number);
    }
}
