//! `immutile build`.

use super::args::BuildArgs;
use super::progress::Progress;
use super::{Usage, report};
use crate::build::{Definition, Error, Options, build, fingerprint};
use std::path::Path;

pub(super) fn run(args: &BuildArgs) -> anyhow::Result<()> {
    let definition = definition(args)?;
    let from_files = definition.layers.iter().flat_map(|l| &l.source).all(|path| path != Path::new("-"));
    let options = Options {
        output: args.output.clone(),
        threads: args.threads,
        strict: args.strict,
        inputs: if from_files { Some(fingerprint(&definition)?) } else { None },
    };
    let progress = Progress::new(args.quiet || args.json);
    let result = build(&definition, &options, &|event| progress.show(&event, definition.maxzoom));
    progress.finish();
    if let Err(Error::Strict { report }) = &result {
        super::note(&report::layers(report));
    }
    let built = result?;
    if args.json {
        super::print(&serde_json::to_string_pretty(&built)?)?;
    } else if !args.quiet {
        super::note(&report::text(&built, &args.output));
    }
    Ok(())
}

/// A tileset's own definition, or one made from files and options.
fn definition(args: &BuildArgs) -> anyhow::Result<Definition> {
    let is_tileset = |path: &Path| path.is_dir() || path.extension().is_some_and(|e| e == "toml");
    let mut definition = match args.inputs.as_slice() {
        [one] if is_tileset(one) => {
            if args.layer.is_some() {
                return Err(Usage("--layer is for files; a tileset names its layers in tileset.toml".into()).into());
            }
            Definition::read(one)?
        }
        inputs if inputs.iter().any(|path| is_tileset(path)) => {
            return Err(Usage("give either one tileset or files, not both".into()).into());
        }
        inputs => {
            let name = args.output.file_stem().unwrap_or_default().to_string_lossy();
            Definition::from_files(&name, inputs, args.layer.as_deref())
        }
    };
    definition.name = args.name.clone().unwrap_or(definition.name);
    definition.attribution = args.attribution.clone().or(definition.attribution);
    definition.maxzoom = args.maxzoom.unwrap_or(definition.maxzoom.max(args.minzoom.unwrap_or(0)));
    definition.minzoom = args.minzoom.unwrap_or(definition.minzoom.min(definition.maxzoom));
    definition.extent = args.extent.unwrap_or(definition.extent);
    definition.buffer = args.buffer.unwrap_or(definition.buffer.min(definition.extent / 2));
    Ok(definition)
}
