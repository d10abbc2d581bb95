//! Global variables set on a running server.

use std::collections::BTreeMap;

use mysql_async::prelude::Queryable;

use crate::error::{ServerError, SettingError};
use crate::settings::change::{ChangedVariable, OldValue};
use crate::settings::companions::companions_of_all;
use crate::settings::global_session::{GlobalSession, set_statement};
use crate::settings::global_value::literal;
use crate::settings::undo::rehearse;
use crate::settings::value_match::has_value;
use logtrace_common::{ConnectError, Connection, Flavor, Variable};

/// Sets global variables on a running server, verifies that it reports the new values, and returns all its variables.
pub(crate) async fn set_verified(
    connection: &Connection,
    flavor: Flavor,
    settings: &[Variable],
) -> Result<BTreeMap<String, String>, ServerError> {
    let mut conn = connection.connect().await?;
    set_all(&mut GlobalSession::new(connection, flavor, &mut conn), settings).await?;
    connection.disconnect(conn).await?;
    Ok(connection.variables().await?)
}

/// Reads the present values of variables that are to get others, after those of their companions: what is restored the last one
/// first gives companions their values last. Fails if one cannot be read.
pub(crate) async fn changes_to(
    session: &mut GlobalSession<'_>,
    settings: &[Variable],
) -> Result<Vec<ChangedVariable>, ServerError> {
    let names: Vec<&str> = settings.iter().map(Variable::name).collect();
    let mut changes = Vec::new();
    for name in companions_of_all(&names) {
        let old = match session.get(name).await {
            Ok(value) => OldValue::Read(value),
            Err(ServerError::Setting(SettingError::Unknown { .. })) => continue,
            Err(other) => return Err(other),
        };
        changes.push(ChangedVariable {
            name: name.to_owned(),
            old,
            new: None,
        });
    }
    for setting in settings {
        changes.push(ChangedVariable {
            name: setting.name().to_owned(),
            old: OldValue::Read(session.get(setting.name()).await?),
            new: Some(setting.value().to_owned()),
        });
    }
    Ok(changes)
}

/// Gives variables their new values, verifies them, and returns what the server reports. First gives each the value that it
/// has, as a restore will: what the server does not take is not changed.
pub(crate) async fn set_undoable(
    session: &mut GlobalSession<'_>,
    changes: &[ChangedVariable],
) -> Result<Vec<(String, String)>, ServerError> {
    rehearse(session, changes).await?;
    let settings: Vec<_> = changes
        .iter()
        .filter_map(|change| Some(Variable::new(&change.name, change.new.as_ref()?)))
        .collect();
    set_all(session, &settings).await
}

/// Sets variables and verifies them. Returns what the server reports.
///
/// A variable may limit another one that is set before it. So those that do not have their value are set once more.
async fn set_all(
    session: &mut GlobalSession<'_>,
    settings: &[Variable],
) -> Result<Vec<(String, String)>, ServerError> {
    for setting in settings {
        match set(session, setting).await {
            Ok(()) | Err(ServerError::Setting(_)) => {}
            Err(broken) => return Err(broken),
        }
    }
    for setting in settings {
        if verified(session, setting).await.is_err() {
            set(session, setting).await?;
        }
    }
    let mut reported = Vec::new();
    for setting in settings {
        let value = verified(session, setting).await?;
        reported.push((setting.name().to_owned(), value));
    }
    Ok(reported)
}

async fn set(session: &mut GlobalSession<'_>, setting: &Variable) -> Result<(), ServerError> {
    let set = session.set(setting.name(), &literal(setting.value())).await;
    set.map_err(|error| match error {
        ServerError::Setting(SettingError::Refused { name, message, .. }) => SettingError::Refused {
            name,
            // As the user wrote it.
            value: setting.value().to_owned(),
            message,
        }
        .into(),
        other => other,
    })
}

/// Returns the value that the server reports. Fails if it is another one.
async fn verified(session: &mut GlobalSession<'_>, setting: &Variable) -> Result<String, ServerError> {
    let reported = session.get(setting.name()).await?.to_string();
    match has_value(setting.name(), setting.value(), &reported) {
        true => Ok(reported),
        false => Err(SettingError::NotTaken {
            wanted: setting.clone(),
            reported,
        }
        .into()),
    }
}

/// Gives global variables the values that the server's program has built in.
pub(crate) async fn reset_to_default(connection: &Connection, names: &[&str]) -> Result<(), ConnectError> {
    let mut conn = connection.connect().await?;
    for name in names {
        let reset = conn.query_drop(set_statement(name, "DEFAULT")).await;
        reset.map_err(|error| connection.explain(error))?;
    }
    connection.disconnect(conn).await
}
