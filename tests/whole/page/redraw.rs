//! How long the page takes to follow the pointer, in Firefox, on a page with as many numbers as a page can have.

use logtrace_attribution::breakdown::{
    CauseCube, CubeCell, HeatCell, HeatCells, OverTime, StackRow, StackTotals,
};
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::render::{Format, Input, render};

use super::firefox::Firefox;
use super::selection::RUN;
use crate::common::alone;

const TENTH_NS: u64 = 100_000_000;

/// Most columns of a run, and its bands of durations from about 50 us to 3 ms.
const COLUMNS: u64 = 600;
const BANDS: std::ops::Range<u16> = 28..40;

/// Stacks of a run with frames, and those of a column and a band.
const STACKS: usize = 128;
const STACKS_OF_A_BAND: usize = 14;

/// Limit on the median of the redraws, in times of what the browser takes to lay out as many plain boxes as the flame graph then has.
/// A limit in milliseconds would hold for one machine.
const LIMIT: f64 = 4.0;

/// Moves of the pointer.
const MOVES: usize = 60;

/// Drags a rectangle over more and more of the run. Returns the milliseconds of each redraw with its layout, and those of plain boxes
/// beside it.
const DRAG: &str = "const map = document.getElementById('heat-map');
    map.setPointerCapture = () => {};
    const times = [];
    const timed = (work) => {
      const start = performance.now();
      work();
      document.body.offsetHeight;
      return performance.now() - start;
    };
    const layOut = (count) => {
      const place = document.createElement('div');
      place.style.position = 'relative';
      for (let at = 0; at < count; at += 1) {
        const box = document.createElement('div');
        box.style.cssText = `position:absolute;height:1rem;left:${at % 100}%;width:1%;top:${Math.floor(at / 100)}rem`;
        place.append(box);
      }
      document.body.append(place);
      return place;
    };
    window.requestAnimationFrame = (draw) => {
      const redraw = timed(() => draw(performance.now()));
      const boxes = document.querySelectorAll('.icicle [role=treeitem]').length;
      let place;
      const plain = timed(() => { place = layOut(boxes); });
      place.remove();
      document.body.offsetHeight;
      times.push([redraw, plain, boxes]);
      return 1;
    };
    const box = map.getBoundingClientRect();
    const pointer = (type, x, y) => map.dispatchEvent(new PointerEvent(type, {
      bubbles: true, button: 0, clientX: box.left + x * box.width, clientY: box.top + y * box.height,
    }));
    pointer('pointerdown', 0.1, 0.1);
    for (let at = 1; at <= 60; at += 1) pointer('pointermove', 0.1 + 0.014 * at, 0.3 + 0.01 * at);
    return times";

fn stack(number: usize) -> StackRow {
    let waits = [
        Wait::OnCpu,
        Wait::DataWriteback,
        Wait::JournalCommit,
        Wait::DeviceFlush,
    ];
    let frames = (0..16).map(|level| format!("function_{}_of_level_{level}", number >> (16 - level).min(6)));
    StackRow {
        cause: Cause {
            who: [Who::Own, Who::Leader][number % 2],
            io: (!number.is_multiple_of(3)).then_some((FileClass::Binlog, IoOp::Fsync)),
            wait: waits[number % 4],
        },
        frames: frames.collect(),
    }
}

/// Returns a run with 100,800 cells of causes, and the commits of the real one as timelines.
fn large() -> OverTime {
    let places = || (0..COLUMNS).flat_map(|column| BANDS.map(move |band| (column, band)));
    let causes = places().flat_map(|(column, band)| {
        let first = usize::from(band) * 5 + usize::try_from(column).unwrap();
        (0..STACKS_OF_A_BAND).map(move |number| CubeCell {
            column,
            band,
            stack: (first + number * 9) % STACKS,
            ns: 1_000_000 + number as u64,
            commits: 3,
        })
    });
    let commits = places().map(|(column, band)| HeatCell {
        column,
        row: band * 4,
        count: 5,
    });
    OverTime {
        commits: HeatCells {
            column_ns: TENTH_NS,
            cells: commits.collect(),
        },
        causes: CauseCube {
            column_ns: TENTH_NS,
            stacks: (0..STACKS).map(stack).collect(),
            cells: causes.collect(),
        },
        ..RUN.over_time.clone()
    }
}

#[test]
fn a_rectangle_is_followed_in_the_time_of_a_frame() {
    let over_time = large();
    assert!(over_time.causes.cells.len() > 100_000);
    let input = Input {
        document: &RUN.document,
        stacks: &StackTotals::default(),
        over_time: Some(&over_time),
        color: false,
        all: false,
    };
    let page = render(Format::Html, input).unwrap();
    let _alone = alone();
    let mut firefox = Firefox::start();
    firefox.open(&page, "");
    let times: Vec<[f64; 3]> = serde_json::from_value(firefox.script(DRAG)).unwrap();
    assert_eq!(times.len(), MOVES);
    let [redraw, plain, boxes] = [0, 1, 2].map(|number| median(times.iter().map(|numbers| numbers[number])));
    let ratio = median(times.iter().map(|[redraw, plain, _]| redraw / plain));
    println!("a redraw takes {redraw:.1} ms, {boxes} plain boxes {plain:.1} ms: {ratio:.2}");
    assert!(
        ratio < LIMIT,
        "{ratio}: {redraw} ms, {plain} ms for {boxes} plain boxes"
    );
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
