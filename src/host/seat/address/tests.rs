use super::*;
use crate::tournament::{PlayerKind, Tournament};

/// Longer than any test waits.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The reach of an unconfined program with these `keys`.
fn reach(keys: &str) -> Option<Reach> {
    let text = format!("[[player]]\nname = \"a\"\n{keys}\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n");
    let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
    let PlayerKind::Program(program) = &tournament.players[0].kind else { panic!("{text}") };
    Reach::of(program, None)
}

const fn reach_of(ports: Ports, any_host: bool) -> Reach {
    Reach { ports, any_host }
}

#[test]
fn only_a_bot_that_is_told_neither_port_nor_server_needs_the_original_port() {
    for (keys, ports, any_host, needed) in [
        (r#"command = ["bot"]"#, Ports::Original, false, OriginalPort::Localhost),
        (r#"command = ["bot", "{side}", "{time}"]"#, Ports::Original, false, OriginalPort::Localhost),
        (r#"command = ["bot", "{host}"]"#, Ports::Original, true, OriginalPort::OwnHost),
        (r#"command = ["bot", "{server}"]"#, Ports::Servers, false, OriginalPort::Unneeded),
        (r#"command = ["bot", "{host}", "{server}"]"#, Ports::Servers, true, OriginalPort::Unneeded),
        (r#"command = ["bot", "{port}"]"#, Ports::Any, false, OriginalPort::Unneeded),
        (r#"command = ["bot", "{host}:{port}"]"#, Ports::Any, true, OriginalPort::Unneeded),
        (r#"command = ["bot", "{port}", "{server}"]"#, Ports::Any, false, OriginalPort::Unneeded),
        ("command = [\"bot\"]\nenv = { PORT = \"{port}\" }", Ports::Any, false, OriginalPort::Unneeded),
    ] {
        let reach = reach(keys).unwrap_or_else(|| panic!("{keys}"));
        assert_eq!((reach, reach.original_port()), (reach_of(ports, any_host), needed), "{keys}");
    }
    assert_eq!(reach("command = [\"bot\"]\ntransport = \"stdio\""), None);
}

#[tokio::test]
async fn server_numbers_come_back_and_are_waited_for() {
    let addresses = Addresses::default();
    let mut places: Vec<_> = server_numbers().map(|number| addresses.lease_server(number).expect("free")).collect();
    let waiting = addresses.listen(reach_of(Ports::Servers, false), None, TIMEOUT);
    tokio::pin!(waiting);
    assert!(tokio::time::timeout(Duration::ZERO, &mut waiting).await.is_err());
    places.clear();
    let place = waiting.await.expect("an address");
    assert!((BASE_PORT + 1..=BASE_PORT + MAX_SERVER).contains(&place.port));
}

#[tokio::test]
async fn each_seat_with_a_host_gets_one_of_its_own() {
    let addresses = Addresses::default();
    for (ports, range) in [
        (Ports::Any, 1..=u16::MAX),
        (Ports::Servers, BASE_PORT + 1..=BASE_PORT + MAX_SERVER),
        (Ports::Original, BASE_PORT..=BASE_PORT),
    ] {
        let seat = async || addresses.listen(reach_of(ports, true), None, TIMEOUT).await.expect("an address");
        let (one, two) = (seat().await, seat().await);
        assert!(range.contains(&one.port) && range.contains(&two.port), "{ports:?}: {} {}", one.port, two.port);
        assert!(one.host != two.host && one.host.is_loopback() && two.host.is_loopback(), "{ports:?}");
    }
}
