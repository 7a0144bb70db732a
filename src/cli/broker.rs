//! The options for connecting to a NATS broker.

use std::path::PathBuf;

use crate::machines::broker::BrokerAccess;

/// The credentials for a broker, and the certificates with which to verify it.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct BrokerArgs {
    /// CA certificates to verify the broker's certificate (TLS)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    tls_ca: Option<PathBuf>,
    /// Credentials file: a JWT and its key
    #[arg(long, value_name = "FILE", conflicts_with = "nkey", hide_short_help = true)]
    creds: Option<PathBuf>,
    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    nkey: Option<PathBuf>,
}

impl BrokerArgs {
    /// How to reach the broker at `url`.
    pub(super) fn access(self, url: String) -> BrokerAccess {
        let Self { tls_ca, creds, nkey } = self;
        BrokerAccess { url, tls_ca, creds, nkey }
    }
}
