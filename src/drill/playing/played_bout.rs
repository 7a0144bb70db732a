//! One bout: the bot in its seat, the lines between it and the referee, their timing, and how the bot leaves.

use std::collections::VecDeque;
use std::time::Duration;

use super::bout_turn::BoutTurn;
use super::searching_rivals::rival;
use super::seating::{DrillGrounds, Hall};
use crate::base::stop::StopSignal;
use crate::base::time::{Instant, now, sleep_until, timeout_at};
use crate::drill::script::{
    Act, BotSeat, Bout, BoutEnd, BoutFacts, Coming, Delivery, Plan, ProcessExit, ProcessFacts, Setting, Speaker,
    Transcript,
};
use crate::host::line::{Connection, Input, RecordedSoFar, Recorder};
use crate::host::process::ChildProcess;
use crate::host::program_timeout::{ProgramTimeout, TimeoutReason};
use crate::host::seat::{Attendance, Door, Opened, Seating};
use crate::host::shortage::MachineLack;
use crate::host::start::ProcessEnd;
use crate::referee::result::Termination;
use crate::referee::sans_io::Departure;
use crate::run::play::{SeatedPlayer, departure};

/// How many bytes at the end of stderr are kept.
const STDERR_TAIL: usize = 16 * 1024;

/// How many bytes at the beginning of stdout are kept.
const STDOUT_HEAD: usize = 2 * 1024;

/// How often to check whether the bot is starved of CPU time in its turn.
const CHECK_PAUSE: Duration = Duration::from_millis(100);

/// How long the connection of a bot that has left may continue to deliver lines.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A bout to play.
#[derive(Debug)]
pub(super) struct BoutSetup<'a> {
    /// The arena's actions in the bout.
    pub(super) plan: Plan,
    /// The setting from which the plan was made.
    pub(super) setting: &'a Setting,
    /// How long the bot may take from its start to its hello.
    pub(super) hello_timeout: Duration,
    /// Aborts the search of a rival.
    pub(super) stop: &'a StopSignal,
}

/// Plays one bout.
pub(super) async fn play(hall: &Hall, grounds: &DrillGrounds, setup: BoutSetup<'_>) -> BoutFacts {
    let BoutSetup { plan, setting, hello_timeout, stop } = setup;
    let begun = now();
    let recorder = Recorder::begin();
    let seat = Seating {
        seat: setting.side.into(),
        ruleset: setting.ruleset,
        time_control: plan.time_control,
        is_told_clock: hall.is_told_clock(),
        hello_timeout: hello_timeout + plan.longer,
        recorder: Some(recorder.clone()),
    };
    let mut facts = BoutFacts::not_begun(setting.side, setting.ruleset, plan.time_control);
    let (mut lack, mut is_kept_waiting) = (None, false);
    match hall.open(seat, (setting.seed, plan.is_piped), grounds).await {
        Err(void) => facts.end = BoutEnd::Void(void.reason),
        Ok(Opened { child, attendance, lease: _lease, door }) => {
            let (came_after, quit) = (begun.elapsed(), grounds.limits.quit_timeout);
            match attendance {
                Attendance::Seated(connection) => {
                    let seat = SeatedPlayer { connection: *connection, child };
                    let door = door.filter(|_| plan.counts_connections);
                    let mut carrier = Carrier {
                        seat,
                        door,
                        side: setting.side,
                        recorder: recorder.clone(),
                        idle_cpu: None,
                        early: None,
                        unheard: VecDeque::new(),
                    };
                    let bout = Bout::new(plan.clone(), setting, rival(plan.rival, setting, stop));
                    facts = carrier.carry(bout, plan.timeout(setting)).await;
                    (lack, is_kept_waiting) = carrier.see_out(plan.delivery, quit, &mut facts).await;
                }
                Attendance::Failed(failure) => {
                    facts.coming = Coming::Failed { termination: failure.termination, reason: failure.reason };
                    let left = Leaving { child, door: None, played: None }.see_off(quit).await;
                    (facts.process, lack) = (left.process, left.lack);
                    if let Some(end) = recorder.hung_up() {
                        (facts.said_after_end, facts.spoke_after) = said_since(&recorder.so_far(), end);
                    }
                }
                Attendance::Excused => facts.end = BoutEnd::Void("the bot was not invited".to_owned()),
            }
            facts.came_after = came_after;
        }
    }
    if let Some(exit) = facts.process.as_ref().and_then(|process| process.exit) {
        recorder.note(&match exit {
            ProcessExit::Status(status) => format!("the process exited with status {status}"),
            ProcessExit::Signal(signal) => format!("the process was killed by signal {signal}"),
        });
    }
    let lack_of_core = MachineLack::of_core(facts.deciding_starvation());
    let mut lacks = [lack, lack_of_core].into_iter().flatten();
    if let Some(lack) = lacks.find(|lack| failure(&facts).is_some_and(|how| lack.excuses(how))) {
        (facts.coming, facts.end) = (Coming::Seated, BoutEnd::Void(format!("the bot {lack}")));
    } else if is_kept_waiting {
        let why = "the machine was too busy: the bot had less than its `quit_timeout`, not counting the time that it waited for a core";
        facts.end = BoutEnd::Void(why.to_owned());
    }
    BoutFacts { transcript: recorder.so_far(), talkers: recorder.talkers(), took: begun.elapsed(), ..facts }
}

