//! Tests that both the arena and clients of the original server understand every response as it is printed.

use proptest::prelude::*;

use super::*;
use crate::referee::time_control::tests::any_control;

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Black), Just(Side::White)]
}

fn played() -> impl Strategy<Value = Move> {
    prop_oneof![
        Just(Move::PASS),
        "[a-u]([1-9]|1[0-9]|2[01])([+-][a-e][1-5]){0,2}".prop_map(|text| text.parse().expect("a move"))
    ]
}

fn decision() -> impl Strategy<Value = Decision> {
    prop_oneof![Just(Decision::Win), Just(Decision::Loss), Just(Decision::Draw)]
}

fn words() -> impl Strategy<Value = Words> {
    "\\PC{0,210}".prop_map(|text| Words::new(&text))
}

fn name() -> impl Strategy<Value = EntityName> {
    "[ -~]{0,31}".prop_map(|text| EntityName::new(&text).expect("a name"))
}

fn any_ruleset() -> impl Strategy<Value = Ruleset> {
    let texts =
        ["gothello", "seegover", "seegover cycle=superko", "seegover drop=2 capture=single back=capture", "othello"];
    proptest::sample::select(texts.to_vec()).prop_map(|text| text.parse().expect("a rule set"))
}

fn seat() -> impl Strategy<Value = Seat> {
    (1..=6_u8).prop_map(|number| Seat::new(number).expect("a seat"))
}

/// One value for each seat of a game with more than two seats.
fn by_seat<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = BySeat<T>> {
    proptest::collection::vec(value, 3..=6).prop_map(|values| BySeat::new(values).expect("seats"))
}

/// Any state of a game.
fn state() -> impl Strategy<Value = Response> {
    let two = (any::<[u64; 2]>(), side())
        .prop_map(|(left, side)| (BySeat::new(left.to_vec()).expect("seats"), ToMove::Side(side)));
    let group = (by_seat(any::<u64>()), seat()).prop_map(|(left, seat)| (left, ToMove::Seat(seat)));
    (any::<u32>(), prop_oneof![two, group], any::<bool>(), any::<bool>()).prop_map(
        |(number, (left, to_move), is_timed, is_over)| Response::State {
            number,
            left: is_timed.then_some(left),
            to_move: (!is_over).then_some(to_move),
        },
    )
}

/// Any response that only clients in a game with more than two seats receive.
fn of_group() -> impl Strategy<Value = Response> {
    let whys: Vec<Termination> =
        Termination::ALL.into_iter().filter(|&why| why.is_forfeit() || why == Termination::Resignation).collect();
    prop_oneof![
        by_seat(any::<u64>()).prop_map(Response::GrantedInGroup),
        (3..=6_u8).prop_map(|seats| Response::OldVersion { seats }),
        (seat(), any::<u32>(), played(), proptest::option::of(any::<u64>()))
            .prop_map(|(seat, number, played, left)| Response::MovedInGroup { seat, number, played, left }),
        (seat(), proptest::sample::select(whys)).prop_map(|(seat, why)| Response::DroppedOut { seat, why }),
        by_seat(1..=6_u8).prop_map(Response::Placed),
        (seat(), name()).prop_map(|(seat, name)| Response::SeatName(seat, name)),
        (0_usize..1000).prop_map(Response::MovesSoFar),
        seat().prop_map(Response::YouPlaySeat),
    ]
}

/// Any response.
fn response() -> impl Strategy<Value = Response> {
    let left = || proptest::option::of(any::<u64>());
    prop_oneof![
        of_group(),
        prop_oneof![
            any_ruleset().prop_map(Response::Greeting),
            Just(Response::Granted),
            any::<(u64, u64)>().prop_map(|(first, second)| Response::GrantedTimed { first, second }),
            Just(Response::Taken),
            Just(Response::NoSuchSeat),
            (2..=6_u8).prop_map(|seats| Response::Full { seats }),
            Just(Response::Private),
            Just(Response::BadVersion),
            words().prop_map(Response::BadHello),
        ],
        prop_oneof![
            proptest::option::of(played()).prop_map(Response::Accepted),
            (proptest::option::of(played()), any::<u64>())
                .prop_map(|(played, left)| Response::AcceptedTimed { played, left }),
            (decision(), proptest::option::of(played()))
                .prop_map(|(decision, played)| Response::Over { decision, played }),
            Just(Response::Resigned),
            words().prop_map(Response::Illegal),
            words().prop_map(Response::Garbled),
        ],
        prop_oneof![
            (side(), any::<u32>(), played(), left()).prop_map(|(side, number, played, left)| Response::Moved {
                side,
                number,
                played,
                left
            }),
            (side(), any::<u32>(), played(), decision()).prop_map(|(side, number, played, decision)| {
                Response::MovedLast { side, number, played, decision }
            }),
            side().prop_map(Response::WonByResignation),
            side().prop_map(Response::WonByTime),
            side().prop_map(Response::Disconnected),
            words().prop_map(Response::Problem),
        ],
        prop_oneof![
            (side(), name()).prop_map(|(side, name)| Response::PlayerName(side, name)),
            (any::<u32>(), name()).prop_map(|(number, name)| Response::ObserverName(number, name)),
            any::<u32>().prop_map(Response::Observers),
            side().prop_map(Response::YouPlay),
            Just(Response::YouObserve),
            state(),
            "[bw.]{5}(\n[bw.]{5}){4}".prop_map(Response::Board),
            "[bw.]{8}(\n[bw.]{9}){0,41}".prop_map(Response::CountedBoard),
            (any_ruleset(), 2..=6_u8, proptest::option::of(1..=6_u8))
                .prop_map(|(ruleset, seats, seat)| Response::Rules { ruleset: ruleset.name(), seats, seat }),
            any_control().prop_filter_map("no clocks", Response::of_clocks),
            ("[a-z]{1,12}", "[a-z0-9,/]{1,20}").prop_map(|(key, value)| Response::RuleOption { key, value }),
        ],
    ]
}

