//! What a commit can wait for in a system call, drawn.

use logtrace_attribution::explain::Frames;

use super::drawing::Drawing;

#[test]
fn an_own_fsync_is_split_into_what_it_waited_for() {
    let drawing = Drawing::new(
        "
        A cpu    |==wwr=djjr=p=|
        A io     |  BBBBBBBBB  |
        A commit | CCCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own binlog fsync data writeback 2",
            "own binlog fsync run queue 1",
            "own binlog fsync on CPU 1",
            "own binlog fsync device flush 1",
            "own binlog fsync journal commit 2",
            "own binlog fsync run queue 1",
            "own binlog fsync on CPU 1",
            "own run queue 1",
        ]
    );
}

#[test]
fn a_write_that_syncs_its_data_itself_is_split_like_an_fsync() {
    // A file that is open with O_DSYNC: the kernel syncs it inside the write.
    let drawing = Drawing::new(
        "
        A cpu    |==wdjr==|
        A io     | bbbbbb |
        A commit |CCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own binlog write on CPU 1",
            "own binlog write data writeback 1",
            "own binlog write device flush 1",
            "own binlog write journal commit 1",
            "own binlog write run queue 1",
            "own binlog write on CPU 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn the_waits_of_a_call_that_reads_have_its_file_and_the_rest_of_it_runs() {
    let drawing = Drawing::new(
        "
        A cpu    |==iiir=iir==|
        A io     |  DDDD DDD  |
        A commit | CCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own data read device I/O 3",
            "own data read run queue 1",
            "own on CPU 1",
            "own data read device I/O 2",
            "own data read run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn who_waits_for_a_page_that_another_session_reads_waits_for_its_read() {
    let drawing = Drawing::new(
        "
        L cpu    |c=iiiir=====|
        L io     |  DDDDD     |
        A cpu    |c==LLLLLr===|
        A commit | CCCCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 2",
            "session data read device I/O 3",
            "session data read run queue 1",
            "session on CPU 1",
            "own run queue 1",
            "own on CPU 2",
        ]
    );
}

#[test]
fn a_flush_that_waits_for_another_one_is_queued_and_then_the_devices() {
    let drawing = Drawing::new(
        "
        A cpu    |==ddddddr=|
        A io     | BBBBBBBB |
        A commit |CCCCCCCCCC|
        D flush  |FFFF FFF  |
        E flush  |    FF    |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own binlog fsync on CPU 1",
            "own binlog fsync flush queue 2",
            "own binlog fsync device flush 4",
            "own binlog fsync run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_flush_queued_by_a_leader_is_charged_to_its_followers_too() {
    let drawing = Drawing::new(
        "
        L cpu    |c=ddddd=====|
        L io     |  BBBBBB    |
        L commit | CCCCCCCCCC |
        F cpu    |c=LLLLLLLr==|
        F commit | CCCCCCCCCC |
        D flush  |FFF FFF     |
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 1",
            "leader binlog fsync flush queue 1",
            "leader binlog fsync device flush 4",
            "leader binlog fsync on CPU 1",
            "leader on CPU 1",
            "own run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_block_in_io_without_a_known_stack_is_unclassified_whoever_woke_it() {
    let drawing = Drawing::new(
        "
        A cpu    |=un=Ö?|
        A io     |bbbbbb|
        A commit |CCCCCC|
        Ö cpu    |p=====|
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own binlog write on CPU 1",
            "own binlog write unclassified 1",
            "own binlog write unclassified 1",
            "own binlog write on CPU 1",
            "own binlog write unclassified 2",
        ]
    );
}

#[test]
fn redo_that_a_background_thread_syncs_is_background_work() {
    let drawing = Drawing::new(
        "
        W cpu    |f=ddr===f=|
        W io     | RRRRR    |
        A cpu    |c=WWWWWr==|
        A commit | CCCCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "background redo fsync device flush 2",
            "background redo fsync run queue 1",
            "background redo fsync on CPU 1",
            "background on CPU 1",
            "own run queue 1",
            "own on CPU 1",
        ]
    );
}

#[test]
fn timers_clients_and_asynchronous_io_are_causes_of_their_own() {
    let drawing = Drawing::new(
        "
        A cpu    |=ttr=ff=c=aa=|
        A commit |CCCCCCCCCCCCC|
        ",
    );
    let waits: Vec<String> = drawing
        .explained('A')
        .into_iter()
        .filter(|words| !words.contains("on CPU"))
        .collect();
    assert_eq!(
        waits,
        [
            "own timer 2",
            "own run queue 1",
            "own timed wait 2",
            "own client 1",
            "own async I/O 2"
        ]
    );
}

#[test]
fn a_system_call_that_began_before_the_commit_counts_from_its_start() {
    let drawing = Drawing::new(
        "
        A cpu    |=jjjj=====|
        A io     |BBBBBB    |
        A commit |   CCCCCC |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own binlog fsync journal commit 2",
            "own binlog fsync on CPU 1",
            "own on CPU 3"
        ]
    );
}

#[test]
fn segments_carry_the_stack_of_their_block() {
    let drawing = Drawing::new(
        "
        A cpu    |=jj=dd=|
        A io     |BBBBBBB|
        A commit |CCCCCCC|
        ",
    );
    let stacks: Vec<Option<Frames>> = drawing
        .segments('A')
        .iter()
        .map(|segment| segment.frames)
        .collect();
    assert_eq!(
        stacks,
        [None, Some(Frames::Kernel(1)), None, Some(Frames::Kernel(2)), None]
    );
}

#[test]
fn a_lock_of_a_file_is_the_call_of_the_thread_that_holds_it() {
    let drawing = Drawing::new(
        "
        L cpu    |c===jjjjjj=======|
        L io     |   BBBBBBBBBB    |
        L commit |  CCCCCCCCCCCCC  |
        A cpu    |==LLLLLLLLL======|
        A io     | bbbbbbbbbbbbb   |
        A commit |CCCCCCCCCCCCCCC  |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own binlog write on CPU 1",
            "own binlog write file system lock 1",
            "leader binlog fsync on CPU 1",
            "leader binlog fsync journal commit 6",
            "leader binlog fsync on CPU 1",
            "own binlog write on CPU 3",
            "own on CPU 1",
        ]
    );
}

#[test]
fn a_lock_that_is_released_outside_of_a_call_is_only_a_lock() {
    let drawing = Drawing::new(
        "
        L cpu    |c================|
        A cpu    |==LLLLLLLLL======|
        A io     | bbbbbbbbbbbbb   |
        A commit |CCCCCCCCCCCCCCC  |
        ",
    );
    assert_eq!(
        drawing.explained('A'),
        [
            "own on CPU 1",
            "own binlog write on CPU 1",
            "own binlog write file system lock 9",
            "own binlog write on CPU 3",
            "own on CPU 1",
        ]
    );
}
