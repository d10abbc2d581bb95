//! Whom a commit can wait for, drawn.

pub(crate) mod drawing;
mod groups;
mod io;
mod late;
mod own_wait;
pub(crate) mod stacks;
mod stages;
mod turns;

use self::drawing::Drawing;

#[test]
fn a_follower_is_charged_to_its_leaders_fsync() {
    let drawing = Drawing::new(
        "
        L cpu    |c===jjjjjd====|
        L io     |   BBBBBBBB   |
        L commit | CCCCCCCCCCCC |
        F cpu    |c=LLLLLLLLLr==|
        F commit | CCCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader on CPU 1",
            "leader binlog fsync on CPU 1",
            "leader binlog fsync journal commit 5",
            "leader binlog fsync device flush 1",
            "leader binlog fsync on CPU 1",
            "own run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_leader_whose_own_commit_ends_later_is_a_leader_already() {
    let drawing = Drawing::new(
        "
        L cpu    |c==jjj====|
        L io     |  BBBBB   |
        L commit | CCCCCCCCC|
        F cpu    |c=LLLLLLr=|
        F commit | CCCCCCCC |
        ",
    );
    let explained = drawing.explained('F');
    assert_eq!(
        explained[1..4],
        [
            "leader binlog fsync on CPU 1",
            "leader binlog fsync journal commit 3",
            "leader binlog fsync on CPU 1"
        ]
    );
    assert!(
        explained.iter().all(|segment| !segment.starts_with("session")),
        "{explained:?}"
    );
}

#[test]
fn a_leader_is_a_session_until_its_commit_began() {
    let drawing = Drawing::new(
        "
        L cpu    |c=======|
        L commit |   CCCCC|
        F cpu    |c=LLLL==|
        F commit | CCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "session on CPU 1",
            "leader on CPU 3",
            "own on CPU 1"
        ]
    );
}

#[test]
fn a_lock_holder_outside_of_a_commit_is_a_session() {
    let drawing = Drawing::new(
        "
        S cpu    |c====p==|
        A cpu    |c=SSSSS=|
        A commit | CCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "session on CPU 3",
            "session run queue 1",
            "session on CPU 1",
            "own on CPU 1"
        ]
    );
}

#[test]
fn the_wait_of_a_waker_is_followed_further() {
    let drawing = Drawing::new(
        "
        W cpu    |f=dd===f=|
        W io     | RRRR    |
        L cpu    |c=WWWW===|
        L commit | CCCCCCCC|
        F cpu    |c==LLLLLr|
        F commit | CCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 2",
            "background redo fsync device flush 1",
            "background redo fsync on CPU 1",
            "background on CPU 1",
            "leader on CPU 2",
            "own run queue 1",
        ]
    );
}

#[test]
fn the_leader_of_the_group_before_is_found_through_the_groups_own() {
    let drawing = Drawing::new(
        "
        P cpu    |c=jjjjj=====|
        P io     | BBBBBBB    |
        P commit | CCCCCCCCC  |
        L cpu    |c==PPPPPPr==|
        L commit | CCCCCCCCCCC|
        F cpu    |c===LLLLLLL=|
        F commit | CCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 3",
            "leader binlog fsync journal commit 3",
            "leader binlog fsync on CPU 1",
            "leader on CPU 1",
            "leader run queue 1",
            "leader on CPU 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_convoy_after_a_broadcast_leads_back_to_the_leader() {
    // L wakes G; G wakes F, which had waited all along for what L did.
    let drawing = Drawing::new(
        "
        L cpu    |c=jjjjj===|
        L io     | BBBBBB   |
        L commit | CCCCCCC  |
        G cpu    |c=LLLLLLr=|
        G commit | CCCCCCCCC|
        F cpu    |c=GGGGGGGG|
        F commit | CCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync journal commit 5",
            "leader on CPU 1",
            "leader run queue 1",
            "leader on CPU 1",
        ]
    );
}

