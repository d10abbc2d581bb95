//! Document of any measurement; pure.

use logtrace_common::{Detail, units};
use logtrace_report::advice::governing_variables;
use logtrace_report::document::{self, Container, Document, Probe, Program, Server, TracedParts, Tracer};
use logtrace_server::ContainerFacts;
use logtrace_tracer::{Account, ProbeAccount};

use crate::document::host::host;
use crate::document::named_holders::name;
use crate::document::storage_labels::{device_of, image_of};
use crate::measurement::{ServerSnapshot, Traced};

/// Programs that read the groups of commits.
const GROUP_PROGRAMS: [&str; 4] = [
    "on_flush_join",
    "on_flush_lead",
    "on_group_join",
    "on_group_member",
];

/// Returns the document of a measurement without a load: server, commits, and the account of the tracer. `chosen` names
/// further variables to list.
pub(crate) fn document(
    started: &str,
    snapshot: &ServerSnapshot,
    chosen: impl IntoIterator<Item = String>,
) -> Document {
    let mut document = Document {
        host: snapshot.host.as_ref().map(host),
        cpu: snapshot.cpu.clone(),
        ..Document::new(started.into(), server(snapshot, chosen))
    };
    if let Some(traced) = &snapshot.traced {
        document.set_breakdown(&traced.explained.breakdown, traced_parts(traced));
        name(&mut document, &snapshot.named);
        document.tracing = Some(tracing(traced));
        document.tracer = Some(tracer(traced));
    }
    document
}

fn server(snapshot: &ServerSnapshot, chosen: impl IntoIterator<Item = String>) -> Server {
    let (facts, group) = (&snapshot.server, snapshot.control_group.as_ref());
    let names = governing_variables().map(str::to_owned).chain(chosen);
    let value = |name: String| Some((name.clone(), facts.variables.get(&name)?.clone()));
    Server {
        flavor: facts.flavor,
        version: facts.version.clone(),
        private: facts.private,
        binary: facts.binary.as_ref().map(|binary| binary.display().to_string()),
        control_group: group.map(|group| group.path.clone()),
        container: group.and_then(|group| group.container.as_ref()).map(container),
        file_system: snapshot
            .data
            .as_ref()
            .map_or_else(|| "unknown".into(), |data| data.kind.clone()),
        device: snapshot.data.as_ref().map_or_else(|| "unknown".into(), device_of),
        image: snapshot.data.as_ref().and_then(image_of),
        placement: Vec::new(),
        settings: names.filter_map(value).collect(),
    }
}

fn container(facts: &ContainerFacts) -> Container {
    Container {
        runtime: facts.runtime.to_owned(),
        id: facts.id.clone(),
    }
}

fn traced_parts(traced: &Traced) -> TracedParts {
    let is_group = |probe: &&ProbeAccount| GROUP_PROGRAMS.contains(&probe.program);
    let mut groups = traced.account.probes.iter().filter(is_group).peekable();
    TracedParts {
        files: traced.detail >= Detail::Io,
        devices: traced.detail >= Detail::Full,
        groups: groups.peek().is_some() && groups.all(|probe| probe.missing.is_none()),
    }
}

fn tracing(traced: &Traced) -> document::Tracing {
    document::Tracing {
        detail: traced.detail.to_string(),
        sample: traced.sampling.to_string(),
        ring_bytes: traced.ring_bytes.get().into(),
        recorded: traced.is_recorded,
    }
}

fn tracer(traced: &Traced) -> Tracer {
    let account = &traced.account;
    let breakdown = &traced.explained.breakdown;
    let commits = breakdown.commits.count;
    let a_commit = account.cpu().times(1.0 / commits.max(1) as f64);
    Tracer {
        events: account.events,
        lost: account.losses.lost,
        undecodable: traced.explained.undecodable,
        unmatched: account.losses.unmatched + breakdown.unmatched,
        invariant_violations: breakdown.invariant_violations,
        contradictions: breakdown.contradictions(),
        bpf_ns: units::whole(account.bpf().ns),
        entry_ns: units::whole(account.entries().ns),
        slow_call_ns: units::whole(account.slow_paths().ns),
        reader_cpu_ns: account.reader_cpu_ns(),
        cpu_ns_per_commit: if commits > 0 { units::whole(a_commit.ns) } else { 0 },
        cpu_ns_per_commit_range: (commits > 0)
            .then(|| (units::whole(a_commit.low()), units::whole(a_commit.high()))),
        programs: programs(account),
        probes: account.probes.iter().map(probe).collect(),
        gaps: breakdown.gaps,
    }
}

