//! `immutile publish`.

use super::Usage;
use super::args::PublishArgs;
use crate::publish::{Options, publish};
use crate::tileset::TilesetName;

pub(super) fn run(args: &PublishArgs) -> anyhow::Result<()> {
    let stem = || args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = args.tileset.clone().unwrap_or_else(stem);
    let tileset: TilesetName = name.parse().map_err(|e| Usage(format!("{e}")))?;
    let options = Options { switch: !args.no_switch, ..Options::new(&args.file, &args.store.store, tileset) };
    let published = publish(&options, &|_| ())?;
    if args.json {
        return super::print(&serde_json::to_string(&published)?);
    }
    let what = match (published.published, published.switched) {
        (true, _) => "published",
        (false, true) => "switched to, content was published before:",
        (false, false) => "unchanged, content was published before:",
    };
    super::print(&format!("{what} {} {} (digest {})", published.tileset, published.version, published.digest))
}
