//! Whether a store changed, for a look that costs a few system calls.

use super::catalog::{Catalog, folders};
use super::layout::{CURRENT, LEDGER, STORE};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What the file system says about the files that decide: equal fingerprints, nothing new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(Vec<(PathBuf, Option<Stat>)>);

/// Modification time, size and number of a file. A pointer replaced within one tick of the
/// clock has a new number; a ledger appended to has a new size.
type Stat = (Option<SystemTime>, u64, u64);

impl Catalog {
    /// A stamp of the store's pointers, ledgers and folders: when it differs from the last one,
    /// [`Catalog::read`] may find something else. Takes none of their contents.
    pub fn fingerprint(root: &Path) -> Fingerprint {
        let mut paths = vec![root.to_owned(), root.join(STORE)];
        for folder in folders(root).unwrap_or_default().into_values() {
            paths.extend([folder.join(CURRENT), folder.join(LEDGER), folder]);
        }
        Fingerprint(paths.into_iter().map(|path| (path.clone(), stat(&path))).collect())
    }
}

fn stat(path: &Path) -> Option<Stat> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.modified().ok(), meta.len(), number(&meta)))
}

#[cfg(unix)]
fn number(meta: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn number(_: &std::fs::Metadata) -> u64 {
    0
}
