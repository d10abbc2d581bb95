//! A server that listens at an address.

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;

/// The password of the account `bench`, and of every command.
pub(super) const PASSWORD: &str = "geheim";

/// Starts a server that listens at an address, with an account for TCP.
pub(super) fn listening(flavor: Flavor, at: &str, port: u16) -> Foreign {
    let at = format!("{at}:{port}").parse().unwrap();
    let foreign = Foreign::start_at(flavor, &[], Some(at));
    foreign.tell(&format!("CREATE USER bench@'%' IDENTIFIED BY '{PASSWORD}'"));
    foreign.tell("GRANT ALL ON *.* TO bench@'%'");
    foreign
}
