//! Several clients that share the calls of a soak, and what happens at certain moments of it.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{
    advice::{self, Verdict},
    ledger::Ledger,
    plan::{self, Planned},
    tally::Tally,
    world::World,
};
use crate::{
    Outcome,
    mcp_client::{Era, HttpClient},
};

const CLIENTS: usize = 16;
/// The faults of the search APIs change after so many calls.
const CALLS_PER_TROUBLE: usize = 40;
/// A client begins another session after so many steps.
const STEPS_PER_SESSION: u64 = 40;

/// The calls, and where they go.
#[derive(Debug)]
pub(super) struct Soak<'s> {
    pub(super) address: &'s str,
    pub(super) world: &'s World,
    pub(super) ledger: &'s Ledger,
    pub(super) calls: usize,
    /// Added to every step, to fill a store.
    pub(super) long_text: &'s str,
}

/// Something that happens when so many calls have ended.
pub(super) struct Moment<'m> {
    pub(super) after: usize,
    pub(super) act: Box<dyn FnMut() -> Outcome + 'm>,
}

impl Soak<'_> {
    /// Makes all calls, with everything that happens meanwhile.
    pub(super) fn run(&self, mut moments: Vec<Moment<'_>>) -> Result<Tally, String> {
        moments.sort_by_key(|moment| moment.after);
        let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|_| scope.spawn(|| self.client(&next, &ended)))
                .collect();
            let happened = moments.into_iter().try_for_each(|mut moment| {
                let is_early = || ended.load(Ordering::SeqCst) < moment.after;
                while is_early() && !clients.iter().all(|client| client.is_finished()) {
                    thread::sleep(Duration::from_millis(5));
                }
                (moment.act)()
            });
            let mut tally = Tally::default();
            for client in clients {
                tally.merge(client.join().map_err(|_| "a client panicked")?);
            }
            happened.map(|()| tally)
        })
    }

    fn client(&self, next: &AtomicUsize, ended: &AtomicUsize) -> Tally {
        let mut visitor = Visitor::new(self);
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= self.calls {
                return visitor.tally;
            }
            if number.is_multiple_of(CALLS_PER_TROUBLE) {
                self.world.next_trouble(number / CALLS_PER_TROUBLE);
            }
            visitor.call(number);
            ended.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// One client, its connection and the research session that it is at work on.
struct Visitor<'s> {
    soak: &'s Soak<'s>,
    connection: Option<HttpClient>,
    session: Option<String>,
    tally: Tally,
}

impl<'s> Visitor<'s> {
    fn new(soak: &'s Soak<'s>) -> Visitor<'s> {
        Visitor {
            soak,
            connection: None,
            session: None,
            tally: Tally::default(),
        }
    }

    fn call(&mut self, number: usize) {
        let Soak {
            world, long_text, ..
        } = self.soak;
        let planned = plan::call(number, self.session.as_deref(), world, long_text);
        if let Err(why) = self.make(&planned, number) {
            self.connection = None;
            let tool = planned.tool;
            self.tally.unanswered.add(format!("{tool}: {why}"));
        }
    }

    /// Makes one call. The error says why it was not answered.
    fn make(&mut self, planned: &Planned, number: usize) -> Outcome {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => HttpClient::connect(self.soak.address, era(number))?,
        };
        let call = json!({"name": planned.tool, "arguments": planned.arguments});
        let message = connection.prepare(call);
        if planned.vanishes {
            connection.send(&message)?;
            // Some calls have begun by then and some have not.
            thread::sleep(Duration::from_millis(number as u64 % 20));
            self.tally.vanished += 1;
            return Ok(());
        }
        let reply = connection.exchange(&message)?;
        self.connection = Some(connection);
        match advice::judge(planned, &reply) {
            Ok(Verdict::Succeeded) => {
                self.tally.succeeded += 1;
                if planned.tool == plan::STEP {
                    self.note_step(&reply, number);
                }
            }
            Ok(Verdict::Failed(name)) => *self.tally.failed.entry(name).or_default() += 1,
            Err(why) => self.tally.badly_advised.add(why),
        }
        Ok(())
    }

    fn note_step(&mut self, reply: &serde_json::Value, number: usize) {
        let noted = self.soak.ledger.note(reply, plan::step_text(number));
        match noted {
            Some((session, step)) => {
                self.session = (step < STEPS_PER_SESSION).then_some(session);
            }
            None => {
                let why = format!("a step without its number: {reply}");
                self.tally.badly_advised.add(why);
            }
        }
    }
}

/// Both eras of the protocol are used. Few connections open a session of the older one: a client
/// that vanishes leaves its session behind, and only so many may be open.
fn era(number: usize) -> Era {
    if number % 20 == 10 {
        Era::Session
    } else {
        Era::Stateless
    }
}
