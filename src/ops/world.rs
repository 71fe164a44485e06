//! The world tileset: from the working folder, or else from inside this program.

use std::path::{Path, PathBuf};

/// Where the repository keeps it.
const LOCAL: &str = "tilesets/world";

#[cfg(feature = "page")]
const BUNDLED: [(&str, &[u8]); 5] = [
    ("tileset.toml", include_bytes!("../../tilesets/world/tileset.toml")),
    ("countries.geojsonl.gz", include_bytes!("../../tilesets/world/countries.geojsonl.gz")),
    ("boundaries.geojsonl.gz", include_bytes!("../../tilesets/world/boundaries.geojsonl.gz")),
    ("lakes.geojsonl.gz", include_bytes!("../../tilesets/world/lakes.geojsonl.gz")),
    ("places.geojsonl.gz", include_bytes!("../../tilesets/world/places.geojsonl.gz")),
];

/// Without the pages the program stays small and the demo needs the repository.
#[cfg(not(feature = "page"))]
const BUNDLED: [(&str, &[u8]); 0] = [];

/// The folder of the definition; an unpacked one goes away when this does.
pub(super) struct World {
    pub folder: PathBuf,
    unpacked: bool,
}

impl World {
    /// The tileset of the repository if it is here, else the bundled one, unpacked in `near`.
    pub(super) fn find(near: &Path) -> std::io::Result<Self> {
        if Path::new(LOCAL).join("tileset.toml").is_file() || BUNDLED.is_empty() {
            return Ok(Self { folder: LOCAL.into(), unpacked: false });
        }
        let world = Self { folder: near.join(format!(".world.{}.tmp", std::process::id())), unpacked: true };
        std::fs::create_dir_all(&world.folder)?;
        for (name, bytes) in BUNDLED {
            std::fs::write(world.folder.join(name), bytes)?;
        }
        Ok(world)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.unpacked {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