proptest! {
    #[test]
    fn a_printed_response_reads_back(response in response()) {
        prop_assert_eq!(response.to_string().parse(), Ok(response));
    }

    #[test]
    fn every_response_has_its_code_a_blank_and_a_last_word(response in response()) {
        let line = response.to_string();
        let code = format!("{:03}", response.code());
        prop_assert!(line.starts_with(&code));
        match response {
            Response::Board(_) => prop_assert!(line.starts_with("382\r\n")),
            Response::CountedBoard(ranks) => {
                let lead = format!("383 {} lines follow\r\n", ranks.lines().count());
                prop_assert!(line.starts_with(&lead));
            }
            Response::State { .. } => prop_assert!(!line.ends_with(' ')),
            // Free text has no fields.
            Response::Illegal(_) | Response::Garbled(_) | Response::BadHello(_) | Response::Problem(_) => {}
            // The Java clients fail if nothing follows the last field.
            _ => prop_assert!(line.ends_with(|c: char| !c.is_ascii_digit() && c != ' ')
                || line.split_whitespace().count() > 3, "{}", line),
        }
        prop_assert!(matches!(code.as_str(), "382" | "383") || !line.contains(['\r', '\n']));
    }

    #[test]
    fn no_line_makes_the_parser_panic(line in "\\PC{0,60}|[0-9]{3} \\PC{0,60}") {
        let _ = line.parse::<Response>();
    }
}

#[test]
fn the_greeting_names_every_rule_set_but_gothello() {
    for (ruleset, line) in [
        ("gothello", "000 Gothello 0.9.1 gothello-arena is ready"),
        ("seegover", "000 Gothello 0.9.1 seegover gothello-arena is ready"),
        ("seegover drop=2 cycle=superko", "000 Gothello 0.9.1 seegover cycle=superko drop=2 gothello-arena is ready"),
    ] {
        let greeting = Response::Greeting(ruleset.parse().expect("a rule set"));
        assert_eq!(greeting.to_string(), line);
        assert_eq!(line.parse(), Ok(greeting));
    }
}

#[test]
fn a_greeting_with_unknown_options_is_not_taken_for_gothello() {
    for options in ["drop=3", "variant=two", "drop=2 drop=2", "cycle="] {
        let line = format!("000 Gothello 0.9.1 seegover {options} gothello-arena is ready");
        assert_eq!(line.parse::<Response>(), Err(BadResponse::Rules), "{line}");
    }
    let free = "000 Gothello 0.9.1 gothello speed=9 is ready";
    assert_eq!(free.parse(), Ok(Response::Greeting(Ruleset::Gothello)));
}

