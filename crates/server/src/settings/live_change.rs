//! Giving a server other settings while it runs.

use std::collections::BTreeMap;

use mysql_async::Conn;

use crate::connection::connect::{ConnectError, Connection};
use crate::settings::resize_wait::settled;
use crate::settings::set_global::{SetError, set_global};
use crate::settings::startup_only::decided_at_start;
use crate::settings::value_match::is_taken;
use crate::settings::variable::{Setting, SettingError, verify};
use logtrace_common::Flavor;

/// Variables whose built-in default is not what a server has that was started without them: it works that out from the
/// machine, from other variables or from its files. Found by setting all to their default, in MySQL 9.7 and MariaDB 10.11.
const WORKED_OUT: [&str; 10] = [
    "host_cache_size",
    "innodb_buffer_pool_size_auto_min",
    "innodb_io_capacity_max",
    "innodb_lru_flush_size",
    "sql_big_selects",
    "ssl_ca",
    "ssl_cert",
    "ssl_key",
    "thread_cache_size",
    "thread_pool_size",
];

/// What became of new settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// Variables that were set, or put back, in the order of that.
    pub changed: Vec<String>,
    /// Variables that only a start can give their value, which they do not have.
    pub need_restart: Vec<String>,
}

/// What a server was asked for, and what it had before.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// What it was started with; nothing for a server that others started.
    started: Vec<Setting>,
    /// Its variables before anything was set.
    at_start: BTreeMap<String, String>,
    /// What holds now.
    now: Vec<Setting>,
}

/// One variable to set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    name: String,
    to: To,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum To {
    /// What is asked for now.
    Value(String),
    /// What it was before it was set for the first time.
    AtStart(String),
    /// What it would have been, had the server not been started with it.
    Default,
}

impl Asked {
    /// Of a server that was started with these settings, and reports these variables.
    pub(crate) fn new(started: Vec<Setting>, at_start: BTreeMap<String, String>) -> Self {
        Self {
            now: started.clone(),
            started,
            at_start,
        }
    }

    /// The old values of what was set since the start, in the order in which they are put back.
    pub(crate) fn old(&self) -> Vec<Setting> {
        let put_back = self.changes(&self.started).into_iter();
        let value = |change: Change| match change.to {
            To::AtStart(value) => Some(Setting::new(&change.name, &value)),
            To::Value(_) | To::Default => None,
        };
        put_back.filter_map(value).collect()
    }

    /// Makes `wanted` and nothing else hold, as far as that goes without a restart; returns the server's variables
    /// as well, when it has set any.
    ///
    /// What the server was started with and is not wanted any more gets the server's built-in default, unless it would
    /// have another one by itself: that needs a restart, as does what the server worked out from its settings at the start.
    pub(crate) async fn reconfigure(
        &mut self,
        connection: &Connection,
        flavor: Flavor,
        wanted: &[Setting],
    ) -> Result<(Reconfigured, Option<BTreeMap<String, String>>), SetError> {
        let changes = self.changes(wanted);
        if changes.is_empty() && wanted.is_empty() {
            return Ok(Default::default());
        }
        let mut conn = connection.connect().await?;
        let mut setting = Applying {
            asked: self,
            connection,
            flavor,
            done: Reconfigured::default(),
        };
        let refused = setting.apply(&mut conn, &changes).await?;
        let variables = connection.variables().await?;
        // A variable may bound another one that was set before it: what did not take is set once more.
        let again = changes.iter().filter(|change| {
            refused.contains(change) || !setting.needs_restart(change) && !change.holds(&variables)
        });
        let again: Vec<_> = again.cloned().collect();
        if let Some(error) = setting.apply_strictly(&mut conn, &again).await? {
            return Err(error);
        }
        connection.leave(conn).await?;
        let mut done = setting.done;
        let both = (&*self.started, wanted);
        if let Some(name) = decided_at_start(flavor, both, &variables).filter(|_| !self.started.is_empty()) {
            push_new(&mut done.need_restart, name);
        }
        let held: Vec<Setting> = wanted
            .iter()
            .filter(|setting| !done.need_restart.iter().any(|name| name == setting.name()))
            .cloned()
            .chain(changes.iter().filter_map(Change::put_back))
            .collect();
        let variables = settled(connection, &done.changed, &held).await?;
        verify(&held, &variables, flavor)?;
        Ok((done, Some(variables)))
    }

    /// What to set so that `wanted` holds: first what is not wanted any more, the last first.
    fn changes(&self, wanted: &[Setting]) -> Vec<Change> {
        let has = |settings: &[Setting], name: &str| settings.iter().any(|setting| setting.name() == name);
        let gone = self
            .now
            .iter()
            .rev()
            .filter(|setting| !has(wanted, setting.name()));
        let back = gone.filter_map(|setting| {
            let to = match has(&self.started, setting.name()) {
                true => To::Default,
                false => To::AtStart(self.at_start.get(setting.name())?.clone()),
            };
            Some(Change {
                name: setting.name().to_owned(),
                to,
            })
        });
        let new = wanted.iter().filter(|setting| !self.now.contains(setting));
        let new = new.map(|setting| Change {
            name: setting.name().to_owned(),
            to: To::Value(setting.value().to_owned()),
        });
        back.chain(new).collect()
    }

    /// Notes what was set.
    fn note(&mut self, change: &Change) {
        self.now.retain(|setting| setting.name() != change.name);
        if let To::Value(value) = &change.to {
            self.now.push(Setting::new(&change.name, value));
        }
    }
}

