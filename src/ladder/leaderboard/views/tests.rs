//! The rules about who sees what, for ladders of all kinds.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::picture::{LadderLoss, PicturedSelection, WaitingHandIn};
use super::*;
use crate::game::Side;

/// The beginning of every string that must not be revealed to others. The name of the owner follows.
const SECRET: &str = "secret-of-";

/// A version of `player` in which every string but the state contains the player's secret.
fn version(player: &str, number: u32, state: VersionWord, elo: Option<f64>) -> PicturedVersion {
    let secret = |what: &str| format!("{what}-{SECRET}{player}.");
    PicturedVersion {
        name: secret(&format!("version-{number}")),
        state,
        reason: secret("reason"),
        rating: elo.map(|elo| PicturedRating { elo, error95: 30.0 }),
        results: [number.into(), 1, 2],
        arrived: Some(1_000 + i64::from(number)),
        door: secret("door"),
        origin: secret("/home/teacher"),
    }
}

fn player(name: &str, versions: &[(VersionWord, Option<f64>)], change: Option<f64>) -> PicturedPlayer {
    let versions: Vec<PicturedVersion> =
        (1..).zip(versions).map(|(number, &(state, elo))| version(name, number, state, elo)).collect();
    let playing = versions.iter().filter(|version| version.state == VersionWord::Playing);
    let best = playing.filter_map(|version| version.rating).max_by(|one, other| one.elo.total_cmp(&other.elo));
    let lost = LadderLoss {
        number: 7,
        id: format!("game-{SECRET}{name}."),
        side: Side::Black,
        version: format!("lost-{SECRET}{name}."),
        opponent: "somebody".to_owned(),
    };
    PicturedPlayer {
        name: name.to_owned(),
        rating: best,
        change,
        games: 9,
        versions,
        lost: vec![lost],
        ..PicturedPlayer::default()
    }
}

/// The picture of a ladder with `players`, which this function ranks.
fn picture(mut players: Vec<PicturedPlayer>, is_anonymous: bool) -> LadderPicture {
    let elo = |player: &PicturedPlayer| player.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
    players.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
    for (rank, player) in (1..).zip(players.iter_mut().filter(|player| player.rating.is_some())) {
        player.rank = Some(rank);
    }
    let troubles = players.iter().map(|player| (player.name.clone(), format!("trouble-{SECRET}{}.", player.name)));
    LadderPicture {
        seq: 3,
        title: "term".to_owned(),
        is_anonymous,
        troubles: troubles.collect(),
        waiting: players.iter().map(|player| WaitingHandIn { player: player.name.clone(), arrived: 5 }).collect(),
        is_checking: true,
        selection: Some(PicturedSelection { drawn: 4, p_value: Some(0.5), disagrees: false }),
        players,
        ..LadderPicture::default()
    }
}

/// Pictures of ladders with up to 30 players, including baselines, and players without a version that plays.
fn pictures() -> impl Strategy<Value = LadderPicture> {
    let state = prop::sample::select(VersionWord::ALL.to_vec());
    let versions = vec((state, option::of(-800.0..2_000.0)), 0..5);
    let players = vec((versions, any::<bool>(), option::of(-99.0..99.0)), 0..30);
    (players, any::<bool>()).prop_map(|(players, is_anonymous)| {
        let made = (10..).zip(players).map(|(number, (versions, is_baseline, change))| {
            let name = if is_baseline { format!("baseline{number}") } else { format!("student{number}") };
            PicturedPlayer { is_baseline, ..player(&name, &versions, change) }
        });
        picture(made.collect(), is_anonymous)
    })
}

fn json_of(view: &LeaderboardView<'_>) -> Value {
    serde_json::to_value(view).expect("JSON")
}

/// The public names in `picture`.
fn public_names(picture: &LadderPicture) -> Vec<&str> {
    let is_public = |player: &&PicturedPlayer| {
        !picture.is_anonymous || player.is_baseline || player.rank.is_some_and(|rank| rank <= 10)
    };
    picture.players.iter().filter(is_public).map(|player| player.name.as_str()).collect()
}

/// Whether `text` contains `name` as a whole word.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

