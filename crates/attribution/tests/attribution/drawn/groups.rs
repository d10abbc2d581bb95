//! Groups of commits as the server states them, drawn.

use logtrace_attribution::breakdown::{Disagreements, Groups};
use logtrace_attribution::timelines::Timelines;
use logtrace_events::Member;

use super::drawing::Drawing;

/// Returns the totals of groups of these sizes. Wake-ups alone charge `cells` of `commits` to other threads.
pub(crate) fn counted(sizes: &[u64], merged: u64, led: u64, (commits, cells): (u64, u64)) -> Option<Groups> {
    Some(Groups {
        count: sizes.iter().sum(),
        members: sizes.iter().zip(1..).map(|(groups, size)| groups * size).sum(),
        sizes: sizes.to_vec(),
        merged,
        led,
        disagreements: Disagreements {
            commits,
            total: 10 * cells,
        },
    })
}

#[test]
fn a_member_that_a_broadcast_woke_waited_for_its_own_leader() {
    // P wakes all that wait, F too, which goes on waiting for its own leader L.
    let drawing = Drawing::new(
        "
        P cpu    |c=jjjjj===c       |
        P io     | BBBBBBB          |
        P group  | P                |
        P commit | CCCCCCCCC        |
        L cpu    |c===dddd==jjjj====|
        L io     |    RRRRR BBBBB   |
        L group  |  LL              |
        L commit | CCCCCCCCCCCCCCCCC|
        F cpu    |c==PPPPPP=LLLLLLr=|
        F group  |  LL              |
        F commit | CCCCCCCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 2",
            "leader on CPU 1",
            "leader redo fsync device flush 4",
            "leader redo fsync on CPU 1",
            "own on CPU 1",
            "leader binlog fsync journal commit 4",
            "leader binlog fsync on CPU 1",
            "leader on CPU 1",
            "own run queue 1",
            "own on CPU 1",
        ]
    );
    assert_eq!(drawing.groups(), counted(&[1, 1], 0, 1, (1, 6)));
}

#[test]
fn the_work_of_a_group_in_front_is_told_from_that_of_the_own() {
    let drawing = Drawing::new(
        "
        P cpu    |c=jjjjj====       |
        P io     | BBBBBBB          |
        P group  | PP               |
        P commit | CCCCCCCCC        |
        L cpu    |c==PPPPPP=jjjj====|
        L io     |          BBBBB   |
        L group  |  LLLLLLLL        |
        L commit | CCCCCCCCCCCCCCCCC|
        F cpu    |c===LLLLLLLLLLLLr=|
        F group  |    LLLLLL        |
        F commit | CCCCCCCCCCCCCCCCC|
        ",
    );
    let in_front = [
        "previous group binlog fsync journal commit 3",
        "previous group binlog fsync on CPU 1",
        "previous group on CPU 1",
    ];
    assert_eq!(drawing.explained('F')[1..4], in_front);
    let own = [
        "leader on CPU 1",
        "leader binlog fsync journal commit 4",
        "leader binlog fsync on CPU 1",
        "leader on CPU 1",
    ];
    assert_eq!(drawing.explained('F')[4..8], own);
    assert_eq!(
        drawing.explained('L')[1],
        "previous group binlog fsync journal commit 4"
    );
    assert_eq!(drawing.groups(), counted(&[1, 1], 0, 1, (0, 0)));
}

#[test]
fn before_a_commit_has_entered_its_group_nobody_is_in_front() {
    // A redo log that is made durable by whoever comes first, and a group after that.
    let drawing = Drawing::new(
        "
        P cpu    |c=dddd=====|
        P io     | RRRRRR    |
        P group  |       P   |
        P commit | CCCCCCCCC |
        F cpu    |c=PPPPP====|
        F group  |        F  |
        F commit | CCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader redo fsync device flush 4",
            "leader redo fsync on CPU 1",
            "own on CPU 4"
        ]
    );
}

#[test]
fn a_lock_that_members_pass_on_after_their_leader_woke_them_is_waited_for() {
    let drawing = Drawing::new(
        "
        L cpu    |c=jjjjj===c |
        L io     | BBBBBB     |
        L group  | L          |
        L commit | CCCCCCCC   |
        G cpu    |c=LLLLLr====|
        G group  | L          |
        G commit | CCCCCCCCCCC|
        F cpu    |c=LLLLL=GGG=|
        F group  | L          |
        F commit | CCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync journal commit 5",
            "own on CPU 1",
            "leader on CPU 3",
            "own on CPU 1"
        ]
    );
    assert_eq!(drawing.groups(), counted(&[0, 0, 1], 0, 2, (0, 0)));
}

