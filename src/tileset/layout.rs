//! Where things lie in a store directory, and how its small files are read.
//!
//! Responsible for names and for reading a whole small file within a limit. Does not know what
//! the files mean.

use super::{Error, Ledger, Version};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

pub(super) const STORE: &str = "store.json";
pub(super) const CURRENT: &str = "current.json";
pub(super) const LEDGER: &str = "ledger.jsonl";
pub(super) const LOCK: &str = ".lock";

/// Starts the names of temporary files: other tools' temporary files are theirs.
const TEMPORARY: &str = ".publish-";

/// The largest JSON file that is read, in bytes: a manifest carries the build's report, and a
/// ledger line is about 150 bytes, so this is half a million events. A larger file is not ours.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;

pub(super) fn tiles(folder: &Path, version: Version) -> PathBuf {
    folder.join(format!("{version}.mbtiles"))
}

pub(super) fn manifest(folder: &Path, version: Version) -> PathBuf {
    folder.join(format!("{version}.manifest.json"))
}

/// Where a file is written before it gets its name. Only a writer that holds the store's lock
/// makes such a file.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{TEMPORARY}{name}.tmp"))
}

/// Whether [`temporary`] made this file name.
pub(super) fn is_temporary(file_name: &str) -> bool {
    file_name.strip_prefix(TEMPORARY).is_some_and(|rest| rest.strip_suffix(".tmp").is_some())
}

/// The version a file name belongs to, whatever its ending: `v8.mbtiles`, `v8.manifest.json`,
/// and `v8.mbtiles-wal` too.
pub(super) fn version_of(file_name: &str) -> Option<Version> {
    Version::from_segment(file_name.split('.').next()?).ok()
}

/// The bytes of a file; `None` when there is none.
pub(super) fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    let mut bytes = Vec::new();
    file.by_ref().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "larger than 64 MiB"));
    }
    Ok(Some(bytes))
}

/// The value in a JSON file; `None` when there is no file.
///
/// # Errors
/// Says why when the file cannot be read or is not such a value.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let Some(bytes) = read(path).map_err(|e| format!("it cannot be read: {e}"))? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|e| format!("it cannot be understood: {e}"))
}

/// The ledger in a folder; an empty one when there is none.
pub(super) fn ledger(folder: &Path) -> Result<Ledger, Error> {
    let path = folder.join(LEDGER);
    let bytes = read(&path).map_err(Error::io(&path, "read the ledger"))?;
    Ok(Ledger::parse(&bytes.unwrap_or_default()))
}
