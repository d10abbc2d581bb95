//! Colour of each wait, the same in all reports.

use crate::causes::cause::Wait;
use crate::causes::rgb::Rgb;

/// Redo log.
const REDO: Rgb = (0x2f, 0x9e, 0xc4);
/// Binary log and group commit.
const BINLOG: Rgb = (0x3d, 0x7a, 0xd1);
/// Replication and clusters.
const REPLICATION: Rgb = (0x6a, 0x74, 0xd8);
/// Locks between sessions.
const LOCK: Rgb = (0xb0, 0x5f, 0xd0);
/// Inside a storage engine.
const ENGINE: Rgb = (0x8d, 0x6f, 0x4a);
/// Functions without a rule.
const OTHER: Rgb = (0xb8, 0x9d, 0x3a);

impl Wait {
    /// Returns the colour. It stands out on white and on black. The ten most frequent waits can be told apart with any colour
    /// vision. Waits in functions of the server share the colour of their kind.
    #[expect(
        clippy::too_many_lines,
        reason = "a match without a catch-all: a new wait does not compile without a colour"
    )]
    pub fn color(self) -> Rgb {
        match self {
            Self::OnCpu => (0x2c, 0xe2, 0xcc),
            Self::RunQueue => (0xa7, 0x9b, 0x0f),
            Self::DataWriteback => (0xda, 0xc6, 0x60),
            Self::JournalCommit => (0x77, 0x19, 0x00),
            Self::FlushQueue => (0x47, 0x09, 0xb1),
            Self::DeviceFlush => (0x8f, 0xa5, 0xff),
            Self::DeviceIo => (0x19, 0x75, 0xf9),
            Self::FileSystemLock => (0xce, 0x59, 0x9d),
            Self::FileServer => (0x1f, 0x5c, 0x8a),
            Self::WakeUp => (0x0c, 0x7b, 0x20),
            Self::RunQueueLoad => (0x96, 0x8e, 0x2c),
            Self::RunQueueLogtrace => (0x83, 0x7d, 0x48),
            Self::RunQueueKernel => (0x8d, 0x83, 0x20),
            Self::RunQueueProcess => (0x75, 0x6d, 0x12),
            Self::Throttled => (0x5a, 0x54, 0x10),
            Self::JournalSpace => (0xb9, 0x3d, 0x3d),
            Self::DirtyThrottling => (0xd9, 0x7e, 0x5a),
            Self::BlockThrottling => (0x96, 0x4c, 0x2e),
            Self::MemoryReclaim => (0x9c, 0x3d, 0x5e),
            Self::Stopped => (0x3b, 0x3f, 0x46),
            Self::FileMetadata => (0xa8, 0x4a, 0x98),
            Self::Unclassified => (0x8c, 0x7a, 0x66),
            Self::FileIo => (0x4a, 0x7d, 0x9c),
            Self::AsyncIo => (0x2f, 0x9e, 0x9a),
            Self::Timer => (0xcd, 0xb2, 0x1c),
            Self::Client => (0x72, 0x87, 0xad),
            Self::SemisyncAck => (0x4f, 0x5d, 0xc4),
            Self::Unexplained => (0x60, 0x4f, 0x62),
            Self::TimedWait | Self::ServerFunction => OTHER,
            Self::RedoCopy
            | Self::RedoFlush
            | Self::RedoWriter
            | Self::RedoSpace
            | Self::RedoLocked
            | Self::LogBufferSpace
            | Self::RedoWindow => REDO,
            Self::GroupLeader
            | Self::CommitStage
            | Self::GroupDelay
            | Self::BinlogRotation
            | Self::CommitOrder
            | Self::GtidState => BINLOG,
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
            Self::GroupReplication | Self::FlowControl | Self::Galera => REPLICATION,
            Self::PageLatch
            | Self::FreePage
            | Self::Doublewrite
            | Self::FileExtension
            | Self::InnodbQueue
            | Self::PurgeLag
            | Self::AdaptiveHash
            | Self::Dictionary
            | Self::UndoLatch
            | Self::LockSystem
            | Self::InnodbLatch
            | Self::InnodbWait
            | Self::AriaLog
            | Self::DiskFull => ENGINE,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::IntoEnumIterator;

    use super::*;

    /// Waits that take most of the time of most runs, so that their colours meet in a picture.
    const FREQUENT: [Wait; 10] = [
        Wait::OnCpu,
        Wait::RunQueue,
        Wait::WakeUp,
        Wait::DataWriteback,
        Wait::JournalCommit,
        Wait::FlushQueue,
        Wait::DeviceFlush,
        Wait::DeviceIo,
        Wait::FileSystemLock,
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
    fn waits_for_a_cpu_are_no_writeback() {
        let waits = [
            Wait::RunQueue,
            Wait::RunQueueLoad,
            Wait::RunQueueLogtrace,
            Wait::RunQueueKernel,
            Wait::RunQueueProcess,
        ];
        for (wait, eyes) in waits.iter().flat_map(|wait| EYES.map(|eyes| (wait, eyes))) {
            let [one, other] = [*wait, Wait::DataWriteback].map(|wait| seen(wait.color(), &eyes));
            let distance = distance(&one, &other);
            assert!(distance >= 0.1, "{wait:?}: {distance:.3} with {eyes:?}");
        }
    }

    #[test]
    fn colors_stand_out_on_white_and_on_black() {
        for wait in Wait::iter() {
            let [red, green, blue] = linear(wait.color());
            let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            let (white, black) = (1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05);
            assert!(white >= 1.5 && black >= 1.5, "{wait:?}: {white:.2}, {black:.2}");
        }
    }

    #[test]
    fn waits_in_functions_of_the_server_share_six_colors() {
        let of_the_server = [REDO, BINLOG, REPLICATION, LOCK, ENGINE, OTHER];
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
