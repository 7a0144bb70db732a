//! Who plays: programs are prepared when they are needed, failing versions are paused, and players come and go with the
//! tournament file.

use std::sync::Arc;

use tokio::task::JoinError;

use super::field::{NewPlayer, NotPrepared, WokenPlayer, prepare_new};
use super::naps::NAP;
use super::{Keeping, SentEntry, resumed};
use crate::base::sanitise::sanitised;
use crate::base::time::{now, utc_now};
use crate::run::addition::Addition;
use crate::run::campaign::same_tournament;
use crate::run::entrants::Entrant;
use crate::run::journal::{AcceptedEntry, JournalEntry, LadderPlayer, StatusEntry, VersionStatus};
use crate::tournament::Player;
use crate::tournament::definition::PlayerDefinition;
use crate::tournament::schedule::PlayerIndex;

impl Keeping {
    /// The name of the player with this index.
    fn name(&self, player: PlayerIndex) -> &str {
        &self.state.history().players()[player].name
    }

    /// Pauses versions that have failed too many times in a row.
    pub(super) fn pause_who_fails(&mut self) {
        for (player, reason) in self.state.to_pause() {
            self.pause(player, reason);
        }
    }

    /// Pauses a player, unless another change of its status is not on disk yet.
    fn pause(&mut self, player: PlayerIndex, reason: String) {
        let version = self.name(player).to_owned();
        if self.changing.insert(version.clone()) {
            self.enter(JournalEntry::Paused(StatusEntry { version, reason, at: utc_now() }));
        }
    }

    /// Whether the tournament file contains `player` or, if it is a version, its owner.
    fn is_in_file(&self, player: &LadderPlayer) -> bool {
        match &player.version {
            Some(version) => self.ladder.entries.iter().any(|entry| entry.name.as_str() == version.of),
            None => self.file_players.iter().any(|known| known.name.as_str() == player.name),
        }
    }

    /// Retires the players that are no longer in the tournament file.
    pub(super) fn retire_who_left(&mut self) {
        if !self.may_have_left {
            return;
        }
        let is_retired = |player: &LadderPlayer| matches!(player.status, VersionStatus::Retired(_));
        let players = self.state.history().players().iter();
        let left = players.filter(|player| !is_retired(player) && !self.is_in_file(player));
        let left: Vec<String> = left.map(|player| player.name.clone()).collect();
        self.may_have_left = false;
        for version in left {
            // Another change of the version's status may not be on disk yet.
            if self.changing.contains(&version) {
                self.may_have_left = true;
                continue;
            }
            self.changing.insert(version.clone());
            let reason = "it is no longer in the tournament file".to_owned();
            self.enter(JournalEntry::Retired(StatusEntry { version, reason, at: utc_now() }));
        }
    }

    /// Gives up on the players that have no versions and are not in the tournament file: their programs are unknown.
    pub(super) fn give_up_who_is_unknown(&mut self) {
        let players = self.state.history().players().iter().enumerate();
        let unknown = players.filter(|(_, player)| player.version.is_none() && !self.is_in_file(player));
        for player in unknown.map(|(place, _)| place).collect::<Vec<_>>() {
            let reason = "it is not in the tournament file".to_owned();
            self.naps.give_up(player, reason.clone());
            self.set_entrant(player, Entrant::Void(reason));
        }
    }

    /// Tells the run which players have games or may soon have some. Without a fit, this is not known.
    pub(super) fn say_who_plays(&mut self) {
        if self.state.last_fit().is_none() {
            return;
        }
        let playing = self.state.needed();
        if playing != self.playing {
            self.playing.clone_from(&playing);
            // If the receiver is gone, the run is ending.
            let _ = self.additions.send(Addition::Playing(playing));
        }
    }

    fn set_entrant(&mut self, player: PlayerIndex, entrant: Entrant) {
        let arena = self.players.set(player, entrant);
        let _ = self.additions.send(Addition::Arena(arena));
    }

