//! Head of a report: the run, its rates, its losses, and the time of its commits.

use std::collections::BTreeMap;

use logtrace_common::{Flavor, units};

use crate::document::{
    Commits, Container, CpuPlacement, Document, Driver, Gaps, Join, Server, Tpcc, Tracer, Work, Workload,
};
use crate::render::sections::tpcc;

/// Digits of the id of a container, and how many of them are shown.
const WHOLE_ID: usize = 64;
const SHOWN_DIGITS: usize = 12;

/// Returns the parts of the title line: workload and server, connections, load.
pub(crate) fn title(document: &Document) -> Vec<String> {
    let mut parts = circumstances(document);
    parts[0] = format!("{} ({})", subject(document), parts[0]);
    parts
}

/// Returns workload, server, connections, load and length of a run in one line.
pub fn title_line(document: &Document) -> String {
    title(document).join(" · ")
}

/// Returns the measured subject, as `update_key on MySQL 9.7.4` or `trace of MySQL 9.7.4`.
pub(crate) fn subject(document: &Document) -> String {
    let Server { flavor, version, .. } = &document.server;
    // MariaDB's version has its name and package too: `10.11.19-MariaDB-0+deb12u1`.
    let number = version.split("-MariaDB").next().unwrap_or_default();
    match &document.workload {
        Some(workload) => format!("{} on {flavor} {number}", workload.name),
        None => format!("trace of {flavor} {number}"),
    }
}

/// Returns the title without its subject; the first part is the location of the server.
pub(crate) fn circumstances(document: &Document) -> Vec<String> {
    let mut parts = location(document);
    if let Some(workload) = &document.workload {
        let driver = document.driver.as_ref();
        let offered = driver.and_then(|driver| driver.offered_per_s);
        parts.extend([clients(workload, document.tpcc.as_ref()), load(workload, offered)]);
        parts.extend(driver.and_then(share));
        parts.extend(workload.cpus.as_ref().map(cpus));
        let has_users = document.tpcc.as_ref().is_some_and(|tpcc| tpcc.keying_times);
        parts.extend(has_users.then(|| "keying and think times".to_owned()));
    }
    if let Some(trace) = &document.trace {
        parts.push(format!("for {}", units::seconds(trace.duration_s)));
    }
    parts
}

/// Returns the CPUs of the server and of logtrace.
fn cpus(cpus: &CpuPlacement) -> String {
    let sides = [("server", &cpus.server), ("client", &cpus.client)];
    let sides = sides
        .into_iter()
        .filter_map(|(side, cpus)| Some(format!("{side} on CPU {}", cpus.as_ref()?)));
    sides.collect::<Vec<_>>().join(", ")
}

/// Returns the parts of the second line: rates, errors, losses, the tracer's cost.
pub(crate) fn summary(document: &Document) -> Vec<String> {
    let mut parts = document.driver.as_ref().map(requests).unwrap_or_default();
    parts.extend(tpcc::nopm(document));
    parts.extend(commit_rate(document).map(|rate| format!("{} commits/s", units::tenths(rate))));
    match &document.tracer {
        Some(tracer) => parts.extend(account(tracer, document.commits.as_ref())),
        None => parts.push("not traced".to_owned()),
    }
    parts.extend(document.join.as_ref().map(joined));
    parts
}

/// Returns the CPU time of the server and of the machine, by commit or else by request, or `None` if it is not known.
pub(crate) fn cpu(document: &Document) -> Option<Vec<String>> {
    let cpu = document.cpu.as_ref()?;
    let known = |work| Some((work, document.work(work)?));
    let work = known(Work::Commit).or_else(|| known(Work::Request));
    let time = |total: u64| match work.and_then(|(work, count)| Some((work, units::mean(total, count)?))) {
        Some((work, mean)) => format!("{} a {}", units::duration(mean), work.word()),
        None => units::duration(total),
    };
    let server = format!("server CPU: {}", time(cpu.server.total));
    let machine = cpu.machine.as_ref();
    let machine = machine.map(|machine| format!("whole machine: {}", time(machine.total)));
    Some([Some(server), machine].into_iter().flatten().collect())
}

/// Returns how well the clocks of the run and of the trace match.
fn joined(join: &Join) -> String {
    format!(
        "joined with a trace of the server's machine: {} of {} requests matched, clocks right to {}",
        units::count(join.matched),
        units::count(join.requests),
        units::duration(join.error)
    )
}

/// Returns rates, errors and delays of the driver's requests.
fn requests(driver: &Driver) -> Vec<String> {
    let mut parts = Vec::new();
    if driver.requests > 0 {
        if let Some(offered) = driver.offered_per_s {
            parts.push(format!("offered {}/s", units::tenths(offered)));
        }
        parts.push(format!("achieved {}/s", units::tenths(driver.achieved_per_s)));
        parts.push(format!("errors {}", units::count(total(&driver.errors))));
    }
    parts.extend(late(driver));
    let trouble = [
        ("unsent", driver.unsent),
        ("unfinished", driver.unfinished),
        ("retries", total(&driver.retries)),
    ];
    parts.extend(nonzero(&trouble));
    parts
}

