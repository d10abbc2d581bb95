//! Variables that a server goes on working at after `SET GLOBAL` has returned.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::connection::connect::{ConnectError, Connection};
use crate::settings::value_match::is_taken;
use crate::settings::variable::Setting;

/// Their names.
const GRADUAL: [&str; 2] = ["innodb_buffer_pool_size", "innodb_redo_log_capacity"];

/// How long such work may take, on an idle server.
const GRADUAL_PATIENCE: Duration = Duration::from_secs(60);

/// How often the server is asked meanwhile.
const GRADUAL_POLL: Duration = Duration::from_millis(20);

/// How long a server may take to begin.
const BEGINS_WITHIN: Duration = Duration::from_secs(1);

/// The server's variables, once it has done what it goes on working at after these were set; `wanted` has the values
/// that are known.
pub(crate) async fn settled(
    connection: &Connection,
    changed: &[String],
    wanted: &[Setting],
) -> Result<BTreeMap<String, String>, ConnectError> {
    let is_gradual = |name: &str| GRADUAL.contains(&name) && changed.iter().any(|known| known == name);
    let gradual: Vec<_> = wanted
        .iter()
        .filter(|setting| is_gradual(setting.name()))
        .collect();
    let start = Instant::now();
    loop {
        let variables = connection.variables().await?;
        if !changed.iter().any(|name| GRADUAL.contains(&name.as_str())) {
            return Ok(variables);
        }
        let resizing = is_resizing(&connection.status().await?);
        let holds = gradual.iter().all(|setting| {
            let reported = variables.get(setting.name());
            reported.is_some_and(|reported| is_taken(setting.name(), setting.value(), reported))
        });
        let patience = match (resizing, holds) {
            (false, true) => return Ok(variables),
            (true, _) => GRADUAL_PATIENCE,
            // It has not begun, or has another value in the end.
            (false, false) => BEGINS_WITHIN,
        };
        if start.elapsed() > patience {
            return Ok(variables);
        }
        tokio::time::sleep(GRADUAL_POLL).await;
    }
}

/// MySQL tells of both by a number, 0 when nothing goes on, and MariaDB of its buffer pool by a sentence.
fn is_resizing(status: &BTreeMap<String, String>) -> bool {
    let text = |name: &str| status.get(name).map_or("", String::as_str);
    let goes_on = |code: &str| !["", "0"].contains(&text(code));
    let pool = match status.contains_key("Innodb_buffer_pool_resize_status_code") {
        true => goes_on("Innodb_buffer_pool_resize_status_code"),
        false => {
            let told = text("Innodb_buffer_pool_resize_status");
            !(told.is_empty() || told.starts_with("Completed") || told.contains("not"))
        }
    };
    let redo = text("Innodb_redo_log_resize_status");
    pool || !["", "OK"].contains(&redo)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn both_servers_tell_when_they_resize() {
        let resizing = [
            map(&[("Innodb_buffer_pool_resize_status_code", "3")]),
            map(&[("Innodb_redo_log_resize_status", "Resizing down")]),
            map(&[("Innodb_buffer_pool_resize_status", "Withdrawing blocks. (1/2)")]),
        ];
        let not = [
            map(&[
                ("Innodb_buffer_pool_resize_status_code", "0"),
                ("Innodb_buffer_pool_resize_status", "Resizing was long ago"),
                ("Innodb_redo_log_resize_status", "OK"),
            ]),
            map(&[(
                "Innodb_buffer_pool_resize_status",
                "Completed resizing buffer pool at 241122  9:00:00.",
            )]),
            map(&[("Innodb_buffer_pool_resize_status", "")]),
            map(&[]),
        ];
        assert!(resizing.iter().all(is_resizing));
        assert!(!not.iter().any(is_resizing));
    }
}