#[test]
fn each_response_prints_as_existing_clients_know_it() {
    let c3: Move = "c3".parse().expect("a move");
    let third = Seat::new(3).expect("a seat");
    let moved = |side, played, left| Response::Moved { side, number: 1, played, left };
    let last = |side, decision| Response::MovedLast { side, number: 3, played: Move::PASS, decision };
    let table = [
        (moved(Side::Black, c3, None), "311 1 c3 is black move, game continues"),
        (moved(Side::White, c3, None), "312 1 ... c3 is white move, game continues"),
        (moved(Side::Black, c3, Some(59)), "313 1 c3 59 (secs) is black move, game continues"),
        (moved(Side::White, c3, Some(59)), "314 1 ... c3 59 (secs) is white move, game continues"),
        (moved(Side::Black, Move::PASS, None), "315 1 pass is black move, game continues"),
        (moved(Side::White, Move::PASS, None), "316 1 ... pass is white move, game continues"),
        (moved(Side::Black, Move::PASS, Some(58)), "317 1 pass 58 (secs) is black move, game continues"),
        (moved(Side::White, Move::PASS, Some(0)), "318 1 ... pass 0 (secs) is white move, game continues"),
        (last(Side::Black, Decision::Win), "321 3 pass and black wins"),
        (last(Side::Black, Decision::Loss), "322 3 pass and black loses"),
        (last(Side::White, Decision::Win), "323 3 ... pass and white wins"),
        (last(Side::White, Decision::Loss), "324 3 ... pass and white loses"),
        (last(Side::Black, Decision::Draw), "325 3 pass and black draws"),
        (last(Side::White, Decision::Draw), "326 3 ... pass and white draws"),
        (Response::WonByResignation(Side::Black), "327 Black wins by White resigning"),
        (Response::WonByTime(Side::Black), "361 Black wins by White time expiring"),
        (Response::WonByTime(Side::White), "362 White wins by Black time expiring"),
        (Response::Disconnected(Side::White), "392 White disconnected"),
        (
            Response::AcceptedTimed { played: Some(c3), left: 59 },
            "207 59 secs remaining after move c3 accepted, continue playing",
        ),
        (Response::Accepted(Some(c3)), "200 Move c3 accepted, continue playing"),
        (Response::Over { decision: Decision::Win, played: Some(Move::PASS) }, "201 Move pass accepted, You win"),
        (Response::State { number: 4, left: None, to_move: None }, "380 4 ."),
        (
            Response::State { number: 1, left: BySeat::new(vec![1, 2]), to_move: Some(ToMove::Side(Side::White)) },
            "381 1 1 2 w",
        ),
        (Response::Board(".....\n..b..".into()), "382\r\n.....\r\n..b.."),
        (Response::CountedBoard("..\nb.".into()), "383 2 lines follow\r\n..\r\nb."),
        (
            Response::Rules { ruleset: "quantum-8", seats: 2, seat: Some(2) },
            "345 quantum-8 2 2 is the game, seats, and your seat",
        ),
        (Response::Rules { ruleset: "go-9", seats: 2, seat: None }, "345 go-9 2 . is the game, seats, and your seat"),
        (
            Response::RuleOption { key: "ko".to_owned(), value: "simple".to_owned() },
            "346 ko simple is a rule of this game",
        ),
        (
            Response::State { number: 2, left: BySeat::new(vec![59, 60, 60, 58]), to_move: Some(ToMove::Seat(third)) },
            "381 2 59 60 60 58 3",
        ),
        (Response::State { number: 2, left: None, to_move: Some(ToMove::Seat(third)) }, "380 2 3"),
        (Response::GrantedInGroup(BySeat::from_fn(4, |_| 60)), "102 60 60 60 60 Request accepted with time controls"),
        (
            Response::MovedInGroup { seat: third, number: 1, played: c3, left: None },
            "331 1 ... ... c3 is seat 3 move, game continues",
        ),
        (
            Response::MovedInGroup { seat: Seat::FIRST, number: 1, played: Move::PASS, left: Some(58) },
            "332 1 pass 58 (secs) is seat 1 move, game continues",
        ),
        (Response::DroppedOut { seat: third, why: Termination::NoShow }, "335 3 is out, no show"),
        (Response::Placed(BySeat::new(vec![2, 1, 4, 3]).expect("four seats")), "336 2 1 4 3 is the placing, game over"),
        (Response::SeatName(third, EntityName::new("bo").expect("a name")), "348 3 \"bo\" is a player"),
        (Response::MovesSoFar(62), "349 62 moves follow, which have been made"),
        (Response::YouPlaySeat(third), "354 3 You will play seat 3"),
        (Response::OldVersion { seats: 4 }, "198 Illegal version number: a game of 4 seats needs version 0.9.2"),
        (Response::NoSuchSeat, "191 The game does not have the requested seat"),
        (Response::YouPlay(Side::White), "351 You will play white"),
        (Response::GrantedTimed { first: 30, second: 60 }, "101 30 60 Request accepted with time controls (you / opp)"),
    ];
    for (response, line) in table {
        assert_eq!(response.to_string(), line);
    }
}

#[test]
fn any_line_end_separates_ranks() {
    let board = Response::Board("..b..\n.....".into());
    for text in ["382\r\n..b..\r\n.....", "382\n..b..\n.....\n\n", "382\r..b..\r\r\n.....\r\r"] {
        assert_eq!(text.parse().as_ref(), Ok(&board), "{text:?}");
    }
    assert_eq!(board.to_string(), "382\r\n..b..\r\n.....");
}

#[test]
fn the_original_servers_wordings_are_understood() {
    let reads = |line: &str| line.parse::<Response>();
    assert_eq!(reads("000 0.9.1 version Gothello server says hello!"), Ok(Response::Greeting(Ruleset::Gothello)));
    assert_eq!(
        reads("202 Your time expires, and you lose"),
        Ok(Response::Over { decision: Decision::Loss, played: None })
    );
    assert_eq!(reads("380 4 *"), Ok(Response::State { number: 4, left: None, to_move: None }));
    assert!(matches!(reads("291 Illegal move b1"), Ok(Response::Illegal(_))));
    assert_eq!(reads("777 what"), Err(BadResponse::Code));
    assert_eq!(reads("312 1 d3 is"), Err(BadResponse::Field(312)));
}