impl Change {
    fn value(&self) -> Option<&str> {
        match &self.to {
            To::Value(value) | To::AtStart(value) => Some(value),
            To::Default => None,
        }
    }

    /// Whether the server reports it; of a default it is not known what that is.
    fn holds(&self, variables: &BTreeMap<String, String>) -> bool {
        let (Some(value), Some(reported)) = (self.value(), variables.get(&self.name)) else {
            return true;
        };
        is_taken(&self.name, value, reported)
    }

    /// The value that the variable had at the start, when it is to have that again.
    fn put_back(&self) -> Option<Setting> {
        match &self.to {
            To::AtStart(value) => Some(Setting::new(&self.name, value)),
            To::Value(_) | To::Default => None,
        }
    }
}

/// Changes on their way.
struct Applying<'a> {
    asked: &'a mut Asked,
    connection: &'a Connection,
    flavor: Flavor,
    done: Reconfigured,
}

impl Applying<'_> {
    /// Sets each, and returns those that the server refuses.
    async fn apply(&mut self, conn: &mut Conn, changes: &[Change]) -> Result<Vec<Change>, ConnectError> {
        let mut refused = Vec::new();
        for change in changes {
            match self.set(conn, change).await {
                Ok(()) => {}
                Err(SetError::Setting(_)) => refused.push(change.clone()),
                Err(SetError::Connect(broken)) => return Err(broken),
            }
        }
        Ok(refused)
    }

    /// Sets each, and returns the error of the first that the server refuses.
    async fn apply_strictly(
        &mut self,
        conn: &mut Conn,
        changes: &[Change],
    ) -> Result<Option<SetError>, ConnectError> {
        for change in changes {
            match self.set(conn, change).await {
                Ok(()) => {}
                Err(SetError::Connect(broken)) => return Err(broken),
                Err(refused) => return Ok(Some(refused)),
            }
        }
        Ok(None)
    }

    async fn set(&mut self, conn: &mut Conn, change: &Change) -> Result<(), SetError> {
        if change.to == To::Default && WORKED_OUT.contains(&change.name.as_str()) {
            push_new(&mut self.done.need_restart, &change.name);
            return Ok(());
        }
        match set_global(self.connection, self.flavor, conn, &change.name, change.value()).await {
            Ok(()) => push_new(&mut self.done.changed, &change.name),
            Err(SetError::Setting(SettingError::ReadOnly(_))) => {
                // It may be what the server has by itself.
                let has = self.asked.at_start.get(&change.name);
                let is_there = change
                    .value()
                    .is_some_and(|value| has.is_some_and(|has| is_taken(&change.name, value, has)));
                if !is_there {
                    push_new(&mut self.done.need_restart, &change.name);
                    return Ok(());
                }
            }
            Err(error) => return Err(error),
        }
        self.asked.note(change);
        Ok(())
    }

    fn needs_restart(&self, change: &Change) -> bool {
        self.done.need_restart.contains(&change.name)
    }
}

fn push_new(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings(texts: &[&str]) -> Vec<Setting> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        pairs.iter().map(owned).collect()
    }

    fn change(name: &str, to: To) -> Change {
        Change {
            name: name.into(),
            to,
        }
    }

    #[test]
    fn what_is_not_wanted_any_more_is_put_back_first() {
        let at_start = map(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let mut asked = Asked::new(settings(&["a=1"]), at_start);
        let first = asked.changes(&settings(&["a=1", "b=5", "c=6"]));
        assert_eq!(
            first,
            [
                change("b", To::Value("5".into())),
                change("c", To::Value("6".into()))
            ]
        );
        first.iter().for_each(|change| asked.note(change));
        let second = asked.changes(&settings(&["c=7"]));
        assert_eq!(
            second,
            [
                change("b", To::AtStart("2".into())),
                change("a", To::Default),
                change("c", To::Value("7".into()))
            ]
        );
        assert_eq!(asked.old(), settings(&["c=3", "b=2"]));
    }

    fn any_settings() -> impl Strategy<Value = Vec<Setting>> {
        let all = prop::collection::btree_map("[a-f]", "[0-3]", 0..6);
        all.prop_map(|all| {
            all.iter()
                .map(|(name, value)| Setting::new(name, value))
                .collect()
        })
    }

    proptest! {
        /// Whatever was asked for in between, a server ends with what is wanted, and all else as it was.
        #[test]
        fn a_way_there_does_not_matter(
            started in any_settings(),
            ways in prop::collection::vec(any_settings(), 1..5),
        ) {
            // The server's own defaults are x.
            let plain = |name: char| (name.to_string(), "x".to_owned());
            let mut server: BTreeMap<String, String> = ('a'..='f').map(plain).collect();
            let take = |server: &mut BTreeMap<_, _>, setting: &Setting| {
                server.insert(setting.name().to_owned(), setting.value().to_owned());
            };
            started.iter().for_each(|setting| take(&mut server, setting));
            let mut asked = Asked::new(started, server.clone());
            for wanted in &ways {
                for change in asked.changes(wanted) {
                    server.insert(change.name.clone(), change.value().unwrap_or("x").to_owned());
                    asked.note(&change);
                }
                let mut expected: BTreeMap<String, String> = ('a'..='f').map(plain).collect();
                wanted.iter().for_each(|setting| take(&mut expected, setting));
                prop_assert_eq!(&server, &expected);
                prop_assert_eq!(asked.changes(wanted), vec![]);
            }
        }
    }
}
