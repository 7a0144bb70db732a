//! `gothello-arena workers`.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde::Serialize;

use super::broker::BrokerArgs;
use super::{CommandResult, Exit, note, print};
use crate::base::sanitise::sanitised;
use crate::host::sandbox::Tier;
use crate::machines::broker::Say;
use crate::machines::messages::WorkerStatus;
use crate::machines::worker::present;
use crate::referee::pace::Speed;

/// A worker in JSON.
#[derive(Serialize)]
struct ListedWorker<'w> {
    worker: &'w str,
    version: &'w str,
    slots: usize,
    cores: usize,
    tier: Option<Tier>,
    /// The speed of a core, in nodes per second.
    speed: Option<Speed>,
    playing: usize,
    played: u64,
    run: Option<&'w str>,
    unfit: Option<&'w str>,
    cannot: BTreeMap<&'w str, &'w str>,
}

/// The output of `--json`.
#[derive(Serialize)]
struct WorkerList<'w> {
    format: u32,
    workers: Vec<ListedWorker<'w>>,
}

/// The version of the JSON format. docs/reference/schemas/workers.schema.json describes it.
const FORMAT: u32 = 1;

/// List the workers at a broker
#[derive(Debug, clap::Args)]
#[command(after_help = "Prints a line for each worker that has reported within the last ten seconds. The
tier shows how well the worker can confine bots, as in `doctor`; the speed is
one core's, in nodes per second of a fixed search. The exit code is 3 if there
are no workers.

Example:
  gothello-arena workers --nats nats://broker.example:4222")]
pub(super) struct Args {
    /// Address of the broker
    #[arg(long, value_name = "URL")]
    nats: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    broker: BrokerArgs,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let access = self.broker.access(self.nats);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let say: Say = Arc::new(|text: String| note(text));
        let workers = runtime.context("cannot start the async runtime")?.block_on(present(&access, say))?;
        if self.json {
            print(json(&workers))?;
        } else if workers.is_empty() {
            note("there are no workers; `gothello-arena worker --nats URL` starts one");
        } else {
            print(table(&workers))?;
        }
        Ok(if workers.is_empty() { Exit::DoesNotHold } else { Exit::Success })
    }
}

/// One line for each worker.
fn table(workers: &[WorkerStatus]) -> String {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_header(["worker", "version", "slots", "cores", "tier", "speed", "playing", "played", "run"]);
    for WorkerStatus { name, program, run, slots, cores, tier, speed, playing, played, unfit, cannot, .. } in workers {
        let run = match (run, unfit) {
            (Some(run), _) if cannot.is_empty() => run.clone(),
            (Some(run), _) => {
                let names: Vec<&str> = cannot.keys().map(String::as_str).collect();
                format!("{run}, without {}", names.join(", "))
            }
            (None, Some(unfit)) => format!("not playing: {unfit}"),
            (None, None) => "-".to_owned(),
        };
        let [slots, cores, playing] = [slots, cores, playing].map(usize::to_string);
        table.add_row([
            &sanitised(name),
            &sanitised(program),
            &slots,
            &cores,
            &tier.map_or_else(|| "-".to_owned(), |tier| tier.to_string()),
            &speed.map_or_else(|| "-".to_owned(), Speed::shown),
            &playing,
            &played.to_string(),
            &sanitised(&run),
        ]);
    }
    format!("{table}\n")
}

/// One object with all workers.
fn json(workers: &[WorkerStatus]) -> String {
    let listed = workers.iter().map(
        |WorkerStatus { name, program, run, slots, cores, tier, speed, playing, played, unfit, cannot, .. }| {
            ListedWorker {
                worker: name,
                version: program,
                slots: *slots,
                cores: *cores,
                tier: *tier,
                speed: *speed,
                playing: *playing,
                played: *played,
                run: run.as_deref(),
                unfit: unfit.as_deref(),
                cannot: cannot.iter().map(|(player, inability)| (player.as_str(), inability.why.as_str())).collect(),
            }
        },
    );
    let list = WorkerList { format: FORMAT, workers: listed.collect() };
    let mut text = serde_json::to_string_pretty(&list).expect("numbers and strings are JSON");
    text.push('\n');
    text
}
