//! Decides who may upload, without any input or output.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::door_messages::DoorAnswer;
use crate::base::time::{Instant, WallTime};
use crate::base::units::{bytes, spaced};
use crate::host::lobby::source_host::Host;
use crate::host::lobby::wrong_tokens::WrongTokens;
use crate::ladder::tokens::TokenDigest;
use crate::tournament::PlayerName;

/// The players that may upload, their uploads in progress, and the wrong tokens that were sent.
#[derive(Debug)]
pub(super) struct Gate {
    players: HashMap<String, (PlayerName, Option<WallTime>)>,
    wrong: WrongTokens,
    /// The players whose uploads are arriving.
    busy: HashSet<PlayerName>,
    most_busy: usize,
}

/// A request, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guest<'a> {
    /// The name of the player whose bot is uploaded, according to the request.
    pub(super) player: &'a str,
    /// The digest of the token that came with the request.
    pub(super) digest: TokenDigest,
    pub(super) host: Host,
    /// How long the player would have to wait before its next hand-in; `None` if it need not wait.
    pub(super) wait: Option<Duration>,
    /// The size of the upload, according to the request.
    pub(super) bytes: Option<u64>,
}

/// The answer to a request.
#[derive(Debug)]
pub(super) enum GateAnswer {
    /// Hold the request until this time, and then ask again.
    Hold(Instant),
    /// The request is refused.
    Refused(DoorAnswer),
    /// The player may upload. Call [`Gate::left`] when the upload has ended.
    Granted(PlayerName),
}

impl Gate {
    /// A gate that lets through at most `most_busy` uploads at a time.
    pub(super) fn new(most_busy: usize) -> Self {
        Self { players: HashMap::new(), wrong: WrongTokens::default(), busy: HashSet::new(), most_busy }
    }

    /// Lets in only `players`, each until its door closes.
    pub(super) fn admit(&mut self, players: impl Iterator<Item = (PlayerName, Option<WallTime>)>) {
        self.players = players.map(|player| (player.0.as_str().to_owned(), player)).collect();
    }

    /// The player called `name`, if it may upload.
    pub(super) fn player(&self, name: &str) -> Option<PlayerName> {
        self.players.get(name).map(|(player, _)| player.clone())
    }

    /// The answer to `guest` at the time `now`. `own` is the digest of the player's token, and `day` is the wall-clock
    /// time. Only a client that has the token learns anything about the player.
    pub(super) fn judge(
        &mut self,
        guest: &Guest<'_>,
        own: Option<TokenDigest>,
        now: Instant,
        day: WallTime,
    ) -> GateAnswer {
        if let Some(until) = self.wrong.held_until(guest.host, guest.player, now) {
            return GateAnswer::Hold(until);
        }
        let Some((player, _)) = self.players.get(guest.player).filter(|_| own.is_some_and(|own| own.is(guest.digest)))
        else {
            self.wrong.wrong(guest.host, guest.player, now);
            return GateAnswer::Refused(no_token());
        };
        let player = player.clone();
        if let Some(answer) = self.closed(&player, day) {
            return GateAnswer::Refused(answer);
        }
        if let Some(wait) = guest.wait {
            return GateAnswer::Refused(
                DoorAnswer::refusal(
                    429,
                    format!("you have reached the limit on submissions in 24 hours; wait {}", in_words(wait)),
                )
                .after(wait),
            );
        }
        if guest.bytes == Some(0) {
            return GateAnswer::Refused(no_archive());
        }
        if self.busy.contains(&player) {
            let told = "another of your submissions is still arriving; wait until it is complete";
            return GateAnswer::Refused(DoorAnswer::refusal(409, told));
        }
        if self.busy.len() >= self.most_busy {
            let wait = Duration::from_secs(10);
            let told = "too many submissions are arriving at the moment; try again soon";
            return GateAnswer::Refused(DoorAnswer::refusal(503, told).after(wait));
        }
        self.busy.insert(player.clone());
        GateAnswer::Granted(player)
    }

    /// The refusal of an upload of `player` that arrives at the time `day`, if the player's door is closed by then.
    pub(super) fn closed(&self, player: &PlayerName, day: WallTime) -> Option<DoorAnswer> {
        let Some((_, closes)) = self.players.get(player.as_str()) else {
            return Some(DoorAnswer::refusal(403, "you can no longer submit here"));
        };
        let is_closed = closes.is_some_and(|closes| day > closes);
        is_closed.then(|| DoorAnswer::refusal(403, "the ladder is closed: it accepts no more submissions"))
    }

    /// Notes that the upload of `player` has ended.
    pub(super) fn left(&mut self, player: &PlayerName) {
        self.busy.remove(player);
    }

    /// Notes that all uploads have ended.
    pub(super) fn all_left(&mut self) {
        self.busy.clear();
    }
}

/// The answer to a wrong token, or to a name that does not belong to any player.
pub(super) fn no_token() -> DoorAnswer {
    DoorAnswer::refusal(401, "the name and the token do not match: check both, or ask for a new token")
}

/// The answer to a request that would be held for `wait`.
pub(super) fn held(wait: Duration) -> DoorAnswer {
    DoorAnswer::refusal(429, format!("too many wrong tokens were sent; wait {}", in_words(wait))).after(wait)
}

/// The answer to something that is not an archive.
pub(super) fn no_archive() -> DoorAnswer {
    DoorAnswer::refusal(415, "this is not an archive: send a ZIP, tar or tar.gz of your bot's files")
}

