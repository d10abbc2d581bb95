//! Waits in turns, drawn: all are one wait, and who ends the last ends all.

use super::drawing::Drawing;

#[test]
fn a_lock_is_one_sessions_however_often_the_waiter_looks_at_its_client() {
    let drawing = Drawing::new(
        "
        S cpu    |ccccccccccccr==|
        A cpu    |c=fff=fff=SSS==|
        A in     |  mmm mmm mmm  |
        A commit | CCCCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "session metadata lock 3",
            "own on CPU 1",
            "session metadata lock 3",
            "own on CPU 1",
            "session metadata lock 3",
            "own on CPU 2",
        ]
    );
}

#[test]
fn a_stop_for_something_else_between_two_turns_does_not_end_the_wait() {
    let drawing = Drawing::new(
        "
        S cpu    |ccccccccccccr==|
        B cpu    |===============|
        A cpu    |c=fff=BB=SSS===|
        A in     |  mmm    mmm   |
        A commit | CCCCCCCCCCCCCC|
        ",
    );
    let explained = drawing.explained('A');
    assert_eq!(explained[1], "session metadata lock 3", "{explained:?}");
    assert!(
        explained[3..].contains(&"session metadata lock 3".to_owned()),
        "{explained:?}"
    );
}

#[test]
fn a_lock_that_is_not_given_back_is_the_waiters_own() {
    let drawing = Drawing::new(
        "
        A cpu    |c=fff=fff====ttt=|
        A in     |  mmm mmm        |
        A commit | CCCCCCCCCCCCCCCC|
        ",
    );
    assert_eq!(drawing.explained('A')[1], "own metadata lock 3");
}

#[test]
fn who_waits_for_its_turn_waits_for_what_the_one_in_front_waits_for() {
    let drawing = Drawing::new(
        "
        S cpu    |cccccccccr=====|
        W cpu    |c=SSSSSSSS=====|
        W in     |  kkkkkkkk     |
        W commit |           CCCC|
        A cpu    |c=fff=fff=WWW==|
        A in     |  qqq qqq qqq  |
        A commit | CCCCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "session row lock 3",
            "own on CPU 1",
            "session row lock 3",
            "own on CPU 1",
            "session on CPU 1",
            "leader on CPU 2",
            "own on CPU 2",
        ]
    );
}

#[test]
fn a_log_thread_that_looks_for_what_another_one_does_waits_for_its_calls() {
    let drawing = Drawing::new(
        "
        F cpu    |====ddd====|
        F io     |   RRRRR   |
        N cpu    |ffffffffr==|
        N in     |nnnnnnnn   |
        A cpu    |c=NNNNNNNN=|
        A commit | CCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "background redo writer thread 1",
            "background redo fsync on CPU 1",
            "background redo fsync device flush 3",
            "background redo fsync on CPU 1",
            "background run queue 1",
            "background on CPU 1",
            "own on CPU 1",
        ]
    );
}
