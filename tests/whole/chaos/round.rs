//! Round: its work, its victim and the moment of the kill, drawn from a seed.

use std::time::Duration;

use logtrace_common::Flavor;
use logtrace_common::random::{Stream, below};
use rustix::process::Signal;

/// Seed of the usual test, whose ten rounds have each kind of work and victim.
pub(super) const SEED: u64 = 1125;

/// Work that is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Run on a private server.
    PrivateRun,
    /// The same, with the data in an ext4 image.
    ImageRun,
    /// Run on a running server, some of whose settings it changes.
    RunningServer,
    /// Trace of a running server.
    Trace,
    /// Study of two cells.
    Study,
}

/// Process or processes that are killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Victim {
    /// logtrace alone, by this signal.
    Logtrace(Signal),
    /// Server alone.
    Server,
    /// logtrace and the server at once.
    Both,
}

/// Round of the test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) work: Work,
    pub(super) flavor: Flavor,
    pub(super) victim: Victim,
    /// Time from the start of the work until the kill.
    pub(super) after: Duration,
    /// Whether the next start is a run and not `doctor --clean`.
    pub(super) next_is_run: bool,
}

/// Kinds of work with the longest time until the kill in milliseconds: they end by themselves about then.
const WORK: [(Work, u64); 5] = [
    (Work::PrivateRun, 5_000),
    (Work::RunningServer, 4_000),
    (Work::Study, 12_000),
    (Work::ImageRun, 6_000),
    (Work::Trace, 4_000),
];

impl Round {
    /// Draws the round of this number. The same seed and number give the same round, whatever came before.
    pub(super) fn draw(seed: u64, number: u32) -> Self {
        let mut rng = Stream::Study(number).rng(seed);
        let mut draw = |choices: u64| below(&mut rng, choices);
        let (work, longest_ms) = WORK[number as usize % WORK.len()];
        let flavor = [Flavor::MySql, Flavor::MariaDb][draw(2) as usize];
        let victim = match draw(6) {
            0..=2 => Victim::Logtrace(Signal::KILL),
            3 => Victim::Logtrace([Signal::TERM, Signal::INT][draw(2) as usize]),
            4 => Victim::Server,
            _ => Victim::Both,
        };
        Self {
            work,
            flavor,
            victim,
            after: Duration::from_millis(draw(longest_ms)),
            next_is_run: draw(4) == 0,
        }
    }

    /// Returns whether the server ends in this round.
    pub(super) fn ends_server(&self) -> bool {
        self.victim == Victim::Server || self.victim == Victim::Both
    }

    /// Returns whether logtrace gets no chance to clean up.
    pub(super) fn is_sudden(&self) -> bool {
        matches!(self.victim, Victim::Both | Victim::Logtrace(Signal::KILL))
    }
}

#[test]
fn the_usual_rounds_have_each_victim() {
    let rounds: Vec<Round> = (0..10).map(|number| Round::draw(SEED, number)).collect();
    let has = |work: Option<Work>, victim: Victim| {
        let is_work = |round: &&Round| work.is_none_or(|work| round.work == work);
        let mut victims = rounds.iter().filter(is_work).map(|round| round.victim);
        victims.any(|drawn| drawn == victim)
    };
    assert!(has(None, Victim::Server) && has(None, Victim::Both));
    // Its settings are checked after both.
    let running = Some(Work::RunningServer);
    assert!(has(running, Victim::Logtrace(Signal::KILL)));
    assert!(
        [Signal::TERM, Signal::INT]
            .map(Victim::Logtrace)
            .into_iter()
            .any(|victim| has(running, victim))
    );
}

#[test]
fn each_kind_of_work_and_victim_comes_and_a_seed_repeats() {
    let rounds: Vec<Round> = (0..100).map(|number| Round::draw(1, number)).collect();
    for (work, _) in WORK {
        assert_eq!(rounds.iter().filter(|round| round.work == work).count(), 20);
    }
    let count = |victim| rounds.iter().filter(|round| round.victim == victim).count();
    let victims = [Signal::KILL, Signal::TERM, Signal::INT].map(Victim::Logtrace);
    for victim in victims.into_iter().chain([Victim::Server, Victim::Both]) {
        assert!(count(victim) >= 3, "{victim:?}");
    }
    assert_eq!(format!("{:?}", rounds[7]), format!("{:?}", Round::draw(1, 7)));
    assert_ne!(format!("{:?}", rounds[7]), format!("{:?}", Round::draw(2, 7)));
}
