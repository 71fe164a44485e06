//! The file that is to be published, as the file system sees it.
//!
//! Responsible for refusing files whose bytes are not all of their content, and for noticing
//! that somebody writes to one. Does not look at tiles.

use super::Error;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How every SQLite database starts (file format, section 1.3).
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The write and read version numbers of the header, and their value in write-ahead-log mode
/// (file format, section 1.3.4).
const VERSIONS: std::ops::Range<usize> = 18..20;
const WAL: u8 = 2;

/// What SQLite puts beside a file that is not whole without it.
const SIDECARS: [&str; 2] = ["-wal", "-journal"];

const WAL_HINT: &str = "close whatever has it open, then: sqlite3 FILE 'PRAGMA journal_mode = DELETE'";

/// A tile file that stands still, as far as one can see.
pub(super) struct Source {
    pub(super) path: PathBuf,
    seen: Seen,
}

/// What changes when somebody writes to a file or puts another in its place.
#[derive(PartialEq, Eq)]
struct Seen {
    bytes: u64,
    modified: Option<SystemTime>,
    identity: [i64; 4],
}

impl Source {
    /// Looks at a file before anything else does.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        // Sidecars lie beside the file itself, not beside a link to it.
        let path = &path.canonicalize().map_err(Error::io(path, "find the file"))?;
        let meta = path.metadata().map_err(Error::io(path, "examine the file"))?;
        if !meta.is_file() {
            return Err(Error::Refused {
                path: path.clone(),
                why: "it is no regular file".into(),
                hint: "publish takes one tile file, as `immutile build` writes it",
            });
        }
        let source = Self { path: path.clone(), seen: Seen::of(&meta) };
        source.refuse_log()?;
        Ok(source)
    }

    /// With a write-ahead log or a hot journal, part of the content lies in another file; without
    /// one, a database in that mode cannot be opened on a read-only disk.
    fn refuse_log(&self) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Refused { path: self.path.clone(), why, hint: WAL_HINT });
        for end in SIDECARS {
            let mut beside = self.path.clone().into_os_string();
            beside.push(end);
            if Path::new(&beside).symlink_metadata().is_ok() {
                return refuse(format!("{} lies beside it, so the file is not all of its content", beside.display()));
            }
        }
        let mut header = Vec::new();
        let file = File::open(&self.path).map_err(Error::io(&self.path, "open the file"))?;
        file.take(100).read_to_end(&mut header).map_err(Error::io(&self.path, "read the file"))?;
        if header.starts_with(MAGIC) && header.get(VERSIONS).is_some_and(|v| v.contains(&WAL)) {
            return refuse("it is in SQLite's write-ahead-log mode".into());
        }
        Ok(())
    }

    /// # Errors
    /// When the file is not what it was when it was opened.
    pub(super) fn still(&self, copied: u64) -> Result<(), Error> {
        let now = self.path.metadata().map(|meta| Seen::of(&meta));
        if now.is_ok_and(|now| now == self.seen && now.bytes == copied) {
            return self.refuse_log();
        }
        Err(Error::Changed { path: self.path.clone() })
    }
}

impl Seen {
    fn of(meta: &Metadata) -> Self {
        Self { bytes: meta.len(), modified: meta.modified().ok(), identity: identity(meta) }
    }
}

/// Device, number, and time of the last change of anything, which no program can set back.
#[cfg(unix)]
fn identity(meta: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [meta.dev() as i64, meta.ino() as i64, meta.ctime(), meta.ctime_nsec()]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [i64; 4] {
    [0; 4]
}
