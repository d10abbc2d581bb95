//! Loop device (loop(4)) that is detached with its last user.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use linux_raw_sys::loop_device::{
    LO_FLAGS_AUTOCLEAR, LO_FLAGS_DIRECT_IO, LOOP_CONFIGURE, LOOP_CTL_GET_FREE, loop_config,
};
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, Setter, ioctl};

/// Device that allocates loop devices.
pub(crate) const CONTROL: &str = "/dev/loop-control";

/// Number of attempts: another process may take a free device first.
const ATTEMPTS: u32 = 32;

/// Loop device. It is detached once neither this value nor a mount holds it, so nothing has to be cleaned up.
#[derive(Debug)]
pub(crate) struct LoopDevice {
    path: PathBuf,
    _held: File,
}

impl LoopDevice {
    /// Attaches a free device to `file`, which is open for reading and writing. I/O is direct if the file system of
    /// `file` supports that, so that nothing is cached twice; otherwise the kernel uses buffered I/O.
    pub(crate) fn attach(file: &File) -> io::Result<Self> {
        let control = OpenOptions::new().read(true).write(true).open(CONTROL)?;
        for _ in 0..ATTEMPTS {
            let path = PathBuf::from(format!("/dev/loop{}", free_number(&control)?));
            let device = OpenOptions::new().read(true).write(true).open(&path)?;
            match configure(&device, file) {
                // Kernels may refuse to mount what is open for writing. Read only, it is held all the same.
                Ok(()) => {
                    return Ok(Self {
                        _held: File::open(&path)?,
                        path,
                    });
                }
                Err(Errno::BUSY) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::BUSY.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Configures the device. Needs Linux 5.8.
fn configure(device: &File, file: &File) -> Result<(), Errno> {
    let fd = u32::try_from(file.as_raw_fd()).map_err(|_| Errno::BADF)?;
    #[expect(unsafe_code, reason = "C structures have no other empty value")]
    // SAFETY: integers and arrays of integers, for which zero is a value.
    let mut config: loop_config = unsafe { std::mem::zeroed() };
    config.fd = fd;
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR as u32 | LO_FLAGS_DIRECT_IO as u32;
    #[expect(unsafe_code, reason = "rustix cannot know what a driver does")]
    // SAFETY: LOOP_CONFIGURE reads one `loop_config` (include/uapi/linux/loop.h), of which `Setter` gives it the address.
    unsafe {
        ioctl(
            device,
            Setter::<{ LOOP_CONFIGURE as Opcode }, loop_config>::new(config),
        )
    }
}

fn free_number(control: &File) -> Result<u32, Errno> {
    #[expect(unsafe_code, reason = "rustix cannot know what a driver does")]
    // SAFETY: LOOP_CTL_GET_FREE takes no argument.
    unsafe {
        ioctl(control, GetFree)
    }
}

/// `LOOP_CTL_GET_FREE`, which returns the number of a free device and makes one if necessary.
struct GetFree;

#[expect(unsafe_code, reason = "the trait promises what only the driver's source says")]
// SAFETY: the call takes no argument and returns a number (drivers/block/loop.c, loop_control_get_free).
unsafe impl Ioctl for GetFree {
    type Output = u32;

    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        LOOP_CTL_GET_FREE as Opcode
    }

    fn as_ptr(&mut self) -> *mut std::ffi::c_void {
        std::ptr::null_mut()
    }

    unsafe fn output_from_ptr(output: IoctlOutput, _: *mut std::ffi::c_void) -> Result<u32, Errno> {
        u32::try_from(output).map_err(|_| Errno::INVAL)
    }
}
