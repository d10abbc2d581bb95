//! Colour of each wait, the same in all reports.

use crate::causes::Wait;
use crate::causes::kind::WaitKind;

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// Returns a colour in HTML.
pub fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Writing of logs of the server.
const LOG: Rgb = (0x1b, 0x90, 0xd6);
/// Pages and space of the engine's files.
const PAGES: Rgb = (0x5b, 0x53, 0xad);
/// Locks between sessions.
const LOCK: Rgb = (0x77, 0x1d, 0xc0);
/// Group commit and its stages.
const GROUP: Rgb = (0x69, 0x1f, 0x4c);
/// Redo of other transactions.
const OTHER_REDO: Rgb = (0xc6, 0x11, 0x9b);
/// Latches inside a storage engine.
const LATCH: Rgb = (0xfb, 0x44, 0xce);
/// Waits for a time.
const TIME: Rgb = (0xae, 0x3c, 0xcb);
/// Functions without a rule, and the client.
const OTHER: Rgb = (0xab, 0x1f, 0x72);
/// Replication and clusters.
const REPLICATION: Rgb = (0x92, 0x05, 0x0e);

impl WaitKind {
    /// Returns the colour, which is that of one of its waits.
    pub fn color(self) -> Rgb {
        match self {
            Self::Storage => Wait::JournalCommit.color(),
            Self::Cpu => Wait::OnCpu.color(),
            Self::Scheduling => Wait::RunQueueLoad.color(),
            Self::Transactions => LOCK,
            Self::Replication => REPLICATION,
            Self::Unexplained => Wait::Unexplained.color(),
        }
    }
}