/// Returns how many requests were sent late, and how many of these although a connection was free.
fn late(driver: &Driver) -> Option<String> {
    let by_pacer = match driver.late_by_pacer {
        0 => String::new(),
        by_pacer => format!(" ({} by logtrace)", units::count(by_pacer)),
    };
    (driver.late > 0).then(|| format!("late {}{by_pacer}", units::count(driver.late)))
}

/// Returns how many commits a load that is not logtrace's had in a second.
pub(crate) fn commit_rate(document: &Document) -> Option<f64> {
    let gaps = document.gaps();
    let whole_s = document.trace.as_ref()?.duration_s;
    let seconds = gaps.map_or(whole_s, |gaps| units::real(gaps.traced) / 1e9);
    let commits = document.commits.as_ref()?.count;
    (seconds > 0.0).then(|| units::real(commits) / seconds)
}

/// Returns the parts of a line about groups of commits, or `None` if the server stated none.
pub(crate) fn groups(document: &Document) -> Option<Vec<String>> {
    let groups = document.groups.as_ref().filter(|groups| groups.count > 0)?;
    let mut parts = vec![format!(
        "group commit: {} groups, mean {} commits, max {}",
        units::count(groups.count),
        units::tenths(units::real(groups.members) / units::real(groups.count)),
        groups.sizes.len()
    )];
    if groups.merged > 0 {
        parts.push(format!(
            "{} joined another before the sync",
            units::count(groups.merged)
        ));
    }
    if groups.led > 0 {
        parts.push(format!("another thread led {} commits", units::count(groups.led)));
    }
    if groups.disagreements.total > 0 {
        let total = document.commits.as_ref().map_or(0, |commits| commits.total);
        parts.push(format!(
            "wake-ups alone charge {} of the commit time to others",
            units::percent(groups.disagreements.total, total)
        ));
    }
    Some(parts)
}

/// Returns a line about all commits, as `"waiting for handler commit": 35,988 commits, mean 1.12 ms, 83 % of service`.
pub(crate) fn commits(document: &Document, commits: &Commits) -> String {
    let stage = match document.server.flavor {
        Flavor::MySql => "\"waiting for handler commit\"",
        Flavor::MariaDb => "commit",
    };
    let count = units::count(commits.count);
    let Some(mean) = units::mean(commits.total, commits.count) else {
        return format!("{stage}: no read-write commit in the window");
    };
    let mut line = format!("{stage}: {count} commits, mean {}", units::duration(mean));
    if document.gaps().is_some() {
        // Commits are of the bursts alone; requests were measured all the time.
        return line;
    }
    let others = commits.others.unwrap_or_default();
    let service = document.driver.as_ref().map(|driver| &driver.service);
    let service_total = service.map_or(0, |service| service.mean.saturating_mul(service.count));
    let of_load = commits.total.saturating_sub(others.total);
    // Without knowing whose they are, commits may be more than the service of the load.
    if service_total > 0 && of_load <= service_total {
        let share = units::whole_percent(of_load, service_total);
        line.push_str(&match others.count {
            0 => format!(", {share} of service"),
            _ => format!("; those of the load are {share} of service"),
        });
    }
    if let Some(others) = other_clients(commits) {
        line.push_str(&format!("; {others}"));
    }
    line
}

/// Returns how many of the commits are not of the load; `None` if none are, or if that is not known.
pub(crate) fn other_clients(commits: &Commits) -> Option<String> {
    let others = commits.others.filter(|others| others.count > 0)?;
    Some(format!(
        "{} ({}) are of other clients",
        units::count(others.count),
        units::percent(others.count, commits.count)
    ))
}

/// Returns where a server is and how durable. The first part has the durability too, unless the image makes it too long.
fn location(document: &Document) -> Vec<String> {
    let server = &document.server;
    let owner = match &document.trace {
        Some(trace) => format!("pid {}", trace.pid),
        None if server.private => "private".to_owned(),
        None => "running server".to_owned(),
    };
    let owner = match &server.container {
        Some(container) => format!("{owner} in {}", contained(container)),
        None => owner,
    };
    let place = match &server.image {
        None => format!("{} on {}", server.file_system, server.device),
        Some(image) => format!(
            "{} on a {} loop image on {} {}",
            server.file_system,
            units::size(image.bytes),
            image.file_system,
            image.device
        ),
    };
    let mut parts = vec![format!("{owner}, {place}")];
    if server.image.is_some() {
        parts.extend(durability(server));
    } else if let Some(durability) = durability(server) {
        parts[0] = format!("{}, {durability}", parts[0]);
    }
    parts.extend(placed(server));
    parts
}

/// Returns the name of a container; of an id the first digits, as `docker ps` shows it.
fn contained(container: &Container) -> String {
    let Container { runtime, id } = container;
    let digits = id.get(..SHOWN_DIGITS).filter(|_| id.len() == WHOLE_ID);
    let id = digits.unwrap_or(id);
    match runtime.as_str() {
        "unknown" => format!("container {id}"),
        runtime => format!("{runtime} container {id}"),
    }
}

