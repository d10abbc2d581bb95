//! Old values given to variables again.

use std::time::Duration;

use crate::error::{ServerError, SettingError};
use crate::settings::change::ChangedVariable;
use crate::settings::global_session::GlobalSession;

/// Number of times that values are set: a variable may limit another one that is set before it, and a server may still be
/// busy with the value that the run set.
const ROUNDS: u32 = 3;

/// Time before the last round.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives each variable its old value again, the last one first, and reads all of them back. Returns those that are still
/// different, each with the reason.
pub(crate) async fn undo<'a>(
    session: &mut GlobalSession<'_>,
    changes: &'a [ChangedVariable],
) -> Result<Vec<(&'a ChangedVariable, String)>, ServerError> {
    let mut different = different(session, changes).await?;
    if !different.is_empty() {
        session.refuse_inexact_values().await?;
    }
    for round in 1..=ROUNDS {
        if different.is_empty() {
            break;
        }
        if round == ROUNDS {
            tokio::time::sleep(PAUSE).await;
        }
        let mut refused = Vec::new();
        for (change, _) in different {
            match session.set(&change.name, &change.old_literal()).await {
                Ok(()) => {}
                Err(ServerError::Setting(error)) => refused.push((change, error)),
                Err(broken) => return Err(broken),
            }
        }
        different = self::different(session, changes).await?;
        for (change, reason) in &mut different {
            let why = refused.iter().find(|(refused, _)| refused.name == change.name);
            *reason = why.map_or_else(|| reason.clone(), |(_, error)| error.to_string());
        }
    }
    Ok(different)
}

/// Gives variables the values that they have, as a restore will. What the server does not take is not to be changed.
///
/// The rule: a rehearsal changes nothing, because the server refuses a value that it would change; what one changes all the same
/// ([`SettingError::Lost`]) no SET gives back, so it is told once and noted no more, or that note would stop all later runs.
pub(crate) async fn rehearse(
    session: &mut GlobalSession<'_>,
    changes: &[ChangedVariable],
) -> Result<(), ServerError> {
    session.refuse_inexact_values().await?;
    let mut refused = Ok(());
    for change in changes.iter().rev() {
        match session.set(&change.name, &change.old_literal()).await {
            Ok(()) => {}
            Err(ServerError::Setting(SettingError::Refused { message, .. })) => {
                let name = change.name.clone();
                refused = Err(SettingError::OneWay { name, message }.into());
                break;
            }
            Err(other) => return Err(other),
        }
    }
    let lost = undo(session, changes).await?;
    match lost.is_empty() {
        true => refused,
        false => Err(lost_by(&lost).into()),
    }
}

fn lost_by(lost: &[(&ChangedVariable, String)]) -> SettingError {
    let told = |(change, seen): &(&ChangedVariable, String)| {
        format!("{} was {}, and now: {seen}", change.name, change.old_literal())
    };
    let told: Vec<String> = lost.iter().map(told).collect();
    SettingError::Lost {
        names: lost.iter().map(|(change, _)| change.name.clone()).collect(),
        told: told.join("; "),
    }
}

/// Returns the changes whose variables do not have their old values, the last one first, each with what was seen.
async fn different<'a>(
    session: &mut GlobalSession<'_>,
    changes: &'a [ChangedVariable],
) -> Result<Vec<(&'a ChangedVariable, String)>, ServerError> {
    let mut different = Vec::new();
    for change in changes.iter().rev() {
        let name = &change.name;
        match session.get(name).await {
            Ok(now) if change.is_undone(&now) => {}
            Ok(now) => different.push((change, format!("{name} is {}", now.literal()))),
            // The plugin or component of the variable is gone, or the right to read it.
            Err(ServerError::Setting(error)) => different.push((change, error.to_string())),
            Err(broken) => return Err(broken),
        }
    }
    Ok(different)
}
