//! `immutile serve`.

use super::Usage;
use super::args::ServeArgs;
use crate::serve::{Config, Server, asked_to_stop};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<()> {
    log();
    let server = Server::bind(config(args)?)?;
    super::note(&format!("serving {} at http://{}", args.store.store.display(), server.address()));
    if let Some(admin) = server.admin_address() {
        super::note(&format!("metrics at http://{admin}/metrics"));
    }
    server.run(asked_to_stop())?;
    Ok(())
}

fn config(args: &ServeArgs) -> Result<Config, Usage> {
    let mut config = Config { store: args.store.store.clone(), listen: args.listen, ..Config::default() };
    config.admin_listen = args.admin_listen;
    config.cache_bytes = args.cache_mb.saturating_mul(1_000_000);
    if args.workers > 0 {
        config.workers = args.workers;
    }
    if let Some(url) = &args.public_url {
        config.public_url = Some(url.parse().map_err(|e| Usage(format!("--public-url: {e}")))?);
    }
    for proxy in &args.trusted_proxy {
        config.trusted_proxies.push(proxy.parse().map_err(|e| Usage(format!("--trusted-proxy: {e}")))?);
    }
    Ok(config)
}

/// Logs go to standard error; `RUST_LOG` chooses how much.
pub(super) fn log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("immutile=info,warn"));
    let colours = std::io::stderr().is_terminal();
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).try_init();
}
