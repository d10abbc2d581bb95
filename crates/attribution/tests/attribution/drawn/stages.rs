//! Groups of MySQL's commits in the stages of a group commit, drawn.

use super::drawing::Drawing;
use super::groups::counted;

#[test]
fn groups_that_merge_have_leaders_of_their_own_until_then() {
    // S waits for P before it syncs; L, whose group F is in, syncs the redo log meanwhile, and enters the group of S.
    let drawing = Drawing::new(
        "
        P cpu    |c=jjjjjjj===       |
        P io     | BBBBBBBB          |
        P group  | P                 |
        P commit | CCCCCCCCCC        |
        S cpu    |c==PPPPPPP=jjjj====|
        S io     |  b        BBBBB   |
        S group  | S                 |
        S commit | CCCCCCCCCCCCCCCCCC|
        L cpu    |c==dddd==SSSSSSSSr=|
        L io     |   RRRRRb          |
        L group  |  LLLLLL           |
        L commit | CCCCCCCCCCCCCCCCCC|
        F cpu    |c==SSSSSSSSSSSSSSS=|
        F group  |  LLLLLL           |
        F commit | CCCCCCCCCCCCCCCCCC|
        ",
    );
    assert_eq!(
        drawing.explained('F'),
        [
            "own on CPU 2",
            "leader redo fsync device flush 4",
            "leader redo fsync on CPU 1",
            "leader binlog write on CPU 1",
            "previous group on CPU 1",
            "leader on CPU 1",
            "leader binlog fsync journal commit 4",
            "leader binlog fsync on CPU 1",
            "leader on CPU 2",
            "own on CPU 1",
        ]
    );
    // By wake-ups alone, P's sync until S was at its own.
    assert_eq!(drawing.groups(), counted(&[2, 1], 1, 2, (1, 6)));
}

#[test]
fn a_group_waits_for_the_leader_that_syncs_it_only_after_it_is_written() {
    // L has taken its group from the flush stage and waits for R to flush the redo log, while S syncs another group.
    let drawing = Drawing::new(
        "
        R cpu    |x==dddd======      |
        R io     |   RRRRR           |
        P cpu    |c=jjjjjjj===       |
        P io     | BBBBBBBB          |
        P group  | P                 |
        P commit | CCCCCCCCCC        |
        S cpu    |c==PPPPPPP=jjjj====|
        S io     |  b        BBBBB   |
        S group  | S                 |
        S commit | CCCCCCCCCCCCCCCCCC|
        L cpu    |c==RRRRRR=SSSSSSSr=|
        L io     |         b         |
        L group  |  L                |
        L commit | CCCCCCCCCCCCCCCCCC|
        ",
    );
    let explained = drawing.explained('L');
    let expected = [
        "own on CPU 2",
        "background redo fsync device flush 4",
        "background redo fsync on CPU 1",
        "background on CPU 1",
    ];
    assert_eq!(explained[..4], expected);
    assert_eq!(drawing.groups().unwrap().merged, 1);
}

#[test]
fn a_commit_that_leads_a_group_was_in_none_before() {
    // L entered just after P took the queue, but stated it before.
    let drawing = Drawing::new(
        "
        P cpu    |c=jjjjj===c       |
        P io     | BBBBBBB          |
        P queue  | jl               |
        P commit | CCCCCCCCC        |
        L cpu    |c=P===jjjj====    |
        L io     |     BBBBB        |
        L queue  | j  l             |
        L commit | CCCCCCCCCCCCC    |
        F cpu    |c===LLLLLLLr=     |
        F queue  |   j              |
        F commit | CCCCCCCCCCCC     |
        ",
    );
    let own = drawing.explained('L');
    assert!(own.iter().all(|cause| !cause.starts_with("leader")), "{own:?}");
    let followed = "leader binlog fsync journal commit 4".to_owned();
    assert!(drawing.explained('F').contains(&followed));
}

#[test]
fn a_group_that_is_not_written_yet_is_not_synced_with_those_that_are() {
    // L is written only after S has synced.
    let drawing = Drawing::new(
        "
        S cpu    |c=====c   |
        S io     |  bB      |
        S group  | S        |
        S commit | CCCCC    |
        L cpu    |c=========|
        L io     |     bB   |
        L group  | L        |
        L commit | CCCCCCCCC|
        F cpu    |c=LLLLLLr=|
        F group  | L        |
        F commit | CCCCCCCCC|
        ",
    );
    assert_eq!(drawing.groups(), counted(&[1, 1], 0, 1, (0, 0)));
}
