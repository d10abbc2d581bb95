//! A file system in user space that passes everything on to a directory, and fsync, read and write after a known delay.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rustix::fs::{FallocateFlags, fallocate, statvfs};

use super::delay::{Delay, Delays};
use super::nodes::{Handles, Nodes};

/// How long the kernel may believe what it was told: nobody else changes these files.
const BELIEVED: Duration = Duration::from_secs(1);

/// What servers need of a file system. The kernel itself does locks, mappings, `O_APPEND` and `O_SYNC`; with
/// `O_DIRECT` it leaves out its cache, and the files below know nothing of it.
#[derive(Debug)]
pub(crate) struct PassThrough {
    nodes: Nodes,
    handles: Handles,
    delays: Arc<Delays>,
}

impl PassThrough {
    /// Passes on to a directory; the delays may change at any time.
    pub(crate) fn to(directory: &Path, delays: Arc<Delays>) -> io::Result<Self> {
        Ok(Self {
            nodes: Nodes::of(directory)?,
            handles: Handles::default(),
            delays,
        })
    }

    fn child(&self, parent: INodeNo, name: &OsStr) -> io::Result<PathBuf> {
        Ok(self.nodes.path(parent.0)?.join(name))
    }

    /// Attributes of a node that the kernel knows.
    fn attributes(&self, node: INodeNo) -> io::Result<FileAttr> {
        let metadata = self.nodes.path(node.0)?.metadata()?;
        Ok(FileAttr {
            ino: node,
            ..attributes(&metadata)
        })
    }

    /// Gives what was just made to who asked for it, and tells the kernel of it.
    fn made(&self, path: &Path, mode: u32, request: &Request) -> io::Result<FileAttr> {
        chown(path, Some(request.uid()), Some(request.gid()))?;
        fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))?;
        Ok(attributes(&self.nodes.look_up(path)?))
    }

    /// Does the work of a moment: at once, or after its delay if there is one.
    fn delayed(&self, delay: fn(&Delays) -> &Delay, work: impl FnOnce() + Send + 'static) {
        match delay(&self.delays).is_wanted() {
            true => self.beside_others(delay, work),
            false => work(),
        }
    }

    /// Does the work after its delay, in a thread of its own: meanwhile other requests go on.
    fn beside_others(&self, delay: fn(&Delays) -> &Delay, work: impl FnOnce() + Send + 'static) {
        let delays = Arc::clone(&self.delays);
        thread::spawn(move || {
            delay(&delays).wait();
            work();
        });
    }

    fn directory(&self, node: INodeNo, from: u64, reply: &mut ReplyDirectory) -> io::Result<()> {
        let entries = fs::read_dir(self.nodes.path(node.0)?)?;
        for (number, entry) in (1_u64..).zip(entries).skip(usize::try_from(from).unwrap()) {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let full = reply.add(
                INodeNo(metadata.ino()),
                number,
                kind(&metadata),
                entry.file_name(),
            );
            if full {
                break;
            }
        }
        Ok(())
    }
}

/// Says a result to the kernel, or the error.
macro_rules! answer {
    ($reply:expr, $result:expr, $value:pat => $said:ident($($argument:expr),*)) => {
        match $result {
            Ok($value) => $reply.$said($($argument),*),
            Err(error) => $reply.error(Errno::from(io::Error::from(error))),
        }
    };
}