/// The bot's failure in `facts`, as the ending of a game; `None` if the bot did not fail, or if no shortage can explain
/// the failure.
fn failure(facts: &BoutFacts) -> Option<Termination> {
    if let Coming::Failed { termination, .. } = facts.coming {
        return Some(termination);
    }
    let exit = facts.process.as_ref().and_then(|process| process.exit);
    match facts.end {
        BoutEnd::Crashed(_) => Some(Termination::Crash),
        BoutEnd::Disconnected => Some(Termination::Disconnect),
        BoutEnd::FlagFell | BoutEnd::OutOfWallTime | BoutEnd::TimedOut => Some(Termination::Time),
        BoutEnd::Stuck(_) => Some(Termination::Illegal),
        // Scenarios also judge how the process leaves.
        BoutEnd::Played(_) | BoutEnd::PlayedInGroup | BoutEnd::Resigned => {
            exit.filter(|&exit| exit != ProcessExit::Status(0)).map(|_| Termination::Crash)
        }
        BoutEnd::NotBegun | BoutEnd::PlayedMode | BoutEnd::LimitExceeded(_) | BoutEnd::Void(_) => None,
    }
}

/// Transports the lines of one bout.
struct Carrier {
    seat: SeatedPlayer,
    /// The door of the seat, if the door stays open.
    door: Option<Box<Door>>,
    side: BotSeat,
    recorder: Recorder,
    idle_cpu: Option<Duration>,
    early: Option<bool>,
    /// The bot's output while the arena held back a move.
    unheard: VecDeque<Input>,
}

/// The event that woke the carrier.
enum Heard {
    Input(Input),
    TimeIsUp,
    TooLong,
}

impl Carrier {
    /// Plays `bout` to its end, but for no longer than `timeout`.
    async fn carry(&mut self, mut bout: Bout, timeout: Duration) -> BoutFacts {
        let acts = bout.begin(self.seat.connection.speech());
        let mut deadline = now() + timeout;
        let mut turn = BoutTurn::first(&bout);
        self.perform(acts, Some(&mut turn)).await;
        turn.begin(&bout);
        while !bout.is_over() {
            let heard = self.wait(&bout, &turn, deadline).await;
            let ends_turn = !matches!(heard, Heard::Input(Input::Line(..)));
            let acts = match heard {
                Heard::Input(Input::Line(line, at)) => {
                    let arrival = turn.arrival(at, &mut self.seat).await;
                    let before = now();
                    let acts = bout.hear(line, arrival);
                    // A rival's search must not use up the bot's timeout.
                    deadline += before.elapsed();
                    acts
                }
                Heard::Input(Input::Closed) => {
                    let elapsed = turn.elapsed(&mut self.seat).await;
                    let how = departure(&self.side.to_string(), &mut self.seat).await;
                    self.recorder.note(told_of(&how));
                    bout.departed(how, elapsed);
                    Vec::new()
                }
                Heard::TimeIsUp => {
                    self.recorder.note("the bot's time is up");
                    bout.time_is_up(turn.elapsed(&mut self.seat).await)
                }
                Heard::TooLong => {
                    self.recorder.note("the scenario has taken too long");
                    break;
                }
            };
            let is_done = turn.is_done(&bout);
            if ends_turn || is_done || bout.is_over() {
                self.seat.end_turn();
            }
            self.perform(acts, is_done.then_some(&mut turn)).await;
            if is_done {
                if let Some(child) = &mut self.seat.child {
                    child.is_well();
                }
                turn.begin(&bout);
            }
        }
        self.seat.end_turn();
        let starvation = self.seat.child.as_ref().and_then(ChildProcess::starvation);
        let last_starvation = self.seat.child.as_ref().and_then(ChildProcess::last_starvation);
        BoutFacts { starvation, last_starvation, idle_cpu: self.idle_cpu, early: self.early, ..bout.finish() }
    }

