//! Additions to the run: games that the executor sends out, and new players in a ladder.

use std::sync::Arc;

use async_nats::jetstream::{AckKind, Context, Message};

use super::{Office, publish};
use crate::base::sanitise::sanitised;
use crate::machines::broker::{BrokerError, RunNames};
use crate::machines::coordinator::answers::Answers;
use crate::machines::coordinator::desk::LaneJob;
use crate::machines::coordinator::sent_field::{PackingEnd, UnsendablePlayer};
use crate::run::addition::Addition;
use crate::tournament::schedule::GameSpec;

impl Office {
    /// Processes `addition` and all additions that are queued after it.
    pub(super) async fn add(
        &mut self,
        addition: Addition,
        answers: &mut Answers<Message>,
        context: &Context,
    ) -> Result<(), BrokerError> {
        let (mut jobs, mut may_have_grown) = (Vec::new(), false);
        let mut next = Some(addition);
        while let Some(addition) = next {
            may_have_grown |= !matches!(addition, Addition::Game(_));
            match addition {
                Addition::Game(spec) => jobs.extend(self.give(spec, answers).await?),
                Addition::Arena(arena) => {
                    self.attendees.add_players(arena.tournament.players.iter().map(|player| player.name.as_str()));
                    self.desk.set_arena(Arc::clone(&arena));
                    self.field.set_arena(arena);
                }
                Addition::Playing(players) => self.field.set_playing(players),
            }
            next = self.asked.try_recv().ok();
        }
        if may_have_grown {
            self.field.start_packing();
        }
        publish(context, &self.names(), &jobs).await
    }

    /// Sends out the game `spec`. Returns its job, if it is to be published now.
    async fn give(&mut self, spec: GameSpec, answers: &mut Answers<Message>) -> Result<Option<LaneJob>, BrokerError> {
        let number = spec.number;
        let job = self.desk.send_out(spec);
        let Some(early) = answers.take_early(number) else { return Ok(job) };
        if let Some(at) = RunNames::of_subject(&early.subject) {
            self.desk.expect(at);
        }
        // The broker will deliver the answer again. This time, its contents will be read.
        let again = early.ack_with(AckKind::Nak(None)).await;
        again.map_err(|why| BrokerError::Refused {
            what: "an answer cannot be requested again",
            why: why.to_string(),
        })?;
        Ok(None)
    }

    /// Takes players whose files have been packed, and describes them to workers. If this fails, the next session will
    /// describe them.
    pub(super) async fn extend(&mut self, packed: Vec<PackingEnd>, context: &Context) -> Result<(), BrokerError> {
        let unsendable = self.field.take(packed);
        self.leave_out(unsendable);
        // More players may have been added in the meantime.
        self.field.start_packing();
        self.manifest.players = self.field.lines();
        self.manifest_text = serde_json::to_vec(&self.manifest).unwrap_or_default();
        self.notice.announce(&self.manifest_text);
        self.tell_desk();
        self.restaff();
        self.describe(context).await
    }

    /// Tells the desk which players the manifest contains.
    pub(in crate::machines::coordinator) fn tell_desk(&mut self) {
        self.desk.set_field(&self.notice.manifest, &self.manifest.players);
    }

    /// Leaves the games of the `unsendable` players to this machine.
    pub(in crate::machines::coordinator) fn leave_out(&mut self, unsendable: Vec<UnsendablePlayer>) {
        for UnsendablePlayer { place, player, why } in unsendable {
            let why = format!("its files cannot be sent to workers: {why}");
            (self.say)(sanitised(&format!("player `{player}` plays only here: {why}")));
            self.desk.leave_out(place, why);
        }
    }
}