#[test]
fn a_leader_that_waits_for_a_lock_of_its_own_member_waits_for_what_that_does() {
    // P woke G, who is of the next group, and holds a lock for a moment.
    let drawing = Drawing::new(
        "
        P cpu    |c=====cccccccc|
        P group  | P            |
        P commit | CCCCC        |
        L cpu    |c==GGGG=jjj===|
        L io     |       BBBBB  |
        L group  | L            |
        L commit | CCCCCCCCCCCCC|
        G cpu    |c=PPP==LLLLLL=|
        G group  | L            |
        G commit | CCCCCCCCCCCCC|
        F cpu    |c=LLLLLLLLLLL=|
        F group  | L            |
        F commit | CCCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader on CPU 1",
            "previous group on CPU 2",
            "leader on CPU 2",
            "leader binlog fsync on CPU 1",
            "leader binlog fsync journal commit 3",
            "leader binlog fsync on CPU 1",
            "leader on CPU 1",
            "own on CPU 1",
        ]
    );
    assert_eq!(drawing.groups(), counted(&[1, 0, 1], 0, 2, (1, 1)));
}

#[test]
fn statements_that_lead_in_a_circle_end_at_the_wake_ups() {
    // L waits for X, which is in no group and waits for M, whom L leads.
    let drawing = Drawing::new(
        "
        Z cpu    |c=========|
        X cpu    |c=MMMMM===|
        L cpu    |c=XXXXXX==|
        L group  | L        |
        L commit | CCCCCCCCC|
        M cpu    |c=ZZZZ====|
        M group  | L        |
        M commit | CCCCCCCCC|
        F cpu    |c=LLLLLLL=|
        F group  | L        |
        F commit | CCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "session on CPU 4",
            "leader on CPU 1",
            "session on CPU 1",
            "leader on CPU 1",
            "own on CPU 1",
        ]
    );
    assert_eq!(drawing.groups(), counted(&[0, 0, 1], 0, 2, (0, 0)));
}

#[test]
fn a_leader_whose_commit_has_ended_leads_no_more() {
    // F waits for a lock while L is at its work, and gets it from G when L is long gone.
    let drawing = Drawing::new(
        "
        L cpu    |c=jjjjj=cccc|
        L io     | BBBBBB     |
        L group  | L          |
        L commit | CCCCCCC    |
        G cpu    |c===========|
        G commit | CCCCCCCCCCC|
        F cpu    |c=GGGGGGGG==|
        F group  | L          |
        F commit | CCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync journal commit 5",
            "leader on CPU 1",
            "leader on CPU 2",
            "own on CPU 2"
        ]
    );
    assert_eq!(drawing.groups(), counted(&[0, 1], 0, 1, (1, 6)));
}

#[test]
fn what_a_leader_does_since_its_last_record_is_not_known() {
    // L is blocked, and its record comes only when F has committed long since.
    let drawing = Drawing::new(
        "
        L cpu    |c=jjj=CCCCCCCCC=|
        L io     | BBBB           |
        L group  | L              |
        L commit | CCCCCCCCCCCCCCC|
        C cpu    |c===============|
        C commit | CCCCCCCCCCCCCCC|
        F cpu    |c=CCCCCCCCC==   |
        F group  | L              |
        F commit | CCCCCCCCCCCC   |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync journal commit 3",
            "leader on CPU 6",
            "own on CPU 2"
        ]
    );
    assert_eq!(drawing.groups(), counted(&[0, 1], 0, 1, (1, 3)));
}

#[test]
fn a_group_that_nobody_states_is_not_counted() {
    let drawing = Drawing::new(
        "
        A cpu    |c==|
        A commit | CC|
        ",
    );
    assert_eq!(drawing.groups(), None);
}

#[test]
fn statements_that_contradict_each_other_are_refused() {
    let member = Member {
        tid: 7,
        leader: 8,
        leader_commit_ns: Some(10),
        entered_ns: 20,
        at_ns: 30,
    };
    let mut timelines = Timelines::new(1);
    assert!(timelines.push_member(&member).is_ok());
    assert!(timelines.push_member(&member).is_err(), "the same again");
}
