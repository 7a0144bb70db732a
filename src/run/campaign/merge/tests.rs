//! Merged runs: their contents, and merges that are refused.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use tempfile::TempDir;

use super::*;
use crate::run::campaign::errors::TwoRecords;
use crate::run::journal::{FORMAT, GameEntry, Header, JournalEntry, PlayerEntry};
use crate::tournament::Tournament;
use crate::tournament::definition::Definition;
use crate::tournament::schedule::GameSpec;
use crate::tournament::shard::Shard;

const WON: &str = "[Result \"0-1\"]\n[Termination \"no show\"]\n\n0-1\n";
const LOST: &str = "[Result \"1-0\"]\n[Termination \"no show\"]\n\n1-0\n";
const VOID: &str = "[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]\n\n*\n";
const VOID_TOO: &str = "[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no core\"]\n\n*\n";

/// Several runs in one directory.
struct Runs {
    dir: TempDir,
}

/// The definition of a tournament among `players`, with `keys` at the top of its file.
fn definition(keys: &str, players: &str) -> Definition {
    let players = players.chars().map(|name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n"));
    let text = format!("{keys}\n{}", players.collect::<String>());
    Definition::from(&Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}")))
}

/// The players of `definition`, whose programs are unknown.
fn unknown_players(definition: &Definition) -> Vec<PlayerEntry> {
    let entry =
        |name: &str| PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
    definition.players.iter().map(|player| entry(&player.name)).collect()
}

fn header(definition: &Definition, shard: Option<Shard>) -> Header {
    Header {
        format: FORMAT,
        program: "test".to_owned(),
        digest: definition.digest(),
        definition: definition.clone(),
        players: unknown_players(definition),
        shard,
    }
}

/// The game `spec` of `definition` with the ending `end`.
fn game(definition: &Definition, spec: &GameSpec, end: &str) -> JournalEntry {
    let name = |player: usize| &definition.players[player].name;
    let record = format!(
        "[Round \"{}\"]\n[Black \"{}\"]\n[White \"{}\"]\n[TimeControl \"-\"]\n[Game \"{}\"]\n[Seed \"{}\"]\n{end}",
        spec.round,
        name(spec.pair().black),
        name(spec.pair().white),
        spec.id,
        spec.seed
    );
    let record = record.parse::<crate::referee::record::GameRecord>().unwrap_or_else(|error| panic!("{error}"));
    let (is_void, record) = (record.result.is_err(), record.to_string());
    let game = GameEntry { number: spec.number, id: spec.id.to_string(), record };
    if is_void { JournalEntry::Void(game) } else { JournalEntry::Game(game) }
}

impl Runs {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a directory") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a run with `header` and `entries`, and its derived files.
    fn write(&self, name: &str, header: &Header, entries: &[JournalEntry]) -> PathBuf {
        let dir = self.path(name);
        fs::create_dir_all(&dir).expect("made");
        Journal::create(&dir, header, Durability::Fast)
            .and_then(|mut journal| journal.append(entries))
            .expect("written");
        derive_files(&dir);
        dir
    }

    /// Writes the run of `shard` of `definition`, or of the whole tournament, with the endings that `end` returns for
    /// its games.
    fn play(&self, definition: &Definition, shard: Option<Shard>, end: impl Fn(&GameSpec) -> &'static str) -> PathBuf {
        let whole = definition.schedule(&[]);
        let schedule = shard.and_then(|shard| whole.of_shard(shard)).unwrap_or(whole);
        let entries: Vec<JournalEntry> = schedule.games().map(|spec| game(definition, &spec, end(&spec))).collect();
        let name = shard.map_or_else(|| "one".to_owned(), Shard::dir_name);
        self.write(&name, &header(definition, shard), &entries)
    }

    fn merge(&self, dirs: &[PathBuf], keep: Option<Keep>) -> Result<FieldStandings, CampaignError> {
        let tell: Tell = Arc::new(|_: Warning| {});
        merge(&Merge { out: self.path("out"), dirs: dirs.to_vec(), keep }, &tell, &WorkCount::default())
    }

    #[track_caller]
    fn merged(&self, dirs: &[PathBuf]) -> BTreeMap<String, Vec<u8>> {
        self.merge(dirs, None).unwrap_or_else(|error| panic!("{error}"));
        files(&self.path("out"))
    }
}

/// Writes the logs and tables of the run in `dir`.
fn derive_files(dir: &Path) {
    let (ledger, _) = journal::read(dir, |_| {}).unwrap_or_else(|error| panic!("{error}"));
    let derived = Derived::in_dir(dir.to_owned());
    derived.prepare().and_then(|()| derived.write_logs(&ledger, |_| true)).expect("written");
    derived.write_tables(&ledger).expect("written");
}

/// The files of the run in `dir`, by their paths in `dir`.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["", "games"] {
        for entry in fs::read_dir(dir.join(folder)).expect("a folder").flatten().filter(|entry| entry.path().is_file())
        {
            let name = Path::new(folder).join(entry.file_name());
            files.insert(name.display().to_string(), fs::read(entry.path()).expect("read"));
        }
    }
    files
}