impl Wait {
    /// Returns the colour: a shade of that of its kind. Storage is blue, CPU green, scheduling yellow to brown, other
    /// transactions purple, replication red, and unexplained time grey. It stands out on light and on dark pages. The most
    /// frequent waits can be told apart with any colour vision. Waits in functions of the server share a shade. The match has
    /// no catch-all: a new wait does not compile without a colour.
    pub fn color(self) -> Rgb {
        match self {
            Self::OnCpu => (0x2c, 0xa6, 0x67),
            Self::RunQueue => (0x80, 0x6e, 0x04),
            Self::WakeUp => (0xfb, 0xc1, 0x88),
            Self::RunQueueLoad => (0xf6, 0xa7, 0x38),
            Self::RunQueueLogtrace => (0xd1, 0x7e, 0x0e),
            Self::RunQueueKernel => (0x75, 0x5a, 0x04),
            Self::RunQueueProcess => (0xa1, 0x7a, 0x3b),
            Self::Throttled => (0xec, 0x8b, 0x19),
            Self::Stopped => (0xcb, 0xac, 0x69),
            Self::DataWriteback => (0x3f, 0xe0, 0xfc),
            Self::JournalCommit => (0x51, 0xb2, 0xfe),
            Self::FlushQueue => (0x67, 0x5c, 0xfd),
            Self::DeviceFlush => (0x89, 0x84, 0xb7),
            Self::DeviceIo => (0x25, 0x62, 0x83),
            Self::FileSystemLock => (0x0d, 0x35, 0x86),
            Self::FileServer => (0x6e, 0x5f, 0xc2),
            Self::JournalSpace => (0x0e, 0x77, 0x8c),
            Self::DirtyThrottling => (0x50, 0x44, 0x97),
            Self::BlockThrottling => (0x78, 0xa0, 0xd5),
            Self::MemoryReclaim => (0x7b, 0x81, 0xf1),
            Self::FileMetadata => (0x51, 0xcb, 0xe9),
            Self::Unclassified => (0x38, 0x48, 0xdf),
            Self::FileIo => (0x79, 0x6d, 0xdb),
            Self::AsyncIo => (0x27, 0x85, 0x9b),
            Self::SemisyncAck => (0x8b, 0x4d, 0x4e),
            Self::Unexplained => (0xae, 0xb0, 0xb3),
            Self::RedoFlush | Self::RedoWriter | Self::RedoSpace | Self::LogBufferSpace | Self::AriaLog => {
                LOG
            }
            Self::FreePage | Self::Doublewrite | Self::FileExtension | Self::DiskFull => PAGES,
            Self::CommitLock
            | Self::QueryLogLock
            | Self::RowLock
            | Self::AutoIncrementLock
            | Self::MetadataLock
            | Self::GlobalReadLock
            | Self::BackupLock
            | Self::FlushTables
            | Self::TableLock
            | Self::TableCache
            | Self::QueryCache => LOCK,
            Self::GroupLeader | Self::CommitStage | Self::BinlogRotation | Self::GtidState => GROUP,
            Self::RedoCopy | Self::RedoLocked | Self::RedoWindow => OTHER_REDO,
            Self::PageLatch
            | Self::InnodbQueue
            | Self::PurgeLag
            | Self::AdaptiveHash
            | Self::Dictionary
            | Self::UndoLatch
            | Self::LockSystem
            | Self::InnodbLatch
            | Self::InnodbWait => LATCH,
            Self::Timer | Self::TimedWait | Self::GroupDelay => TIME,
            Self::ServerFunction | Self::Client => OTHER,
            Self::CommitOrder | Self::GroupReplication | Self::FlowControl | Self::Galera => REPLICATION,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::IntoEnumIterator;

    use super::*;

    /// Waits that take most of the time of most runs, so that their colours meet in a picture.
    const FREQUENT: [Wait; 13] = [
        Wait::OnCpu,
        Wait::RunQueue,
        Wait::WakeUp,
        Wait::DataWriteback,
        Wait::JournalCommit,
        Wait::FlushQueue,
        Wait::DeviceFlush,
        Wait::DeviceIo,
        Wait::FileSystemLock,
        Wait::RowLock,
        Wait::GroupLeader,
        Wait::CommitOrder,
        Wait::Unexplained,
    ];

    type Matrix = [[f64; 3]; 3];

    /// Matrices from linear red, green and blue to what eyes without one kind of cones see of them (Machado, Oliveira, Fernandes: A Physiologically-based
    /// Model for Simulation of Color Vision Deficiency, 2009, severity 1): usual eyes, and those without red, green and blue.
    const EYES: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    /// Matrices from linear red, green and blue to cones, and from the cubic roots of these to lightness and two axes of colour (Ottosson:
    /// A perceptual color space for image processing, 2020).
    const CONES: Matrix = [
        [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
        [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
        [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
    ];
    const OKLAB: Matrix = [
        [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
        [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
        [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
    ];

    fn times(matrix: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 3] {
        matrix.map(|[a, b, c]| a * x + b * y + c * z)
    }

    /// IEC 61966-2-1.
    fn linear((red, green, blue): Rgb) -> [f64; 3] {
        [red, green, blue].map(|byte| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    fn seen(color: Rgb, eyes: &Matrix) -> [f64; 3] {
        let light = times(eyes, linear(color)).map(|share| share.clamp(0.0, 1.0));
        times(&OKLAB, times(&CONES, light).map(f64::cbrt))
    }

    fn distance(one: &[f64; 3], other: &[f64; 3]) -> f64 {
        let squares = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    }

    #[test]
    fn frequent_waits_can_be_told_apart_with_any_colour_vision() {
        for eyes in EYES {
            let colors = FREQUENT.map(|wait| seen(wait.color(), &eyes));
            for (at, one) in colors.iter().enumerate() {
                for (other_at, other) in colors.iter().enumerate().skip(at + 1) {
                    let distance = distance(one, other);
                    let pair = (FREQUENT[at], FREQUENT[other_at]);
                    assert!(distance >= 0.1, "{pair:?}: {distance:.3} with {eyes:?}");
                }
            }
        }
    }

    #[test]
    fn waits_for_a_cpu_can_be_told_apart_and_from_storage() {
        let waits: Vec<Wait> = Wait::iter().filter(|wait| wait.is_for_cpu()).collect();
        for eyes in EYES {
            for (at, &one) in waits.iter().enumerate() {
                for &other in waits[..at].iter().chain(&[Wait::DataWriteback]) {
                    let distance = distance(&seen(one.color(), &eyes), &seen(other.color(), &eyes));
                    assert!(
                        distance >= 0.05,
                        "{one:?}, {other:?}: {distance:.3} with {eyes:?}"
                    );
                }
            }
        }
    }

    /// Luminances of light and of dark pages: crates/report/templates/report.css.
    const PAPERS: [f64; 2] = [1.0, 0.009];

    #[test]
    fn colors_stand_out_on_light_and_on_dark_pages() {
        for wait in Wait::iter() {
            let [red, green, blue] = linear(wait.color());
            let light = 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
            for paper in PAPERS.map(|paper| paper + 0.05) {
                let contrast = f64::max(light / paper, paper / light);
                assert!(contrast >= 1.5, "{wait:?}: {contrast:.2}");
            }
        }
    }

    /// Returns the hue in degrees, or `None` for grey.
    fn hue(color: Rgb) -> Option<f64> {
        let [_, a, b] = seen(color, &EYES[0]);
        (a.hypot(b) > 0.03).then(|| b.atan2(a).to_degrees().rem_euclid(360.0))
    }

    #[test]
    fn a_wait_has_the_hue_of_its_kind() {
        for wait in Wait::iter() {
            let hues = match wait.kind() {
                WaitKind::Storage => 205.0..290.0,
                WaitKind::Cpu => 135.0..180.0,
                WaitKind::Scheduling => 50.0..110.0,
                WaitKind::Transactions => 298.0..356.0,
                WaitKind::Replication => 14.0..44.0,
                WaitKind::Unexplained => {
                    assert_eq!(hue(wait.color()), None, "{wait:?} is not grey");
                    continue;
                }
            };
            let hue = hue(wait.color());
            assert!(hue.is_some_and(|hue| hues.contains(&hue)), "{wait:?}: {hue:?}");
        }
    }

    #[test]
    fn waits_in_functions_of_the_server_share_nine_colors() {
        let of_the_server = [
            LOG,
            PAGES,
            LOCK,
            GROUP,
            OTHER_REDO,
            LATCH,
            TIME,
            OTHER,
            REPLICATION,
        ];
        let (shared, own): (Vec<Rgb>, Vec<Rgb>) = Wait::iter()
            .map(Wait::color)
            .partition(|color| of_the_server.contains(color));
        assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len());
        assert_eq!(
            shared.into_iter().collect::<BTreeSet<_>>().len(),
            of_the_server.len()
        );
    }
}