    /// Starts preparing the programs that are needed but not prepared.
    pub(super) fn start_waking(&mut self) {
        if self.waking.is_some() {
            return;
        }
        self.state.fit(&self.ladder.terms);
        let time = now();
        let is_due = |player: PlayerIndex| {
            let is_there = player < self.players.len() && !self.changing.contains(self.name(player));
            is_there && !self.players.is_prepared(player) && self.naps.is_over(player, time)
        };
        let asleep: Vec<PlayerIndex> = self.state.needed().into_iter().filter(|&player| is_due(player)).collect();
        if !asleep.is_empty() {
            self.waking = Some(tokio::spawn(self.players.wake(asleep, &self.site)));
        }
    }

    /// Accepts programs that have been prepared.
    pub(super) fn wake(&mut self, woken: Result<Vec<WokenPlayer>, JoinError>) {
        self.waking = None;
        for WokenPlayer { player, entrant } in woken.unwrap_or_else(resumed) {
            let name = sanitised(self.name(player));
            match entrant {
                Ok(entrant) => {
                    self.naps.end(player);
                    self.set_entrant(player, entrant);
                }
                Err(NotPrepared::Unstartable(reason)) => {
                    self.warn(format!("{name} cannot be started: {}", sanitised(&reason)));
                    self.set_entrant(player, Entrant::Unstartable(reason.clone()));
                    self.pause(player, reason);
                }
                Err(NotPrepared::Asleep(why)) => {
                    let reason = why.reason().to_owned();
                    if self.naps.begin(player, &why, now()) {
                        let reason = sanitised(&reason);
                        self.warn(format!("{name} could not be prepared, and the arena will try again: {reason}"));
                    }
                    self.set_entrant(player, Entrant::Void(reason.clone()));
                    if self.naps.has_given_up(player) {
                        self.pause(player, reason);
                    }
                }
            }
        }
    }

    /// Tries once more to prepare the program of the version called `name`, which is being resumed.
    pub(super) fn prepare_again(&mut self, name: &str) {
        let Some(player) = self.state.history().place(name) else { return };
        if self.naps.has_given_up(player) || self.players.is_unstartable(player) {
            self.naps.end(player);
            // Until the program is prepared, none of the version's games counts.
            self.set_entrant(player, Entrant::Void("it is being prepared again".to_owned()));
        }
    }

    /// Starts preparing the tournament file's new players without versions.
    pub(super) fn let_join(&mut self) {
        if self.joining.is_some() || self.is_frozen() {
            return;
        }
        let time = now();
        let is_new = |player: &&Player| {
            let name = player.name.as_str();
            let is_known = self.state.history().place(name).is_some() || self.sent.contains_key(name);
            !is_known && self.unable.get(name).is_none_or(|again| again.is_some_and(|again| again <= time))
        };
        let new: Vec<Player> = self.file_players.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            self.joining = Some(tokio::spawn(prepare_new(new, self.site.clone())));
        }
    }

    /// Accepts the new players without versions whose preparation has ended.
    pub(super) fn join(&mut self, prepared: Result<Vec<NewPlayer>, JoinError>) {
        self.joining = None;
        for NewPlayer { player, entrant } in prepared.unwrap_or_else(resumed) {
            let name = player.name.to_string();
            // The file may have changed in the meantime.
            let definition = PlayerDefinition::from(&player);
            if !self.file_players.iter().any(|known| PlayerDefinition::from(known) == definition) {
                continue;
            }
            let entrant = match entrant {
                Ok(entrant) => entrant,
                Err(NotPrepared::Unstartable(why)) => {
                    self.warn(format!("{name} cannot be started, so it does not play: {}", sanitised(&why)));
                    self.unable.insert(name, None);
                    continue;
                }
                Err(NotPrepared::Asleep(why)) => {
                    let reason = sanitised(why.reason());
                    if self.unable.insert(name.clone(), Some(now() + NAP)).is_none() {
                        self.warn(format!("{name} could not be prepared, and the arena will try again: {reason}"));
                    }
                    continue;
                }
            };
            let entry = AcceptedEntry {
                player: same_tournament::player_entry(&player, &entrant),
                definition,
                version: None,
                program: None,
                at: utc_now(),
            };
            self.sent.insert(name, SentEntry { hand_in: None, joining: Some((player, Arc::new(entrant))) });
            self.enter(JournalEntry::Version(Box::new(entry)));
        }
    }
}
