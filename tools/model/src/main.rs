use gothello_model::checker::{Checked, check, Model};
use gothello_model::exchange as e;
use gothello_model::journal as j;
fn show<M: Model>(name: &str, m: &M) {
    let t = std::time::Instant::now();
    match check(m, 1_000_000) {
        Checked::Sound(g) => println!("{name}: sound, {} states {} steps {:?}", g.states.len(), g.edges.len(), t.elapsed()),
        Checked::Flawed(f) => println!("{name}: FLAW {} {:?}\n", f.text(), t.elapsed()),
        Checked::TooLarge => println!("{name}: too large {:?}", t.elapsed()),
    }
}
fn main() {
    let jm = |games, processes, kills, power_failures, disturbances, disorder| j::JournalModel { games, processes, faults: j::Faults { kills, power_failures, disturbances }, disorder, protections: j::Protections::ALL };
    let a = j::Protections::ALL;
    for (n, p) in [("syncs_lines", j::Protections{syncs_lines:false,..a}),
      ("syncs_what_it_read", j::Protections{syncs_what_it_read:false,..a}),
      ("locks", j::Protections{locks:false,..a}),
      ("creates_only", j::Protections{creates_only:false,..a}),
      ("cuts_torn_line", j::Protections{cuts_torn_line:false,..a}),
      ("syncs_name", j::Protections{syncs_name:false,..a}),
      ("replaces_empty_logs", j::Protections{replaces_empty_logs:false,..a}),
      ] { show(n, &j::JournalModel{protections: p, ..jm(2,2,1,1,0,false)}); }
    show("rescues", &j::JournalModel{protections: j::Protections{rescues:false,..a}, ..jm(2,1,0,0,1,false)});
    show("syncs_rescued", &j::JournalModel{protections: j::Protections{syncs_rescued_name:false,..a}, ..jm(2,1,0,0,1,false)});
    show("checks_lines", &j::JournalModel{protections: j::Protections{checks_lines:false,..a}, ..jm(2,1,0,1,0,true)});
    let f = e::Faults::default();
    let em = |games, workers, faults| e::ExchangeModel { games, coordinators: 1, workers, plays_here: false, deliveries: 2, void_retries: 1, faults, protections: e::Protections::ALL };
    let a = e::Protections::ALL;
    let x = |n, m: e::ExchangeModel, p| show(n, &e::ExchangeModel{protections: p, ..m});
    let k = e::Faults { kills: 1, power_failures: 1, ..f };
    x("syncs_lines", em(1,1,k), e::Protections{syncs_lines:false,..a});
    x("syncs_what_it_read", em(1,1,k), e::Protections{syncs_what_it_read:false,..a});
    x("locks", e::ExchangeModel{coordinators:2, ..em(1,1,f)}, e::Protections{locks:false,..a});
    x("acknowledges_after_saving", em(1,1,k), e::Protections{acknowledges_after_saving:false,..a});
    x("tells_voids_apart", em(1,1,e::Faults{voids:1,..f}), e::Protections{tells_voids_apart:false,..a});
    x("compares_tries", em(1,1,e::Faults{kills:1,..f}), e::Protections{compares_tries:false,..a});
    x("one_message", em(1,2,e::Faults{freezes:2, kills:1,losses:1,..f}), e::Protections{has_one_message_for_each_try:false,..a});
    x("checks_answers", em(1,1,e::Faults{lies:1,..f}), e::Protections{checks_answers:false,..a});
    x("requeues", em(1,1,e::Faults{deaths:1,..f}), e::Protections{requeues:false,..a});
    x("publishes_again", em(1,1,e::Faults{wipes:1,..f}), e::Protections{publishes_again:false,sweeps: false, ..a});
    x("sweeps", em(2,1,e::Faults{wipes:1,..f}), e::Protections{sweeps:false,..a});
    x("sweeps purge", e::ExchangeModel{plays_here: true, ..em(1,1,e::Faults{kills:1,losses:1,silences:1,..f})}, e::Protections{sweeps:false,..a});
    x("gives_up", em(1,2,e::Faults{freezes:1,..f}), e::Protections{gives_up:false,..a});
}