fn programs(account: &Account) -> Vec<Program> {
    let program = |(name, runs, run_ns): (&str, _, _)| Program {
        name: name.into(),
        runs,
        run_ns,
    };
    account.programs().map(program).collect()
}

fn probe(of: &ProbeAccount) -> Probe {
    Probe {
        name: of.name.into(),
        program: of.program.into(),
        place: of.place.clone(),
        attached: of.missing.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{Breakdown, Statements};
    use logtrace_report::document::{Commits, SCHEMA};
    use strum::IntoEnumIterator;

    use super::*;
    use crate::samples::{STARTED, probe, server as facts, snapshot, traced};

    fn of(traced: Option<Traced>, chosen: &[&str]) -> Document {
        let snapshot = ServerSnapshot { traced, ..snapshot() };
        document(STARTED, &snapshot, chosen.iter().map(|&name| name.to_owned()))
    }

    #[test]
    fn what_was_not_traced_is_null() {
        let untraced = of(None, &[]);
        assert_eq!((untraced.schema, untraced.started.as_str()), (SCHEMA, STARTED));
        assert!(untraced.tracing.is_none() && untraced.tracer.is_none() && untraced.commits.is_none());
        assert!(untraced.files.is_none() && untraced.devices.is_none());
        assert!(untraced.groups.is_none() && untraced.statements.is_none());
        assert!(untraced.causes.is_empty() && untraced.response.is_none());
        assert_eq!(untraced.check(), Ok(()));
    }

    #[test]
    fn each_part_is_there_from_its_level_of_detail_on_even_if_it_is_empty() {
        for detail in Detail::iter() {
            let mut traced = traced();
            traced.detail = detail;
            traced.explained.breakdown = Breakdown {
                statements: (detail == Detail::Full).then_some(Statements {
                    count: 0,
                    total: 0,
                    causes: Vec::new(),
                }),
                ..Breakdown::default()
            };
            let document = of(Some(traced), &[]);
            let is_there = [
                document.files.is_some(),
                document.devices.is_some(),
                document.statements.is_some(),
            ];
            let expected = [
                detail >= Detail::Io,
                detail >= Detail::Full,
                detail >= Detail::Full,
            ];
            assert_eq!(is_there, expected, "{detail}");
            assert_eq!(document.commits, Some(Commits::default()), "{detail}");
            assert_eq!(document.tracing.unwrap().detail, detail.to_string());
        }
    }

    #[test]
    fn groups_are_there_only_if_all_of_their_probes_are_attached() {
        let groups = |probes: Vec<ProbeAccount>| {
            let mut traced = traced();
            traced.account.probes = probes;
            of(Some(traced), &[]).groups.is_some()
        };
        let missing = || {
            let mut missing = probe("members", "on_group_member");
            missing.missing = Some("no symbol".to_owned());
            missing
        };
        assert!(!groups(vec![probe("commits", "on_commit_start")]));
        assert!(groups(vec![probe("groups", "on_group_join")]));
        assert!(!groups(vec![probe("groups", "on_group_join"), missing()]));
    }

    #[test]
    fn a_trace_adds_up_and_without_commits_has_no_cost_of_one() {
        let document = of(Some(traced()), &[]);
        assert_eq!(document.commits.as_ref().unwrap().count, 200);
        assert_eq!(document.check(), Ok(()));
        assert!(document.tracer.unwrap().cpu_ns_per_commit_range.is_some());
        let mut nothing = traced();
        nothing.explained.breakdown = Breakdown::default();
        let tracer = of(Some(nothing), &[]).tracer.unwrap();
        assert_eq!(
            (tracer.cpu_ns_per_commit, tracer.cpu_ns_per_commit_range),
            (0, None)
        );
    }

    #[test]
    fn settings_are_those_of_durability_and_the_chosen_ones_that_the_server_has() {
        let settings = of(None, &["port", "no_such_variable"]).server.settings;
        let names: Vec<&str> = settings.keys().map(String::as_str).collect();
        assert_eq!(names, ["log_bin", "port", "sync_binlog"]);
        assert_eq!(settings["port"], facts().variables["port"]);
    }
}
