//! `immutile demo`.

use super::args::DemoArgs;
use super::progress::Progress;
use crate::ops::{self, Step};
use crate::serve::{Config, asked_to_stop};

pub(super) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    super::serve::log();
    let config = Config { store: args.store.store.clone(), listen: args.listen, ..Config::default() };
    let progress = Progress::new(false);
    let server = ops::demo(config, &|step| tell(&progress, &step))?;
    progress.finish();
    let url = format!("http://{}", server.address());
    super::note(&format!("A map of the world is at\n\n    {url}/\n"));
    super::note(&format!("TileJSON {url}/world.json · Leaflet {url}/leaflet · Ctrl-C ends it"));
    super::print(&url)?;
    server.run(asked_to_stop())?;
    Ok(())
}

fn tell(progress: &Progress, step: &Step) {
    match step {
        Step::Cutting(event, maxzoom) => progress.show(event, *maxzoom),
        Step::Cut(report) => {
            progress.finish();
            super::note(&format!(
                "cut {} tiles in {:.1} s; {} features skipped",
                report.tiles,
                report.seconds.values().sum::<f64>(),
                report.skipped
            ));
        }
        Step::Published(published) => {
            super::note(&format!("published {} {}", published.tileset, published.version));
        }
        Step::Unchanged => super::note("the world is cut and published already, nothing to rebuild"),
        Step::PortTaken(address) => super::note(&format!("{address} is in use, trying the next port")),
    }
}
