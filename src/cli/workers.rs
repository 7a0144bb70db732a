//! `gothello-arena workers`.

use anyhow::Context as _;
use comfy_table::Table;
use comfy_table::presets::NOTHING;

use super::broker::BrokerArgs;
use super::{CommandResult, Exit, print};
use crate::base::printable::printable;
use crate::run::nats::messages::WorkerStatus;
use crate::run::nats::worker::present;

/// List the workers at a broker
#[derive(Debug, clap::Args)]
#[command(after_help = "Prints a line for each worker that was heard of within the last ten seconds. The
exit code is 3 if there is none.

Example:
  gothello-arena workers --nats nats://broker.example:4222")]
pub(super) struct Args {
    /// Address of the broker
    #[arg(long, value_name = "URL")]
    nats: String,
    #[command(flatten)]
    broker: BrokerArgs,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let access = self.broker.access(self.nats);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let workers = runtime.context("cannot start the async runtime")?.block_on(present(&access))?;
        let mut table = Table::new();
        table.load_style(NOTHING).set_header(["worker", "version", "slots", "cores", "playing", "played", "run"]);
        for WorkerStatus { name, program, run, slots, cores, playing, played, unfit, cannot, .. } in &workers {
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
                &printable(name),
                &printable(program),
                &slots,
                &cores,
                &playing,
                &played.to_string(),
                &printable(&run),
            ]);
        }
        print(format!("{table}\n"))?;
        Ok(if workers.is_empty() { Exit::DoesNotHold } else { Exit::Success })
    }
}