/// Returns the settings that decide when a commit is durable.
fn durability(server: &Server) -> Option<String> {
    let setting = |name: &str| server.settings.get(name).map(String::as_str);
    let flush = setting("innodb_flush_log_at_trx_commit").map(|value| format!("flush={value}"));
    let sync = match setting("log_bin") {
        Some("OFF" | "0") => Some("no binlog".to_owned()),
        _ => setting("sync_binlog").map(|value| format!("sync={value}")),
    };
    let settings: Vec<String> = flush.into_iter().chain(sync).collect();
    (!settings.is_empty()).then(|| settings.join(" "))
}

/// Returns the places of files outside the data directory: `redo and undo on xfs /dev/sdb`.
fn placed(server: &Server) -> impl Iterator<Item = String> {
    let mut by_place: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for placed in &server.placement {
        let place = (placed.file_system.as_str(), placed.device.as_str());
        by_place.entry(place).or_default().push(placed.class.as_str());
    }
    let places = by_place.into_iter();
    places.map(|((file_system, device), classes)| {
        format!("{} on {file_system} {device}", classes.join(" and "))
    })
}

/// Returns the connections with the distribution of their keys, or with the size of the TPC-C-like data.
fn clients(workload: &Workload, tpcc: Option<&Tpcc>) -> String {
    let encrypted = workload.encrypted == Some(true);
    let kind = if encrypted { "encrypted " } else { "" };
    let connections = format!("{} {kind}connections", workload.connections);
    match tpcc {
        None => format!("{connections}, {} keys", workload.keys),
        Some(tpcc) => {
            let plural = if tpcc.warehouses == 1 { "" } else { "s" };
            let warehouses = units::count(tpcc.warehouses);
            let of = match tpcc.compat.as_str() {
                "specification" => "TPC-C-like".to_owned(),
                program => format!("TPC-C-like as {program}"),
            };
            format!("{of}, {warehouses} warehouse{plural} · {connections}")
        }
    }
}

fn load(workload: &Workload, offered: Option<f64>) -> String {
    let duration = units::seconds(workload.duration_s);
    let Some(offered) = offered else {
        return format!("closed loop for {duration}");
    };
    let arrivals = match workload.arrivals.as_str() {
        "poisson" => "Poisson",
        other => other,
    };
    let rate = units::tenths(offered);
    match &workload.schedule {
        None => format!("{rate}/s {arrivals} for {duration}"),
        Some(schedule) => format!("{rate}/s on average, {arrivals}, {schedule}, for {duration}"),
    }
}

/// Returns the share of the capacity that the mean rate was, and the rate in each part of its measurement.
fn share(driver: &Driver) -> Option<String> {
    let (offered, capacity) = (driver.offered_per_s?, driver.capacity.as_ref()?);
    let percent = 100.0 * offered / capacity.per_s;
    let parts = capacity.parts_per_s.iter();
    let parts: Vec<String> = parts.map(|part| units::count(units::whole(*part))).collect();
    let parts = match parts.as_slice() {
        [] => String::new(),
        parts => format!(" (parts: {})", parts.join(", ")),
    };
    let of = units::tenths(capacity.per_s);
    Some(format!("{percent:.0} % of the capacity of {of}/s{parts}"))
}

/// Returns losses and cost of the tracer. Lost events are always shown, other counts only if they are not 0.
fn account(tracer: &Tracer, commits: Option<&Commits>) -> Vec<String> {
    let mut parts = vec![format!("lost events {}", units::count(tracer.lost))];
    parts.extend(nonzero(&[
        ("undecodable", tracer.undecodable),
        ("unmatched", tracer.unmatched),
        ("sums violated", tracer.invariant_violations),
        ("contradictions", tracer.contradictions),
    ]));
    parts.extend(tracer.gaps.map(sampled));
    parts.push(if commits.is_some_and(|commits| commits.count > 0) {
        let traced = if tracer.gaps.is_some() { "traced " } else { "" };
        format!("tracer {} CPU a {traced}commit", cost_of_a_commit(tracer))
    } else {
        format!("tracer {} CPU", units::duration(tracer.cpu_ns()))
    });
    parts
}

/// Returns the CPU time of the tracer a commit, with its range where it is known.
fn cost_of_a_commit(tracer: &Tracer) -> String {
    let cost = units::duration(tracer.cpu_ns_per_commit);
    let Some((low, high)) = tracer.cpu_ns_per_commit_range else {
        return cost;
    };
    format!("{cost} ({} to {})", units::duration(low), units::duration(high))
}

/// Returns the traced share of the time.
fn sampled(gaps: Gaps) -> String {
    let whole = gaps.traced.saturating_add(gaps.untraced);
    format!(
        "traced {} of the time, {} in bursts",
        units::percent(gaps.traced, whole),
        units::duration(gaps.traced)
    )
}

fn total(by_code: &BTreeMap<String, u64>) -> u64 {
    units::sum(by_code.values().copied())
}

fn nonzero(counts: &[(&str, u64)]) -> Vec<String> {
    let seen = counts.iter().filter(|(_, count)| *count > 0);
    seen.map(|(name, count)| format!("{name} {}", units::count(*count)))
        .collect()
}
