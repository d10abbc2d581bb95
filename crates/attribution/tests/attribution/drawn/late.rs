//! Wakers that came late, drawn.

use super::drawing::Drawing;

#[test]
fn a_waker_that_came_later_stands_for_the_thread_that_it_queued_behind() {
    // F waits for a lock that L holds; B comes later, queues behind L too, gets the lock first and hands it on.
    let drawing = Drawing::new(
        "
        L cpu    |c=jjjjjj=====|
        L io     | BBBBBBBB    |
        L commit | CCCCCCCCCCC |
        B cpu    |ccccc=LLL====|
        B commit |     CCCCCCCC|
        F cpu    |c=BBBBBBBB===|
        F commit | CCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync journal commit 3",
            "leader on CPU 1",
            "leader binlog fsync journal commit 2",
            "leader binlog fsync on CPU 1",
            "leader on CPU 1",
            "own on CPU 2",
        ]
    );
}

#[test]
fn a_later_waker_that_queued_behind_nobody_is_all_that_is_known() {
    let drawing = Drawing::new(
        "
        B cpu    |ccccc========|
        B commit |     CCCCCCCC|
        F cpu    |c=BBBBBB=====|
        F commit | CCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "own unexplained 3",
            "leader on CPU 3",
            "own on CPU 4"
        ]
    );
}

#[test]
fn a_background_thread_that_slept_stands_for_the_thread_that_it_queued_behind() {
    // F waits for a lock that L holds; B has its time, queues behind L too, gets the lock first and does F's work too.
    let drawing = Drawing::new(
        "
        L cpu    |c=jjjjjj=====|
        L io     | BBBBBBBB    |
        L commit | CCCCCCCCCCC |
        B cpu    |ffffr=LLL====|
        F cpu    |c=BBBBBBBB===|
        F commit | CCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync journal commit 2",
            "background run queue 1",
            "background on CPU 1",
            "leader binlog fsync journal commit 2",
            "leader binlog fsync on CPU 1",
            "background on CPU 1",
            "own on CPU 2",
        ]
    );
}

#[test]
fn a_pools_thread_that_others_wake_to_sleep_on_stands_for_the_session_that_it_queued_behind() {
    // T ends the sleeps of the pool's threads; B gets work only after the second.
    let drawing = Drawing::new(
        "
        L cpu    |c=jjjjjjjj=====|
        L io     | BBBBBBBBBB    |
        L commit | CCCCCCCCCCCCC |
        T cpu    |fff=fff========|
        B cpu    |TTTTrTTTr=LL===|
        F cpu    |c=BBBBBBBBBBB==|
        F commit | CCCCCCCCCCCCC |
        ",
    );
    let explained = drawing.explained('F');
    assert!(
        explained.iter().all(|segment| !segment.contains("timer")),
        "{explained:?}"
    );
    assert!(
        explained[1].starts_with("leader binlog fsync journal commit"),
        "{explained:?}"
    );
}

#[test]
fn a_background_thread_that_queued_behind_nobody_slept() {
    let drawing = Drawing::new(
        "
        B cpu    |ttttt========|
        F cpu    |c=BBBBBB=====|
        F commit | CCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "background timer 3",
            "background on CPU 3",
            "own on CPU 4"
        ]
    );
}

#[test]
fn who_looks_again_and_again_for_redo_waits_for_the_calls_of_the_log_threads() {
    let drawing = Drawing::new(
        "
        F cpu    |==djjr=t=dddddr=|
        F io     | RRRRR  RRRRRRR |
        A cpu    |=ooooooooFFFFFFF|
        A commit |CCCCCCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "background redo fsync on CPU 1",
            "background redo fsync device flush 1",
            "background redo fsync journal commit 2",
            "background redo fsync run queue 1",
            "own redo writer thread 2",
            "background redo fsync on CPU 1",
            "background redo fsync device flush 5",
            "background redo fsync run queue 1",
            "background on CPU 1",
        ]
    );
}