#[test]
fn a_wait_that_nothing_explains_says_so() {
    let drawing = Drawing::new(
        "
        A cpu    |=xxr=??=NN=|
        A commit |CCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own unexplained 2",
            "own run queue 1",
            "own on CPU 1",
            "own unexplained 2",
            "own on CPU 1",
            "own unexplained 2",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_waker_is_unknown_before_its_first_record() {
    let drawing = Drawing::new(
        "
        W cpu    |    ff==|
        A cpu    |=WWWWWW=|
        A commit |CCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own unexplained 3",
            "background timed wait 2",
            "background on CPU 1",
            "own on CPU 1"
        ]
    );
}

/// `A` is woken by the first of `length` threads, that by the second and so on, each a cell later than its waker; the
/// last one syncs the redo log before it wakes the first.
fn chain(length: u32) -> Vec<String> {
    let thread = |at: u32| char::from_u32(0x4e00 + at).unwrap();
    let cells = length as usize + 3;
    let mut text = format!(
        "A cpu |c{}=|\nA commit | {}|\n",
        thread(1).to_string().repeat(cells),
        "C".repeat(cells)
    );
    for at in 1..length {
        let waits = cells - at as usize;
        let name = thread(at);
        text += &format!(
            "{name} cpu |c{}{}|\n",
            thread(at + 1).to_string().repeat(waits),
            "=".repeat(at as usize + 1)
        );
    }
    let name = thread(length);
    text += &format!("{name} cpu |cdd{}|\n{name} io |RRRR|\n", "=".repeat(cells - 1));
    Drawing::new(&text).explained('A')
}

#[test]
fn a_convoy_as_long_as_a_large_group_is_followed_to_its_head() {
    assert_eq!(chain(256)[0], "session redo fsync device flush 2");
}

#[test]
fn a_chain_is_not_followed_without_end() {
    assert_eq!(chain(257)[0], "own unexplained 4");
}

#[test]
fn a_thread_of_which_records_may_be_missing_is_not_said_to_run() {
    let drawing = Drawing::new(
        "
        - lost   |      LL          |
        L cpu    |c==jjj=====jj==== |
        L io     |  BBBBB  BBBBBB   |
        L commit | CCCCCCCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('L'),
        [
            "own on CPU 1",
            "own binlog fsync on CPU 1",
            "own binlog fsync journal commit 3",
            "own unexplained 3",
            "own binlog fsync on CPU 2",
            "own binlog fsync journal commit 2",
            "own binlog fsync on CPU 2",
            "own on CPU 2",
        ]
    );
}

#[test]
fn what_the_receiver_of_acknowledgements_waits_for_is_the_replica() {
    let drawing = Drawing::new(
        "
        K acks   |          |
        K cpu    |=cccccr===|
        A cpu    |c=KKKKKKr=|
        A commit | CCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "background semisync ACK 4",
            "background run queue 1",
            "background on CPU 1",
            "own run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_group_waits_for_the_acknowledgement_that_its_leader_waits_for() {
    let drawing = Drawing::new(
        "
        K acks   |             |
        K cpu    |=ccccccc=====|
        L cpu    |c==KKKKKK=== |
        L commit | CCCCCCCCCCC |
        F cpu    |c=LLLLLLLLL==|
        F commit | CCCCCCCCCCC |
        ",
    );
    let explained = drawing.explained('F');
    assert_eq!(
        explained[1..4],
        [
            "leader on CPU 1",
            "background semisync ACK 5",
            "background on CPU 1"
        ]
    );
}

#[test]
fn a_session_that_waits_for_its_client_is_no_receiver_of_acknowledgements() {
    let drawing = Drawing::new(
        "
        S cpu    |=ccccc====|
        A cpu    |c=SSSSSSr=|
        A commit | CCCCCCCCC|
        ",
    );
    assert_eq!(drawing.explained('A')[1], "own unexplained 4");
}
