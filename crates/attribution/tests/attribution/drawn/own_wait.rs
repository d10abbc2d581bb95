//! Waits that the thread which ended them did not cause, drawn.

use super::drawing::Drawing;

#[test]
fn a_wait_for_a_number_of_commits_is_not_what_the_last_one_did_before() {
    // B slept in a statement and then waited for its client; its commit is the second of two.
    let drawing = Drawing::new(
        "
        B cpu    |cttttccccccr====|
        B commit |            CCC |
        A cpu    |c=BBBBBBBBBBBB==|
        A in     |  gggggggggggg  |
        A commit | CCCCCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        ["own on CPU 1", "own group commit delay 12", "own on CPU 1"]
    );
}

#[test]
fn a_follower_waits_for_its_leaders_delay() {
    let drawing = Drawing::new(
        "
        B cpu    |cccccccccccr====|
        B commit |            CCC |
        A cpu    |c=BBBBBBBBBBBB==|
        A in     |  gggggggggggg  |
        A commit | CCCCCCCCCCCCCC |
        F cpu    |c==AAAAAAAAAAA= |
        F commit | CCCCCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        ["own on CPU 2", "leader group commit delay 11", "own on CPU 1"]
    );
}

#[test]
fn a_wait_for_a_replica_that_a_session_ends_is_one_for_the_replica() {
    let drawing = Drawing::new(
        "
        S cpu    |cccccccccr===|
        A cpu    |c=SSSSSSSSSr=|
        A in     |  aaaaaaaaa  |
        A commit | CCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own semisync ACK 9",
            "own run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_stage_was_held_by_nobody_who_had_not_begun_its_commit() {
    // Nothing says who had the stage until B came.
    let drawing = Drawing::new(
        "
        B cpu    |cccttt=jjj==|
        B io     |      BBBBB |
        B commit |      CCCCCC|
        A cpu    |c=BBBBBBBBB=|
        A in     |  sssssssss |
        A commit | CCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own commit stage 4",
            "leader binlog fsync on CPU 1",
            "leader binlog fsync journal commit 3",
            "leader binlog fsync on CPU 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn who_waits_for_its_client_keeps_nobody_waiting() {
    // B is in no commit: it had the stage for a statement of another kind.
    let drawing = Drawing::new(
        "
        B cpu    |ccccccr=====|
        A cpu    |c=BBBBBBBBB=|
        A in     |  sssssssss |
        A commit | CCCCCCCCCCC|
        F cpu    |c==AAAAAAAAA|
        F commit | CCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 2",
            "leader commit stage 3",
            "session run queue 1",
            "session on CPU 4",
            "leader on CPU 1",
        ]
    );
}
