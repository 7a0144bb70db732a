use proptest::prelude::*;

use super::*;

fn hello(line: &str) -> Result<(Role, Option<String>), BadHello> {
    line.parse().map(|hello: Hello| (hello.role, hello.name.map(|name| name.0)))
}

#[test]
fn versions_up_to_the_arenas_own_are_accepted() {
    for version in ["0.9", "0.8.7", "0.9.1", "0.9.2", "0.0", "00.09.01"] {
        assert!(hello(&format!("{version} observer")).is_ok(), "{version}");
    }
    for version in ["0.10", "1.0", "0.9.3", "abc", "", "0", "0.9.1.0", "0.9.", "-1.0", "+0.9", "0.99999999999"] {
        assert_eq!(hello(&format!("{version} observer")), Err(BadHello::Version), "{version}");
    }
}

#[test]
fn a_hello_gives_a_role_and_optionally_a_name() {
    let black = Role::Player(SeatWish::Only(Seat::FIRST));
    assert_eq!(hello("0.9.1 player black"), Ok((black, None)));
    assert_eq!(hello(" 0.9.1\t player  black ignored \"me\""), Ok((black, None)));
    assert_eq!(
        hello("0.9.1 player ? \"a \"\"b\"\" c\" x"),
        Ok((Role::Player(SeatWish::Any), Some("a \"b\" c".into())))
    );
    assert_eq!(hello("0.9.1 observer \"\""), Ok((Role::Observer, Some(String::new()))));
    for line in ["0.9.1", "0.9.1 player", "0.9.1 player red", "0.9.1 Player black", "0.9.1 watcher"] {
        assert_eq!(hello(line), Err(BadHello::Role(2)), "{line}");
    }
    let long = format!("0.9.1 observer \"{}\"", "x".repeat(32));
    for line in ["0.9.1 observer \"open", "0.9.1 observer \"a\"b", "0.9.1 observer \"\"\"", &long] {
        assert_eq!(hello(line), Err(BadHello::Name), "{line}");
    }
}

#[test]
fn a_seat_has_a_number_for_clients_that_know_of_seats() {
    let player = |number| Ok((Role::Player(SeatWish::Only(Seat::new(number).expect("a seat"))), None));
    assert_eq!(hello("0.9.2 player 1"), player(1));
    assert_eq!(hello("0.9.2 player 02 ignored"), player(2));
    assert_eq!(hello("0.9.2 player white"), player(2));
    assert_eq!(hello("0.9.2 player 6 \"me\"").map(|(role, _)| role), player(6).map(|(role, _)| role));
    for seat in ["0", "7", "99999999999999999999"] {
        assert_eq!(hello(&format!("0.9.2 player {seat}")), Err(BadHello::Seat), "{seat}");
    }
    for line in ["0.9.1 player 1", "0.9 player 2", "0.9.2 player +1", "0.9.2 player 1st", "0.9.2 player"] {
        assert_eq!(hello(line), Err(BadHello::Role(2)), "{line}");
    }
}

#[test]
fn a_hello_must_fit_the_seats_of_the_game() {
    let check = |line: &str, seats| Hello::for_game(line, seats).map(drop);
    assert_eq!([check("0.9.2 player 3", 2), check("0.9.2 player 5", 4)], [Err(BadHello::Seat); 2]);
    for line in ["0.9.2 player 4", "0.9.2 player black", "0.9.2 player ?", "0.9.2 observer"] {
        assert_eq!(check(line, 4), Ok(()), "{line}");
    }
    for line in ["0.9.1 player black", "0.9 player ?", "0.9.1 observer"] {
        assert_eq!([check(line, 2), check(line, 6)], [Ok(()), Err(BadHello::TooOld(6))], "{line}");
    }
    let refusal = |line, seats| Hello::for_game(line, seats).expect_err("a bad hello").response().to_string();
    assert_eq!(check("0.9.1 player 4", 4), Err(BadHello::TooOld(4)));
    assert_eq!(
        refusal("0.9.2 player red", 4),
        "199 Request not understood: expected `player 1` to `player 4`, `player ?` or `observer` after the version"
    );
    for line in ["0.9.1 player 1", "0.9.2 player red"] {
        assert_eq!(
            refusal(line, 2),
            "199 Request not understood: expected `player white`, `player black`, `player ?` or `observer` after the version"
        );
    }
    assert_eq!(
        BadHello::TooOld(4).response().to_string(),
        "198 Illegal version number: a game of 4 seats needs version 0.9.2"
    );
}

#[test]
fn actions_are_numbered_or_bare() {
    let numbered = |number, dots, text: &str| Ok(Action::Numbered { number, dots, text: text.into() });
    assert_eq!("1 c3".parse(), numbered(1, 0, "c3"));
    assert_eq!("\t01   ...\td4 and more".parse(), numbered(1, 1, "d4"));
    assert_eq!("-1 c3".parse(), numbered(-1, 0, "c3"));
    assert_eq!("3 resign".parse(), numbered(3, 0, "resign"));
    assert_eq!("2 ... ... ...\t... ... f7".parse(), numbered(2, 5, "f7"));
    assert_eq!("2 ... ...".parse(), numbered(2, 1, "..."));
    assert_eq!("pass please".parse(), Ok(Action::Pass));
    assert_eq!("resign".parse(), Ok(Action::Resign));
    for line in ["c3", "", "1.5 c3", "+1 c3", "99999999999999999999 c3", "1...d4", "PASS", "-"] {
        let word = line.split(' ').next().unwrap_or_default();
        assert_eq!(line.parse::<Action>(), Err(BadAction::Number(word.into())), "{line}");
    }
    for line in ["1", "1 ", "1 ..."] {
        assert_eq!(line.parse::<Action>(), Err(BadAction::NoMove), "{line}");
    }
}

proptest! {
    #[test]
    fn a_printed_hello_reads_back(
        numbers in (0..1_u32, 0..9_u32, 0..100_u32),
        role in prop_oneof![
            Just(Role::Observer), Just(Role::Player(SeatWish::Any)),
            (1..=2_u8).prop_map(|number| Role::Player(SeatWish::Only(Seat::new(number).expect("a seat"))))
        ],
        name in proptest::option::of("[ -~é\"]{0,31}")
    ) {
        let version = Version::new(numbers.0, numbers.1, numbers.2);
        let name = name.map(|name| EntityName::new(&name).expect("short and printable"));
        let hello = Hello { version, role, name };
        prop_assert_eq!(hello.to_string().parse(), Ok(hello));
    }

    #[test]
    fn a_printed_hello_names_every_seat_of_a_group(number in 1..=6_u8) {
        let role = Role::Player(SeatWish::Only(Seat::new(number).expect("a seat")));
        let hello = Hello { version: VERSION, role, name: None };
        prop_assert_eq!(hello.to_string().parse(), Ok(hello));
    }

    #[test]
    fn a_printed_action_reads_back(number: i64, dots in 0..8_usize, text in "[!-~]{1,20}") {
        prop_assume!(text != "...");
        let action = Action::Numbered { number, dots, text };
        prop_assert_eq!(action.to_string().parse(), Ok(action));
    }

    #[test]
    fn no_line_makes_the_parsers_panic(line in "\\PC{0,80}") {
        let _ = line.parse::<Hello>();
        let _ = line.parse::<Action>();
    }
}