/// The answer to an archive of more than `most` bytes.
pub(super) fn too_large(most: u64) -> DoorAnswer {
    let most = bytes(most);
    DoorAnswer::refusal(413, format!("the archive is larger than {most}: leave out what your bot does not need"))
}

/// The answer to an upload that has arrived.
pub(super) fn received() -> DoorAnswer {
    let next =
        "received; if the files are new, the arena will build and check them, and show the result on the ladder's page";
    DoorAnswer { status: 202, message: next.to_owned(), retry_after_s: None }
}

/// Describes `wait`, rounded up to whole seconds, or to whole minutes if it is long.
fn in_words(wait: Duration) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let unit = if seconds > 600 { 60 } else { 1 };
    spaced(Duration::from_secs(seconds.div_ceil(unit) * unit))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::base::time::now;

    fn name(name: &str) -> PlayerName {
        PlayerName::new(name).expect("a name")
    }

    fn guest(player: &'static str, token: &str) -> Guest<'static> {
        let host = Host::from(IpAddr::V4(Ipv4Addr::LOCALHOST));
        Guest { player, digest: TokenDigest::of(token), host, wait: None, bytes: Some(1) }
    }

    fn status(answer: GateAnswer) -> u16 {
        match answer {
            GateAnswer::Hold(_) => 0,
            GateAnswer::Refused(answer) => answer.status,
            GateAnswer::Granted(_) => 200,
        }
    }

    fn at(seconds: u64) -> WallTime {
        WallTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn gate() -> (Gate, Option<TokenDigest>) {
        let mut gate = Gate::new(2);
        gate.admit(
            [("ada", Some(at(100))), ("bo", None), ("cy", None)]
                .map(|(player, closes)| (name(player), closes))
                .into_iter(),
        );
        (gate, Some(TokenDigest::of("right")))
    }

    #[test]
    fn only_a_player_with_its_token_may_upload() {
        let (mut gate, own) = gate();
        for (guest, own) in [
            (guest("ada", "wrong"), own),
            (guest("ada", ""), own),
            (guest("ada", "right"), None),
            (guest("eve", "right"), None),
            // A digest for a name that does not belong to any player does not help, either.
            (guest("eve", "right"), own),
        ] {
            let mut gate = Gate { wrong: WrongTokens::default(), ..gate_of(&gate) };
            assert_eq!(status(gate.judge(&guest, own, now(), at(0))), 401, "{guest:?}");
        }
        assert_eq!(status(gate.judge(&guest("ada", "right"), own, now(), at(0))), 200);
    }

    fn gate_of(gate: &Gate) -> Gate {
        Gate { players: gate.players.clone(), wrong: WrongTokens::default(), busy: gate.busy.clone(), most_busy: 2 }
    }

    #[test]
    fn wrong_tokens_hold_the_next_request_and_tell_nothing() {
        let (mut gate, own) = gate();
        let time = now();
        let mut until = time;
        for _ in 0..20 {
            assert_eq!(status(gate.judge(&guest("ada", "wrong"), own, until, at(0))), 401);
            // The right token is held like a wrong one.
            for token in ["wrong", "right"] {
                match gate.judge(&guest("ada", token), own, until, at(0)) {
                    GateAnswer::Hold(time) => until = time,
                    answer => panic!("{answer:?}"),
                }
                until -= Duration::from_millis(1);
            }
            until += Duration::from_millis(2);
        }
        // Twenty guesses took as long as they would at the door for remote players.
        assert!(until - time > Duration::from_secs(15));
        assert_eq!(status(gate.judge(&guest("ada", "right"), own, until, at(0))), 200);
    }

    #[test]
    fn each_reason_to_refuse_an_upload_has_its_status() {
        let (mut gate, own) = gate();
        let mut judge = |guest: Guest<'_>, day| status(gate.judge(&guest, own, now(), at(day)));
        assert_eq!(judge(guest("ada", "right"), 101), 403);
        let wait = Some(Duration::from_hours(3));
        assert_eq!(judge(Guest { wait, ..guest("ada", "right") }, 100), 429);
        assert_eq!(judge(Guest { bytes: Some(0), ..guest("ada", "right") }, 100), 415);
        assert_eq!(judge(guest("ada", "right"), 100), 200);
        assert_eq!(judge(guest("ada", "right"), 100), 409);
        assert_eq!(judge(Guest { bytes: None, ..guest("bo", "right") }, 101), 200);
        assert_eq!(judge(guest("cy", "right"), 101), 503);
        gate.left(&name("ada"));
        assert_eq!(status(gate.judge(&guest("cy", "right"), own, now(), at(101))), 200);
        gate.all_left();
        gate.admit([(name("bo"), Some(at(7)))].into_iter());
        assert_eq!(status(gate.judge(&guest("cy", "right"), own, now(), at(0))), 401);
        assert_eq!(gate.closed(&name("bo"), at(8)).map(|answer| answer.status), Some(403));
        assert_eq!(gate.closed(&name("bo"), at(7)).map(|answer| answer.status), None);
        assert_eq!(gate.closed(&name("cy"), at(0)).map(|answer| answer.status), Some(403));
    }

    #[test]
    fn waits_are_rounded_up() {
        for (millis, words) in [(1, "1s"), (59_001, "1m"), (600_000, "10m"), (601_000, "11m"), (86_400_000, "1 day")] {
            assert_eq!(in_words(Duration::from_millis(millis)), words);
        }
    }
}