    /// Waits until the bot sends something, or until its turn or the bout has taken too long.
    async fn wait(&mut self, bout: &Bout, turn: &BoutTurn, deadline: Instant) -> Heard {
        if let Some(input) = self.unheard.pop_front() {
            return Heard::Input(input);
        }
        let until = turn.due(bout).map_or(deadline, |due| deadline.min(due));
        let (mut used, mut watch) = (Duration::ZERO, now());
        loop {
            if now() >= watch {
                self.seat.watch_turn();
                watch = now() + CHECK_PAUSE;
            }
            let look = turn.next_look(bout, used);
            let look = look.map_or(watch, |look| look.min(watch));
            if let Ok(input) = timeout_at(until.min(look), self.seat.connection.next()).await {
                return Heard::Input(input);
            }
            used = turn.elapsed(&mut self.seat).await;
            let is_spent = bout.allowance().is_some_and(|allowance| used > allowance);
            if now() < until && !is_spent {
                continue;
            }
            // The line may have arrived in time even if this process was late.
            return match self.seat.connection.ready().await {
                Some(input) => Heard::Input(input),
                None if until < deadline || is_spent => Heard::TimeIsUp,
                None => Heard::TooLong,
            };
        }
    }

    /// Performs `acts`. If they begin the bot's next turn, `next` is that turn.
    async fn perform(&mut self, acts: Vec<Act>, mut next: Option<&mut BoutTurn>) {
        let last = acts.iter().rposition(|act| matches!(act, Act::Send(_)));
        for (index, act) in acts.into_iter().enumerate() {
            match act {
                Act::Send(bytes) => {
                    if let Some(turn) = next.as_deref_mut().filter(|_| Some(index) == last) {
                        turn.prepare(&mut self.seat).await;
                    }
                    self.seat.connection.send(&bytes).await;
                }
                Act::Wait(time) => sleep_until(now() + time).await,
                Act::WaitIdle(time) => {
                    let before = self.cpu().await;
                    sleep_until(now() + time).await;
                    let after = self.cpu().await;
                    self.idle_cpu = before.zip(after).map(|(before, after)| after.saturating_sub(before));
                }
                Act::Hold(time) => self.hold(time).await,
                Act::Note(text) => self.recorder.note(&text),
            }
        }
    }

    /// Holds back the opponent's move for `time`, or until the bot sends something out of turn.
    async fn hold(&mut self, time: Duration) {
        if self.early == Some(true) {
            return;
        }
        let heard = timeout_at(now() + time, self.seat.connection.next()).await.ok();
        self.early = Some(matches!(heard, Some(Input::Line(..))));
        self.unheard.extend(heard);
    }

    async fn cpu(&mut self) -> Option<Duration> {
        match &mut self.seat.child {
            Some(child) => Some(child.cpu().await),
            None => None,
        }
    }

    /// Closes the connection after the game, and waits for the bot to leave. Returns which resource the machine lacked,
    /// and whether the machine was too busy to let the bot leave.
    async fn see_out(self, delivery: Delivery, quit: Duration, facts: &mut BoutFacts) -> (Option<MachineLack>, bool) {
        let played = facts.end.is_of_whole_game().then(now);
        self.recorder.note("the game is over");
        let end = self.recorder.mark();
        let SeatedPlayer { connection, child } = self.seat;
        let closing = close(connection, delivery, quit);
        let leaving = Leaving { child, door: self.door, played };
        let ((), left) = tokio::join!(closing, leaving.see_off(quit));
        facts.process = left.process;
        // A bot may answer the move that ended its mode before it notices that its team has another bot for the next
        // mode.
        if facts.end != BoutEnd::PlayedMode {
            (facts.said_after_end, facts.spoke_after) = said_since(&self.recorder.so_far(), end);
        }
        (left.lack, left.is_kept_waiting)
    }
}

/// The lines that the bot has sent since `end`, and how long after `end` it sent the first.
fn said_since(transcript: &Transcript, end: RecordedSoFar) -> (Vec<String>, Option<Duration>) {
    let lines = transcript.lines_by(Speaker::Bot).skip(end.lines).take(BoutFacts::MAX_AFTER_END).collect();
    (lines, transcript.time_of(Speaker::Bot, end.utterances).map(|at| at.saturating_sub(end.at)))
}

async fn close(mut connection: Connection, delivery: Delivery, quit: Duration) {
    if delivery == Delivery::LateClose {
        let until = now() + Delivery::LATE_CLOSE;
        while let Ok(Input::Line(..)) = timeout_at(until, connection.next()).await {}
        sleep_until(until).await;
    }
    let _ = timeout_at(now() + quit, connection.close()).await;
}

