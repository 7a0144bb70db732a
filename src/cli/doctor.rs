//! `gothello-arena doctor`.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::settings::shown_settings::ShownSettings;
use super::{CommandResult, Exit, Failure, print};
use crate::host::sandbox::{
    Accounting, ActionJson, Demonstration, Tier, TierTests, has_mounted_root, lacks_files_in_memory, landlock_version,
};

/// Report how well this machine can confine bots, and your settings
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  gothello-arena doctor")]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The requirements of a tier. `is_root_mounted` says whether `/` is a mount point.
const fn remedy(tier: Tier, is_root_mounted: bool) -> &'static str {
    match tier {
        Tier::A if !is_root_mounted => {
            "needs root, and `/` must be a mount point, unlike in a plain chroot: enter the directory DIR with \
             `unshare --mount sh -c 'mount --rbind DIR DIR && exec chroot DIR'`"
        }
        Tier::B if !is_root_mounted => {
            "`/` must be a mount point, unlike in a plain chroot, where the system creates no user namespaces \
             either: enter the directory with bubblewrap or `systemd-nspawn`"
        }
        Tier::A => "needs root with CAP_SYS_ADMIN, which `--privileged` gives to a container",
        Tier::B => {
            "needs user namespaces: `sysctl user.max_user_namespaces` above 0, and, if they exist, \
             `kernel.unprivileged_userns_clone=1` and `kernel.apparmor_restrict_unprivileged_userns=0`; a container \
             also needs `--security-opt seccomp=unconfined`"
        }
        Tier::C => {
            "needs Landlock with rules for TCP (Linux 6.7) and, for an ordinary user, for signals (Linux 6.12), enabled \
             by `lsm=` on the kernel's command line, and netlink's sock_diag; a container must allow `landlock_*` and \
             `seccomp`; as root, the tournament directories must be open to other users (`chmod o+x`)"
        }
        Tier::D => "needs nothing",
    }
}

/// The requirement for limiting memory with a control group.
const REMEDY_FOR_MEMORY: &str = "  needs a cgroup that the arena may subdivide: as root, a writable `/sys/fs/cgroup`; as an ordinary user, \
     `systemd-run --user --scope -p Delegate=yes gothello-arena run ...`\n";

/// The features that bots lack without namespaces, besides confinement.
const NO_HOSTS: &str = "  a player's `hosts` has no effect: it needs tier A or B\n";

/// What the arena does on a system without files in memory.
const NO_FILES_IN_MEMORY: &str =
    "the system refuses files in memory (memfd_create): bots' settings are in unnamed files in `TMPDIR` instead\n";

/// Whether this machine supports a tier.
#[derive(Debug, Serialize)]
struct TriedTier {
    tier: Tier,
    /// A description of what the tier does.
    confines: &'static str,
    /// Whether the tier works; `None` if it could not be tried.
    works: Option<bool>,
    /// Why it does not work, or could not be tried.
    why: Option<String>,
    /// What the self-test tried in the tier; empty if the tier could not be started.
    self_test: Vec<ActionJson>,
    #[serde(skip)]
    shown: Option<Demonstration>,
}

impl TriedTier {
    /// Runs the self-test in `tier`.
    async fn try_out(tier: Tier, tests: &mut TierTests) -> Self {
        let (works, why, shown) = match tests.test(tier, Path::new(".")).await {
            Ok(shown) => {
                let breach = shown.breach();
                (Some(breach.is_none()), breach, Some(shown))
            }
            Err(error) => (error.is_inability().then_some(false), Some(error.to_string()), None),
        };
        let self_test = shown.as_ref().map_or_else(Vec::new, Demonstration::json);
        Self { tier, confines: tier.words(), works, why, self_test, shown }
    }
}

/// What this machine supports.
#[derive(Debug, Serialize)]
struct Checkup {
    format: u32,
    tiers: Vec<TriedTier>,
    /// The best tier that works.
    tier: Tier,
    /// How memory is limited.
    memory: String,
    /// The version of Landlock's interface that both the kernel and the arena support, if the kernel has Landlock.
    landlock: Option<u8>,
    /// Whether the arena passes bots' settings on in files in memory, rather than in files in `TMPDIR`.
    files_in_memory: bool,
    /// The user's settings.
    settings: ShownSettings,
    /// Whether memory is limited without a control group.
    #[serde(skip)]
    is_watched: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let checkup = Checkup::of_this_machine()?;
        print(if self.json { serde_json::to_string_pretty(&checkup)? + "\n" } else { checkup.text() })?;
        Ok(match checkup.tier {
            _ if !checkup.is_known() => Exit::ArenaFailed,
            Tier::D => Exit::DoesNotHold,
            Tier::A | Tier::B | Tier::C => Exit::Success,
        })
    }
}

impl Checkup {
    /// Tries out each tier.
    fn of_this_machine() -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut tests = TierTests::new();
        let mut tiers = Vec::new();
        for tier in [Tier::A, Tier::B, Tier::C] {
            tiers.push(runtime.block_on(TriedTier::try_out(tier, &mut tests)));
        }
        let tier = tiers.iter().find(|tried| tried.works == Some(true)).map_or(Tier::D, |tried| tried.tier);
        let is_watched = matches!(tests.accounting(), Accounting::Watch { .. });
        let settings = ShownSettings::of_process()?;
        let memory = tests.accounting().to_string();
        let (landlock, files_in_memory) = (landlock_version(), !lacks_files_in_memory());
        Ok(Self { format: 1, tiers, tier, memory, landlock, files_in_memory, settings, is_watched })
    }

    /// Whether each tier could be tried.
    fn is_known(&self) -> bool {
        self.tiers.iter().all(|tried| tried.works.is_some())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for TriedTier { tier, confines, works, why, shown, .. } in &self.tiers {
            let why = why.as_deref().unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = match works {
                Some(true) => writeln!(text, "tier {tier} ({confines}): works"),
                Some(false) if shown.is_some() => writeln!(text, "tier {tier} ({confines}): not used: {why}"),
                Some(false) => {
                    writeln!(text, "tier {tier} ({confines}): no: {why}\n  {}", remedy(*tier, has_mounted_root()))
                }
                None => writeln!(text, "tier {tier} ({confines}): cannot be tried: {why}"),
            };
        }
        let columns: Vec<(Tier, Option<&Demonstration>)> =
            self.tiers.iter().map(|tried| (tried.tier, tried.shown.as_ref())).collect();
        if columns.iter().any(|(_, shown)| shown.is_some()) {
            text += &Demonstration::table(&columns);
        }
        if !self.is_known() {
            return text;
        }
        let _ = writeln!(text, "bots are confined by tier {} here: {}", self.tier, self.tier.words());
        if !self.tier.has_namespaces() {
            text.push_str(NO_HOSTS);
        }
        if let Some(version) = self.landlock {
            let _ = writeln!(text, "the Landlock ABI here is version {version}");
        }
        if self.tier != Tier::D {
            let _ = writeln!(text, "{}", self.memory);
            if self.is_watched {
                text.push_str(REMEDY_FOR_MEMORY);
            }
            if !self.files_in_memory {
                text.push_str(NO_FILES_IN_MEMORY);
            }
        }
        text + "\n" + &self.settings.text()
    }
}