fn shard(text: &str) -> Shard {
    text.parse().expect("a shard")
}

/// An ending for each game; every fifth game is void.
fn ending(spec: &GameSpec) -> &'static str {
    match spec.seed % 5 {
        0 => VOID,
        seed if seed % 2 == 0 => WON,
        _ => LOST,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn shards_merged_in_any_order_and_at_any_times_are_the_run_of_one_machine(
        (format, of) in (prop_oneof![Just("rounds = 2"), Just("format = \"gauntlet\"")], 1..6_u32),
        merges in proptest::collection::vec((subsequence((1..6_u32).collect::<Vec<_>>(), 1..5), any::<Index>()), 0..4),
    ) {
        let keys = format!("{format}\nseed = 3");
        let mut definition = definition(&keys.replace("format = \"gauntlet\"", ""), "abcd");
        if format.contains("gauntlet") {
            definition.frame.format = crate::tournament::Format::Gauntlet {
                rounds: std::num::NonZeroU32::MIN.saturating_add(2), challengers: vec![1],
            };
        }
        let runs = Runs::new();
        let one = files(&runs.play(&definition, None, ending));
        let dirs: Vec<PathBuf> =
            (1..=of).map(|nth| runs.play(&definition, Some(shard(&format!("{nth}/{of}"))), ending)).collect();
        for (some, turn) in merges {
            let mut some: Vec<PathBuf> = some.iter().filter_map(|&nth| dirs.get(nth as usize - 1).cloned()).collect();
            if !some.is_empty() {
                let turn = turn.index(some.len());
                some.rotate_left(turn);
                runs.merged(&some);
            }
        }
        let merged = runs.merged(&dirs.iter().rev().cloned().collect::<Vec<_>>());
        prop_assert_eq!(merged.keys().collect::<Vec<_>>(), one.keys().collect::<Vec<_>>());
        for (name, bytes) in &one {
            prop_assert!(merged[name] == *bytes, "{name}:\n{}\n{}", String::from_utf8_lossy(&merged[name]), String::from_utf8_lossy(bytes));
        }
        prop_assert_eq!(runs.merged(&dirs), one);
    }
}

fn two() -> Definition {
    definition("", "ab")
}

