//! The first stage in tier B: creates the namespaces, and starts pid 1 in them.
//!
//! A process with several threads cannot create a user namespace, so the arena cannot do this itself, as it does in
//! tier A.

use std::io;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

use crate::host::sandbox::Policy;
use crate::host::sandbox::control_messages::{Failed, InStep, StageReport, send};
use crate::host::sandbox::namespaces::{self, OwnNetwork};
use crate::host::sandbox::order::Order;
use crate::host::sandbox::oversee::let_go_of_outputs;

pub(super) fn run() -> Result<u8, Failed> {
    match Order::receive(io::stdin()).step("receive the order")? {
        Some(Order { policy, claim: _claim, .. }) => prepare(&policy),
        None => Ok(0),
    }
}

fn prepare(policy: &Policy) -> Result<u8, Failed> {
    let network = namespaces::enter(policy)?;
    let control = io::stdin();
    let descriptors = network.as_ref().map(OwnNetwork::descriptors).unwrap_or_default();
    send(&control, &StageReport::Ready, &descriptors).step("hand over the network")?;
    drop(network);
    let control = control.as_fd().try_clone_to_owned().step("share the control socket")?;
    let mut init = Command::new("/proc/self/exe");
    init.args(["confine", "init"]).env_clear().stdin(Stdio::from(control));
    let mut init = init.spawn().step("start pid 1")?;
    // If this stage kept its outputs open, the arena would notice only at the end of the game that the bot had closed
    // them.
    let_go_of_outputs()?;
    let status = init.wait().step("wait for pid 1")?;
    Ok(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
}