impl Filesystem for PassThrough {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self
            .child(parent, name)
            .and_then(|path| self.nodes.look_up(&path));
        answer!(reply, found, metadata => entry(&BELIEVED, &attributes(&metadata), Generation(0)));
    }

    fn forget(&self, _: &Request, node: INodeNo, lookups: u64) {
        self.nodes.forget(node.0, lookups);
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer!(reply, self.attributes(node), told => attr(&BELIEVED, &told));
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let change = || {
            let path = self.nodes.path(node.0)?;
            if uid.is_some() || gid.is_some() {
                chown(&path, uid, gid)?;
            }
            if let Some(mode) = mode {
                fs::set_permissions(&path, Permissions::from_mode(mode & 0o7777))?;
            }
            if let Some(size) = size {
                open(&path)?.set_len(size)?;
            }
            set_times(&path, accessed, modified)?;
            self.attributes(node)
        };
        answer!(reply, change(), told => attr(&BELIEVED, &told));
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let made = self.child(parent, name).and_then(|path| {
            fs::create_dir(&path)?;
            self.made(&path, mode & !umask, request)
        });
        answer!(reply, made, told => entry(&BELIEVED, &told, Generation(0)));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.child(parent, name).and_then(fs::remove_file);
        answer!(reply, removed, () => ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.child(parent, name).and_then(fs::remove_dir);
        answer!(reply, removed, () => ok());
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if !flags.is_empty() {
            reply.error(Errno::EINVAL);
            return;
        }
        let renamed = self
            .child(parent, name)
            .and_then(|old| fs::rename(old, self.child(new_parent, new_name)?));
        answer!(reply, renamed, () => ok());
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let made = self.child(parent, name).and_then(|path| {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&path)?;
            Ok((self.made(&path, mode & !umask, request)?, self.handles.keep(file)))
        });
        answer!(reply, made, (told, handle) =>
            created(&BELIEVED, &told, Generation(0), FileHandle(handle), FopenFlags::empty()));
    }

    fn open(&self, _: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        // Who may do what, the kernel has checked (default_permissions).
        let opened = self.nodes.path(node.0).and_then(|path| open(&path));
        answer!(reply, opened, file => opened(FileHandle(self.handles.keep(file)), FopenFlags::empty()));
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let file = self.handles.get(handle.0);
        let read = move || {
            let read = file.and_then(|file| read_at(&file, offset, size));
            answer!(reply, read, bytes => data(&bytes));
        };
        self.delayed(|delays| &delays.read, read);
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let file = self.handles.get(handle.0);
        let data = data.to_vec();
        let write = move || {
            let written = file.and_then(|file| file.write_all_at(&data, offset));
            answer!(reply, written, () => written(u32::try_from(data.len()).unwrap()));
        };
        self.delayed(|delays| &delays.write, write);
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.handles.release(handle.0);
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, handle: FileHandle, data_only: bool, reply: ReplyEmpty) {
        if self.delays.syncs_fail.load(Relaxed) {
            return reply.error(Errno::EIO);
        }
        let file = self.handles.get(handle.0);
        let sync = move || {
            let synced = file.and_then(|file| match data_only {
                true => file.sync_data(),
                false => file.sync_all(),
            });
            answer!(reply, synced, () => ok());
        };
        self.beside_others(|delays| &delays.sync, sync);
    }

    fn readdir(&self, _: &Request, node: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let listed = self.directory(node, offset, &mut reply);
        answer!(reply, listed, () => ok());
    }

    fn statfs(&self, _: &Request, node: INodeNo, reply: ReplyStatfs) {
        let space = self.nodes.path(node.0).and_then(|path| Ok(statvfs(path)?));
        answer!(reply, space, space => statfs(
            space.f_blocks, space.f_bfree, space.f_bavail, space.f_files, space.f_ffree,
            u32::try_from(space.f_bsize).unwrap(), u32::try_from(space.f_namemax).unwrap(),
            u32::try_from(space.f_frsize).unwrap()));
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let mode = FallocateFlags::from_bits_retain(mode.cast_unsigned());
        let file = self.handles.get(handle.0);
        let done = file.and_then(|file| Ok(fallocate(&*file, mode, offset, length)?));
        answer!(reply, done, () => ok());
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

fn read_at(file: &File, offset: u64, size: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(size).unwrap()];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset + filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn set_times(path: &Path, accessed: Option<TimeOrNow>, modified: Option<TimeOrNow>) -> io::Result<()> {
    let time = |wanted| match wanted {
        TimeOrNow::SpecificTime(time) => time,
        TimeOrNow::Now => SystemTime::now(),
    };
    let mut times = FileTimes::new();
    if let Some(accessed) = accessed {
        times = times.set_accessed(time(accessed));
    }
    if let Some(modified) = modified {
        times = times.set_modified(time(modified));
    }
    match accessed.is_some() || modified.is_some() {
        true => File::open(path)?.set_times(times),
        false => Ok(()),
    }
}

fn attributes(metadata: &Metadata) -> FileAttr {
    let since = |seconds: i64, nanoseconds: i64| {
        let seconds = Duration::from_secs(seconds.max(0).cast_unsigned());
        UNIX_EPOCH + seconds + Duration::from_nanos(nanoseconds.cast_unsigned())
    };
    FileAttr {
        ino: INodeNo(metadata.ino()),
        size: metadata.size(),
        blocks: metadata.blocks(),
        atime: since(metadata.atime(), metadata.atime_nsec()),
        mtime: since(metadata.mtime(), metadata.mtime_nsec()),
        ctime: since(metadata.ctime(), metadata.ctime_nsec()),
        crtime: UNIX_EPOCH,
        kind: kind(metadata),
        perm: u16::try_from(metadata.mode() & 0o7777).unwrap(),
        nlink: u32::try_from(metadata.nlink()).unwrap(),
        uid: metadata.uid(),
        gid: metadata.gid(),
        rdev: 0,
        blksize: u32::try_from(metadata.blksize()).unwrap(),
        flags: 0,
    }
}

fn kind(metadata: &Metadata) -> FileType {
    FileType::from_std(metadata.file_type()).unwrap()
}
