//! The arena's actions in each scenario.

use std::time::Duration;

use super::{Aim, Delivery, FalseRefusal, LastCode, Plan, RivalKind, Setting, ToldNames, scenario_clocks};
use crate::game::{BySide, Feature, Side};
use crate::referee::record::TryKind;
use crate::referee::sans_io::Endings;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::referee::wire::Decision;

/// The longer time of `clock-uneven`. It is much longer than `LITTLE`, so that a swap is noticeable.
const MUCH: Duration = Duration::from_mins(1);
const LITTLE: Duration = Duration::from_secs(7);

/// The time of `clock-short`.
const SHORT: Duration = Duration::from_secs(2);

/// The number of the bot's move that is refused.
const REFUSED_AT: u32 = 3;

/// The number of the move that the rival fails to make.
const FAILS_AT: u32 = 3;

/// How many games of `legal-20` have random moves.
const RANDOM_GAMES: u32 = 10;

pub(super) fn plain(_: &Setting) -> Plan {
    untimed(RivalKind::Random)
}

pub(super) fn hello(setting: &Setting) -> Plan {
    Plan { counts_connections: true, ..hello_fresh(setting) }
}

pub(super) fn hello_fresh(_: &Setting) -> Plan {
    untimed(RivalKind::LeavesAt(0))
}

pub(super) fn clock(setting: &Setting) -> Plan {
    timed(setting.clock.control, RivalKind::Random)
}

pub(super) fn clock_uneven(setting: &Setting) -> Plan {
    let (own, others) = if setting.game == 0 { (MUCH, LITTLE) } else { (LITTLE, MUCH) };
    let times = BySide::from_fn(|side| if setting.side == side { own } else { others });
    Plan::plain(TimeControl::sudden_death(times), RivalKind::Random)
}

pub(super) fn clock_short(_: &Setting) -> Plan {
    timed(SideControl::sudden_death(SHORT), RivalKind::Random)
}

pub(super) fn clock_increment(setting: &Setting) -> Plan {
    timed(scenario_clocks::with_increment(setting.clock.control), RivalKind::Random)
}

pub(super) fn clock_periods(setting: &Setting) -> Plan {
    timed(scenario_clocks::in_periods(setting.clock.control), RivalKind::Random)
}

pub(super) fn clock_move(setting: &Setting) -> Plan {
    let rival = if setting.game == 0 { RivalKind::Random } else { RivalKind::Strangler };
    timed(scenario_clocks::per_move(setting.clock.control), rival)
}

pub(super) fn clock_bank(setting: &Setting) -> Plan {
    timed(scenario_clocks::with_bank(setting.clock.control), RivalKind::Random)
}

pub(super) fn moves_codes(setting: &Setting) -> Plan {
    let rival = RivalKind::Aims(Aim::AllCodes);
    if setting.game == 0 { untimed(rival) } else { timed(setting.clock.control, rival) }
}

pub(super) fn captures(_: &Setting) -> Plan {
    untimed(RivalKind::Captor)
}

pub(super) fn legal_20(setting: &Setting) -> Plan {
    untimed(if setting.game < RANDOM_GAMES { RivalKind::Random } else { RivalKind::Strangler })
}

pub(super) fn must_pass(_: &Setting) -> Plan {
    untimed(RivalKind::Aims(Aim::MustPass))
}

pub(super) fn opponent_passes(setting: &Setting) -> Plan {
    untimed(match (setting.game, setting.side.side()) {
        // Ply 2 is white's first move, and ply 3 black's second.
        (0, Side::Black) => RivalKind::PassesAt(1),
        (0, Side::White) => RivalKind::PassesAt(2),
        _ => RivalKind::Aims(Aim::PassAhead),
    })
}

pub(super) fn double_pass(_: &Setting) -> Plan {
    untimed(RivalKind::Aims(Aim::DoublePass))
}

pub(super) fn refused(_: &Setting) -> Plan {
    refusing(TryKind::Illegal, 1)
}

pub(super) fn refused_thrice(_: &Setting) -> Plan {
    refusing(TryKind::Illegal, 3)
}

pub(super) fn garbled(_: &Setting) -> Plan {
    refusing(TryKind::Garbled, 1)
}

pub(super) fn win(_: &Setting) -> Plan {
    ending(Decision::Win, RivalKind::Passer)
}

pub(super) fn loss(setting: &Setting) -> Plan {
    let can_search = setting.ruleset.require(Feature::BuiltinBots).is_ok();
    ending(Decision::Loss, if can_search { RivalKind::Strong } else { RivalKind::Strangler })
}

pub(super) fn draw(_: &Setting) -> Plan {
    ending(Decision::Draw, RivalKind::Random)
}

pub(super) fn opponent_resigns(setting: &Setting) -> Plan {
    let endings = if setting.game == 0 { Endings::Documented } else { Endings::Compatible };
    Plan { endings, ..untimed(RivalKind::ResignsAt(FAILS_AT)) }
}

pub(super) fn opponent_leaves(setting: &Setting) -> Plan {
    untimed(RivalKind::LeavesAt(if setting.game == 0 { FAILS_AT } else { 0 }))
}

pub(super) fn drop_outs(setting: &Setting) -> Plan {
    untimed(RivalKind::OneFailsAt(if setting.game == 0 { FAILS_AT } else { 0 }))
}

pub(super) fn opponent_flags(setting: &Setting) -> Plan {
    timed(setting.clock.control, RivalKind::FlagsAt(FAILS_AT))
}

pub(super) fn own_flag(setting: &Setting) -> Plan {
    Plan { own_flag: true, ..timed(setting.clock.control, RivalKind::Random) }
}

pub(super) fn split(_: &Setting) -> Plan {
    delivered(Delivery::Split)
}

pub(super) fn merged(_: &Setting) -> Plan {
    delivered(Delivery::Merged)
}

pub(super) fn slow(_: &Setting) -> Plan {
    delivered(Delivery::Slow)
}

pub(super) fn late_close(_: &Setting) -> Plan {
    delivered(Delivery::LateClose)
}

pub(super) fn lf_only(_: &Setting) -> Plan {
    delivered(Delivery::LineFeeds)
}

pub(super) fn long_text(_: &Setting) -> Plan {
    delivered(Delivery::LongText)
}

pub(super) fn names(_: &Setting) -> Plan {
    Plan { names: Some(ToldNames::Plain), ..untimed(RivalKind::Random) }
}

pub(super) fn utf8(_: &Setting) -> Plan {
    Plan { names: Some(ToldNames::Unusual), ..untimed(RivalKind::Random) }
}

fn untimed(rival: RivalKind) -> Plan {
    Plan::plain(TimeControl::Unlimited, rival)
}

fn timed(control: SideControl, rival: RivalKind) -> Plan {
    Plan::plain(TimeControl::both(control), rival)
}

fn delivered(delivery: Delivery) -> Plan {
    Plan { delivery, ..untimed(RivalKind::Random) }
}

fn refusing(kind: TryKind, times: u32) -> Plan {
    let refusal = FalseRefusal { at_move: REFUSED_AT, times, kind };
    Plan { false_refusal: Some(refusal), ..untimed(RivalKind::Random) }
}

fn ending(decision: Decision, rival: RivalKind) -> Plan {
    Plan { last_code: LastCode::Means(decision), ..untimed(rival) }
}
