//! Requests of the window, saved in the run directory for `logtrace join`.

use std::io::{self, BufWriter};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::Context;
use logtrace_common::TimeRange;
use logtrace_events::{Request, RequestsWriter};

use crate::directory::reserved_file::ReservedFile;
use crate::directory::run_dir::RunDir;
use crate::measurement::clocks_now;

type Writer = RequestsWriter<BufWriter<ReservedFile>>;

/// Thread that writes requests, so that no connection waits for the disk.
#[derive(Debug)]
pub(crate) struct RequestSaver {
    /// Requests, and `None` at the end.
    to: Sender<Option<Request>>,
    thread: JoinHandle<io::Result<Writer>>,
}

impl RequestSaver {
    /// Creates the file and starts the thread.
    pub(crate) fn start(dir: &RunDir) -> anyhow::Result<Self> {
        let what = || format!("cannot create {}", dir.requests_bin().display());
        let file = dir.create_file("requests.bin").with_context(what)?;
        let writer =
            RequestsWriter::new(BufWriter::new(ReservedFile::new(file)), clocks_now()).with_context(what)?;
        let (to, requests) = channel();
        let thread = thread::Builder::new()
            .name("logtrace-saver".into())
            .spawn(move || write_all(writer, &requests))
            .context("cannot start the thread that saves requests")?;
        Ok(Self { to, thread })
    }

    /// Returns where requests go.
    pub(crate) fn sender(&self) -> Sender<Option<Request>> {
        self.to.clone()
    }

    /// Ends the file after the load, with the window of the run.
    pub(crate) fn finish(self, window: TimeRange) -> io::Result<()> {
        // The receiver is gone if writing failed, and the thread returns its error.
        let _ = self.to.send(None);
        let panicked = |_| io::Error::other("the thread that saves requests panicked");
        self.thread.join().map_err(panicked)??.finish(window)
    }
}

fn write_all(mut writer: Writer, requests: &Receiver<Option<Request>>) -> io::Result<Writer> {
    while let Ok(Some(request)) = requests.recv() {
        writer.write(&request)?;
    }
    Ok(writer)
}
