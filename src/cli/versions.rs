//! `immutile versions`.

use super::Usage;
use super::args::VersionsArgs;
use crate::tileset::{TilesetName, versions};
use std::fmt::Write;

pub(super) fn run(args: &VersionsArgs) -> anyhow::Result<()> {
    let tileset: TilesetName = args.tileset.parse().map_err(|e| Usage(format!("{e}")))?;
    let listing = versions(&args.store.store, &tileset)?;
    if args.json {
        return super::print(&serde_json::to_string(&listing)?);
    }
    let mut out = format!("{:10} {:9} {:>10} {:>9}  {:20}  digest", "version", "state", "bytes", "tiles", "published");
    for v in &listing.versions {
        let mark = if listing.current == Some(v.version) { " *" } else { "" };
        let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
        let _ = write!(
            out,
            "\n{:10} {:9} {:>10} {:>9}  {:20}  {}",
            format!("{}{mark}", v.version),
            format!("{:?}", v.state).to_lowercase(),
            number(v.bytes),
            number(v.tiles),
            v.published_at.as_deref().unwrap_or_default(),
            v.digest.as_deref().map(|d| &d[..d.len().min(12)]).unwrap_or_default()
        );
    }
    super::print(&out)?;
    super::note("* current");
    Ok(())
}
