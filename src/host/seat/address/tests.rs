use std::collections::BTreeSet;

use proptest::prelude::*;

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

proptest! {
    #[test]
    fn hosts_that_follow_each_other_differ_and_are_nobodys_own(first in any::<u32>(), n in any::<u32>()) {
        let hosts: Vec<Ipv4Addr> = (0..600).map(|next| loopback_host(first, n.wrapping_add(next))).collect();
        let octets = hosts.iter().map(Ipv4Addr::octets);
        prop_assert!(octets.into_iter().all(|[a, b, _, d]| a == 127 && (1..=254).contains(&b) && (1..=254).contains(&d)));
        let distinct: BTreeSet<&Ipv4Addr> = hosts.iter().collect();
        // A counter that overflows starts again at the first host.
        prop_assert!(distinct.len() == hosts.len() || n > u32::MAX - 600);
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_first_seat_waits_for_a_port_that_another_program_keeps() {
    /// A position far from the hosts that other tests in this process use.
    const FIRST: u32 = 1 << 16;
    const KEPT: u32 = 30;
    let timeout = 5 * NEXT_TRY;
    let [addresses, twin] = [(); 2].map(|()| {
        let addresses = Addresses::default();
        addresses.0.next_host.store(FIRST, Ordering::Relaxed);
        addresses.0.has_own_hosts.set(true).expect("new");
        addresses
    });
    // Each attempt uses a different host. The twin assigns the same hosts, and is asked first.
    let tries = || addresses.0.next_host.load(Ordering::Relaxed) - FIRST;
    let keep = async || {
        twin.0.next_host.store(FIRST + tries(), Ordering::Relaxed);
        let mut kept = Vec::new();
        for _ in 0..KEPT {
            kept.push(listen(twin.next_host(), BASE_PORT, AddressLease::Own).await.expect("free"));
        }
        kept
    };
    let tries_in_vain = async || {
        let before = tries();
        addresses.listen(reach_of(Ports::Original, true), None, timeout).await.expect_err("in use");
        tries() - before
    };
    let kept = keep().await;
    assert!(tries_in_vain().await > 1);
    assert_eq!(tries_in_vain().await, 1);
    assert_eq!(tries_in_vain().await, 1);
    // A seat that gets its address shows that waiting is worthwhile again. The hosts used so far are skipped, because a
    // process that another test starts keeps a copy of a closed socket until that process executes its program.
    drop(kept);
    addresses.0.next_host.fetch_add(KEPT, Ordering::Relaxed);
    addresses.listen(reach_of(Ports::Original, true), None, timeout).await.expect("an address");
    let _kept = keep().await;
    assert!(tries_in_vain().await > 1);
    assert_eq!(tries_in_vain().await, 1);
}