#[test]
fn a_game_with_two_results_is_refused_with_both_runs_unless_the_first_is_kept() {
    let (runs, definition) = (Runs::new(), two());
    let first = runs.play(&definition, None, |_| WON);
    let other = runs.play(&definition, Some(shard("1/1")), |spec| if spec.number == 0 { WON } else { LOST });
    let refused = runs.merge(&[first.clone(), other.clone()], None).err();
    let Some(CampaignError::Conflicts { games }) = refused else { panic!("a game has two results") };
    assert_eq!(games, [TwoRecords { game: "r1-a-b".to_owned(), first: first.clone(), other: other.clone() }]);
    assert!(!runs.path("out").exists(), "a refused merge writes nothing");
    runs.merge(&[other.clone(), first], Some(Keep::First)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(files(&runs.path("out"))["games/r1-a-b.log"], files(&other)["games/r1-a-b.log"]);
}

#[test]
fn a_result_takes_the_place_of_a_void_game_and_of_what_its_bots_wrote() {
    let (runs, definition) = (Runs::new(), two());
    let void = runs.play(&definition, None, |_| VOID);
    let won = runs.play(&definition, Some(shard("1/1")), |_| WON);
    let output = |dir: &Path, name: &str, text: &str| fs::write(dir.join("games").join(name), text).expect("written");
    output(&void, "r1-a-b.white.stderr", "of the void try");
    output(&void, "r1-b-a.black.stdout", "of the void try");
    output(&won, "r1-b-a.black.stdout", "of the game");
    output(&won, "r1-b-a.black.stderr.plies", "1 0\n");
    output(&won, "r1-z-a.black.stderr", "of a game that was never played");
    assert!(runs.merged(slice::from_ref(&void)).contains_key("games/r1-a-b.white.stderr"));
    let merged = runs.merged(&[void, won.clone()]);
    let mut expected = files(&won);
    expected.remove("games/r1-z-a.black.stderr");
    expected.insert("journal.jsonl".to_owned(), merged["journal.jsonl"].clone());
    assert_eq!(merged, expected);
    let (ledger, _) = journal::read(&runs.path("out"), |_| {}).expect("whole");
    assert_eq!((ledger.finished(), ledger.has_superseded()), (2, false));
}

#[test]
fn of_two_void_tries_of_a_game_the_same_one_is_kept_whatever_the_order_of_the_runs() {
    let merged = |is_reversed: bool| {
        let (runs, definition) = (Runs::new(), two());
        let no_port = runs.play(&definition, None, |_| VOID);
        let no_core = runs.play(&definition, Some(shard("1/1")), |_| VOID_TOO);
        runs.merged(&if is_reversed { [no_core, no_port] } else { [no_port, no_core] })
    };
    assert_eq!(merged(false), merged(true));
}

#[test]
fn what_the_merged_run_plays_again_does_not_come_back() {
    let (runs, definition) = (Runs::new(), two());
    let one = runs.play(&definition, None, |_| WON);
    runs.merged(slice::from_ref(&one));
    let out = runs.path("out");
    let (mut journal, _, _) = Journal::resume(&out, Durability::Fast).expect("free");
    journal.append(&[JournalEntry::Again { games: vec!["r1-a-b".to_owned()], kept_to: None }]).expect("written");
    drop(journal);
    let games = || journal::read(&out, |_| {}).expect("whole").0.finished();
    runs.merged(slice::from_ref(&one));
    assert_eq!(games(), 1, "not yet played again");
    let (mut journal, ledger, _) = Journal::resume(&out, Durability::Fast).expect("free");
    journal.append(&[game(&definition, &ledger.schedule().get(1).expect("a game"), LOST)]).expect("written");
    drop(journal);
    runs.merged(&[one]);
    assert_eq!(games(), 2);
    assert!(String::from_utf8_lossy(&files(&out)["games/r1-a-b.log"]).contains("1-0"), "played again");
}

#[test]
fn games_join_a_run_that_has_played_others_again() {
    let (runs, definition) = (Runs::new(), two());
    let one = runs.play(&definition, None, |_| WON);
    let out = runs.path("out");
    let header = header(&definition, None);
    let spec = |number| definition.schedule(&[]).get(number).expect("a game");
    // A void game was replayed in the merged run itself.
    let own = [game(&definition, &spec(1), VOID), game(&definition, &spec(1), WON)];
    runs.write("out", &header, &own);
    let before = fs::read(out.join("journal.jsonl")).expect("read");
    let merged = runs.merged(slice::from_ref(&one));
    assert!(merged["journal.jsonl"].starts_with(&before), "its history stays");
    for (name, bytes) in files(&one).iter().filter(|(name, _)| *name != "journal.jsonl") {
        assert_eq!(&merged[name], bytes, "{name}");
    }
}

#[test]
fn an_extended_tournament_keeps_the_order_of_its_parts() {
    let (runs, small) = (Runs::new(), two());
    let large = definition("rounds = 2", "abc");
    let extended = |name: &str, shard: Option<Shard>| {
        let header = header(&small, shard);
        let games = |definitions: [&Definition; 2]| -> Vec<GameSpec> {
            let whole = definitions[1].schedule(&[definitions[0].clone()]);
            shard.and_then(|shard| whole.of_shard(shard)).unwrap_or(whole).games().collect()
        };
        let (before, after): (Vec<GameSpec>, Vec<GameSpec>) =
            games([&small, &large]).into_iter().partition(|spec| spec.number < 2);
        let extension = JournalEntry::Extend { definition: large.clone(), players: unknown_players(&large) };
        let entries = before.iter().map(|spec| game(&small, spec, WON)).chain([extension]);
        let entries: Vec<JournalEntry> = entries.chain(after.iter().map(|spec| game(&large, spec, WON))).collect();
        runs.write(name, &header, &entries)
    };
    let one = files(&extended("one", None));
    let dirs = ["2/2", "1/2"].map(|text| extended(&text.replace('/', "-"), Some(shard(text))));
    assert_eq!(runs.merged(&dirs), one);
    let short = runs.play(&small, Some(shard("1/2")), |_| WON);
    let refused = runs.merge(&[dirs[0].clone(), short], None).err();
    assert!(matches!(refused, Some(CampaignError::Unlike { changes, .. }) if changes.len() == 2));
    let fresh = runs.play(&large, Some(shard("2/2")), |_| WON);
    let refused = runs.merge(&[dirs[0].clone(), fresh], None).err();
    assert!(matches!(refused, Some(CampaignError::ExtendedDifferently { .. })));
}

#[test]
fn runs_that_do_not_belong_together_are_refused_and_nothing_is_changed() {
    let (runs, definition) = (Runs::new(), two());
    let one = runs.play(&definition, None, |_| WON);
    let before = runs.merged(slice::from_ref(&one));
    let refused = |dirs: &[PathBuf]| {
        let error = runs.merge(dirs, None).expect_err("refused");
        assert_eq!(files(&runs.path("out")), before, "{error}");
        error
    };
    let other = runs.write("other", &header(&self::definition("seed = 9", "ab"), None), &[]);
    assert!(matches!(refused(&[other]), CampaignError::Unlike { changes, .. } if changes.len() == 1));
    let mut changed = header(&definition, None);
    changed.players[1].digest = Some("of another program".to_owned());
    let CampaignError::UnlikePlayers { players, .. } = refused(&[runs.write("changed", &changed, &[])]) else {
        panic!("the runs have different programs for `b`")
    };
    assert_eq!(players[0].0, "b");
    let swiss = runs.write("swiss", &header(&self::definition("format = \"swiss\"", "ab"), None), &[]);
    assert!(matches!(refused(&[swiss]), CampaignError::Unmergeable { .. }));
    assert!(matches!(refused(&[runs.path("nothing")]), CampaignError::NoJournal { .. }));
    assert!(matches!(refused(&[runs.path("one/../out")]), CampaignError::MergedIntoItself { .. }));
    let _running = Journal::resume(&runs.path("out"), Durability::Fast).expect("free");
    assert!(matches!(refused(&[one]), CampaignError::InUse { .. }));
}

#[test]
fn only_a_whole_run_or_an_unused_directory_takes_in_others() {
    let (runs, definition) = (Runs::new(), two());
    let part = runs.play(&definition, Some(shard("1/2")), |_| WON);
    let tell: Tell = Arc::new(|_: Warning| {});
    let into = |out: &Path| {
        merge(&Merge { out: out.to_owned(), dirs: vec![part.clone()], keep: None }, &tell, &WorkCount::default())
    };
    let whole = runs.play(&definition, Some(shard("2/2")), |_| WON);
    assert!(matches!(into(&whole).err(), Some(CampaignError::OtherShard { asked: None, .. })));
    // The merged run may be in the directory that contains its shards.
    into(runs.dir.path()).unwrap_or_else(|error| panic!("{error}"));
    fs::create_dir(runs.path("used")).expect("made");
    fs::write(runs.path("used/notes"), "").expect("written");
    assert!(matches!(into(&runs.path("used")).err(), Some(CampaignError::Occupied { .. })));
}
