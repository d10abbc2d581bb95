//! Page of machine code with a call, on which a uprobe can be timed.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::ptr;

/// Code with a call like those that the server's probes are placed on (`CALL` in it), in a file of its own: a uprobe
/// belongs to a file.
#[derive(Debug)]
pub(crate) struct CallPage {
    file: OwnedFd,
    code: *mut libc::c_void,
}

/// `call` of the last instruction, `ret`, `ret`.
const CODE: [u8; 7] = [0xe8, 0x01, 0x00, 0x00, 0x00, 0xc3, 0xc3];

/// Offset of the call.
pub(crate) const CALL: u64 = 0;

impl CallPage {
    pub(crate) fn map() -> io::Result<Self> {
        let file = code_file()?;
        #[expect(
            unsafe_code,
            reason = "rustix has it behind a feature that nothing else needs"
        )]
        // SAFETY: a new mapping of a file that this process holds; nothing else lies there.
        let code = unsafe {
            let protection = libc::PROT_READ | libc::PROT_EXEC;
            libc::mmap(
                ptr::null_mut(),
                CODE.len(),
                protection,
                libc::MAP_PRIVATE,
                file.as_raw_fd(),
                0,
            )
        };
        if code == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { file, code })
    }

    /// Returns the path of the file, good as long as this lives.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// Executes the call.
    pub(crate) fn call(&self) {
        #[expect(unsafe_code, reason = "the code is data")]
        // SAFETY: the page is mapped and executable, holds `CODE`, and that is a function which changes no register.
        unsafe {
            let function: extern "C" fn() = std::mem::transmute(self.code);
            function();
        }
    }
}

impl Drop for CallPage {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "as above")]
        // SAFETY: this mapped it, and nothing executes it any more.
        let _ = unsafe { libc::munmap(self.code, CODE.len()) };
    }
}

fn code_file() -> io::Result<OwnedFd> {
    #[expect(
        unsafe_code,
        reason = "rustix has it behind a feature that nothing else needs"
    )]
    // SAFETY: the name is a C string; the result is a new descriptor or an error.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"logtrace-call".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    rustix::io::write(&file, &CODE)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_returns() {
        let page = CallPage::map().unwrap();
        page.call();
        assert_eq!(std::fs::read(page.path()).unwrap(), CODE);
    }
}