proptest! {
    #[test]
    fn guests_read_no_secret_of_anybody_and_only_public_names(picture in pictures()) {
        let text = json_of(&guest_view(&picture, "a-3".to_owned())).to_string();
        prop_assert!(!text.contains(SECRET), "{text}");
        let public = public_names(&picture);
        for player in &picture.players {
            prop_assert!(public.contains(&player.name.as_str()) || !names(&text, &player.name), "{} in {text}", player.name);
        }
        for word in ["refused", "paused", "retired", "reason", "trouble", "wait", "lost", "crash"] {
            prop_assert!(!text.contains(word), "{word} in {text}");
        }
    }

    #[test]
    fn students_read_their_own_secrets_alone(picture in pictures(), chosen in any::<prop::sample::Index>()) {
        prop_assume!(!picture.players.is_empty());
        let own = &picture.players[chosen.index(picture.players.len())].name;
        let text = json_of(&student_view(&picture, "a-3".to_owned(), own)).to_string();
        let public = public_names(&picture);
        for player in picture.players.iter().filter(|player| player.name != *own) {
            let secret = format!("{SECRET}{}.", player.name);
            prop_assert!(!text.contains(&secret), "{secret} in {text}");
            prop_assert!(public.contains(&player.name.as_str()) || !names(&text, &player.name), "{} in {text}", player.name);
            prop_assert_eq!(opponent_name(&picture, &player.name).is_some(), public.contains(&player.name.as_str()));
        }
        prop_assert!(!text.contains("/home/teacher"), "not even their own paths on the machine: {text}");
    }

    #[test]
    fn everybody_is_counted_and_the_rows_are_in_the_order_of_the_ranks(picture in pictures()) {
        let told = json_of(&guest_view(&picture, "a-3".to_owned()));
        let rows = told["rows"].as_array().expect("rows");
        let part = picture.players.iter().filter(|player| player.takes_part()).count();
        prop_assert_eq!(rows.len() as u64 + told["unnamed"].as_u64().expect("a count"), part as u64);
        let ranks: Vec<u64> = rows.iter().filter_map(|row| row["rank"].as_u64()).collect();
        prop_assert!(ranks.is_sorted(), "{ranks:?}");
    }

    #[test]
    fn the_teacher_reads_everything(picture in pictures()) {
        let told = json_of(&teacher_view(&picture, "a-3".to_owned()));
        let text = told.to_string();
        for player in &picture.players {
            prop_assert!(names(&text, &player.name));
            for version in &player.versions {
                for secret in [&version.name, &version.reason, &version.origin] {
                    prop_assert!(text.contains(secret.as_str()), "{secret} not in {text}");
                }
            }
        }
        prop_assert_eq!(told["unnamed"].as_u64(), Some(0));
    }
}

#[test]
fn a_student_sees_its_place_the_three_ahead_and_how_many_wait_before_it() {
    let rated = |number: u32| {
        player(
            &format!("student{number}"),
            &[(VersionWord::Playing, Some(1000.0 - 10.0 * f64::from(number)))],
            Some(12.4),
        )
    };
    let picture = picture((10..30).map(rated).collect(), true);
    let told = json_of(&student_view(&picture, "a-3".to_owned(), "student25"));
    assert_eq!(told["role"], "student");
    let own = &told["own"];
    assert_eq!((&own["rank"], &own["lost"]), (&json!(16), &json!(1)));
    let ahead = json!([
        { "rank": 13, "elo": 780, "error95": 30 },
        { "rank": 14, "elo": 770, "error95": 30 },
        { "rank": 15, "elo": 760, "error95": 30 },
    ]);
    assert_eq!(own["ahead"], ahead);
    assert_eq!(own["waiting"], json!([{ "arrived": 5, "before": 15, "checking": false }]));
    let rows = told["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 11, "the first ten, and itself");
    let row = json!({
        "rank": 16, "player": "student25", "baseline": false, "elo": 750, "error95": 30, "change": 12, "games": 9,
        "handed_in": 1001, "spark": [750], "own": true,
    });
    assert_eq!(rows[10], row);
    assert_eq!(told["unnamed"], 9);
    let first = json_of(&student_view(&picture, "a-3".to_owned(), "student10"));
    assert_eq!((&first["own"]["ahead"], &first["own"]["waiting"][0]["checking"]), (&json!([]), &json!(true)));
    let unknown = json_of(&student_view(&picture, "a-3".to_owned(), "nobody"));
    assert_eq!((&unknown["own"]["versions"], &unknown["own"]["rank"]), (&json!([]), &Value::Null));
}

#[test]
fn only_versions_that_were_not_refused_count_for_the_ranking() {
    let versions = [
        (VersionWord::Retired, Some(100.0)),
        (VersionWord::Resting, Some(300.0)),
        (VersionWord::Playing, Some(250.0)),
        (VersionWord::Refused, None),
    ];
    let picture =
        picture(vec![player("ada", &versions, None), player("bo", &[(VersionWord::Refused, None)], None)], false);
    let told = json_of(&guest_view(&picture, "a-3".to_owned()));
    let row = json!({
        "rank": 1, "player": "ada", "baseline": false, "elo": 250, "error95": 30, "change": null, "games": 9,
        "handed_in": 1003, "spark": [100, 300, 250], "own": false,
    });
    assert_eq!(told["rows"], json!([row]), "others do not see that bo has handed in something that does not play");
    assert_eq!(told["unnamed"], 0);
}