/// A bot that is about to leave.
struct Leaving {
    /// The bot's process, if the arena started it.
    child: Option<ChildProcess>,
    /// The door of the bot's seat, if it is still open.
    door: Option<Box<Door>>,
    /// When the game ended, if the bot played it to the end.
    played: Option<Instant>,
}

/// The known facts about a bot that has left.
#[derive(Default)]
struct Left {
    /// The bot's process, if the arena started it.
    process: Option<ProcessFacts>,
    /// The resource that the machine was short of while it ran the bot.
    lack: Option<MachineLack>,
    /// Whether the machine was too busy to let the bot leave after it had played its game to the end.
    is_kept_waiting: bool,
}

impl Leaving {
    /// Waits until the bot's process has exited on its own, or kills the process if that takes too long. Returns the
    /// known facts about the bot.
    async fn see_off(mut self, quit: Duration) -> Left {
        let Some(mut child) = self.child else { return Left::default() };
        // How a bot leaves is judged only if it played its game to the end. Other bots may compute forever.
        let timeout = quit + Delivery::LATE_CLOSE;
        let mut timeout = ProgramTimeout::new(timeout, child.pid().filter(|_| self.played.is_some()));
        let gone = tokio::select! {
            biased;
            end = gone(&mut child, &mut self.door) => Ok(end),
            why = timeout.run_out() => Err(why),
        };
        let left_after = self.played.filter(|_| gone.is_ok()).map(|played| played.elapsed());
        let is_kept_waiting = self.played.is_some() && matches!(gone, Err(TimeoutReason::Busy { .. }));
        let exit = match gone {
            Ok(ProcessEnd::Code(status)) => Some(ProcessExit::Status(status)),
            Ok(ProcessEnd::Signal(signal)) => Some(ProcessExit::Signal(signal)),
            Ok(ProcessEnd::Unknown) | Err(_) => None,
        };
        let remains = child.end(now()).await;
        if let Some(door) = self.door {
            door.close(now() + LAST_WORDS).await;
        }
        let text = remains.stderr.text();
        let mut from = text.len().saturating_sub(STDERR_TAIL);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let mut stdout = remains.stdout.text();
        stdout.truncate(stdout.floor_char_boundary(STDOUT_HEAD));
        let process = ProcessFacts {
            exit,
            left_after,
            stdout,
            stderr: text[from..].to_owned(),
            stderr_bytes: remains.stderr.written(),
            usage: remains.usage,
        };
        Left { process: Some(process), lack: remains.lack, is_kept_waiting }
    }
}

/// Waits until the bot's process has exited on its own. Meanwhile, any further connections to the bot's seat are
/// refused.
async fn gone(child: &mut ChildProcess, door: &mut Option<Box<Door>>) -> ProcessEnd {
    let Some(door) = door else { return child.gone().await };
    loop {
        tokio::select! {
            biased;
            stream = door.next() => if child.owns(&stream).await {
                door.let_in(stream);
            },
            end = child.gone() => return end,
        }
    }
}

const fn told_of(how: &Departure) -> &'static str {
    match how {
        Departure::Disconnect => "the bot has closed its connection",
        Departure::Crash(_) => "the bot's process has ended",
        Departure::Limit(..) => "the bot has exceeded a limit",
        Departure::Void(_) => "the machine has ended the bot",
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::host::line::Stream;

    /// How long the connection stays open after the game if the bot closes its end after `bot_stays`.
    async fn stays_open(delivery: Delivery, bot_stays: Duration) -> Duration {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        let begun = now();
        let bot = async {
            theirs.write_all(b"1 c3\n").await.expect("open");
            let _ = timeout_at(begun + bot_stays, theirs.read_to_end(&mut Vec::new())).await;
            drop(theirs);
        };
        tokio::join!(close(Connection::new(Stream::Duplex(ours)), delivery, Duration::from_mins(1)), bot);
        now() - begun
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_to_be_closed_late_stays_open_whatever_the_bot_does() {
        let hour = Duration::from_hours(1);
        for (delivery, bot_stays, expected) in [
            (Delivery::LateClose, hour, Delivery::LATE_CLOSE),
            (Delivery::LateClose, Duration::ZERO, Delivery::LATE_CLOSE),
            (Delivery::Whole, hour, Duration::ZERO),
        ] {
            let open = stays_open(delivery, bot_stays).await;
            assert!(
                (expected..expected + Duration::from_millis(10)).contains(&open),
                "{delivery:?} {bot_stays:?} {open:?}"
            );
        }
    }
}
