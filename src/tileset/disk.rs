//! The seam between a store directory and the disk: every operation that changes something.
//!
//! Responsible for nothing but passing on; exists so that tests can let any one of these
//! operations fail, fall short or be the last thing a process does.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Result, Write};
use std::path::Path;

/// What a publisher does to a file system, in steps that fail one at a time.
pub trait Disk: Sync {
    /// Makes a folder and those above it.
    fn create_folder(&self, folder: &Path) -> Result<()>;
    /// Copies a file's bytes to a new read-only file, sharing blocks where the file system can,
    /// and returns their number.
    fn copy(&self, from: &Path, to: &Path) -> Result<u64>;
    /// Writes a new file.
    fn create(&self, path: &Path, bytes: &[u8], read_only: bool) -> Result<()>;
    /// Writes at the end of a file, which it makes if there is none.
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()>;
    /// Cuts a file to a length in bytes.
    fn truncate(&self, path: &Path, length: u64) -> Result<()>;
    /// Makes what was written to a file, or done to the names in a folder, survive a power cut.
    fn sync(&self, path: &Path) -> Result<()>;
    /// Gives a file another name in the same folder, in place of what had that name.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> Result<()>;
    /// Takes the lock of an open file unless somebody has it.
    fn try_lock(&self, file: &File) -> std::result::Result<(), TryLockError> {
        file.try_lock()
    }
}

/// The operating system's file systems.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn create_folder(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<u64> {
        // Not `fs::copy`, which copies the mode too. Between two files this is
        // `copy_file_range`, which reflinks where it can.
        std::io::copy(&mut File::open(from)?, &mut new_file(to, true)?)
    }

    fn create(&self, path: &Path, bytes: &[u8], read_only: bool) -> Result<()> {
        new_file(path, read_only)?.write_all(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
    }

    fn truncate(&self, path: &Path, length: u64) -> Result<()> {
        OpenOptions::new().write(true).open(path)?.set_len(length)
    }

    fn sync(&self, path: &Path) -> Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        std::fs::remove_file(path)
    }
}

/// A file that must not exist yet. Its mode is 0444 or 0666 less the umask from its first moment:
/// whoever may read the folder may read it, and only this handle ever writes a read-only one.
#[cfg(unix)]
fn new_file(path: &Path, read_only: bool) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = if read_only { 0o444 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn new_file(path: &Path, read_only: bool) -> Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(read_only);
    file.set_permissions(permissions)?;
    Ok(file)
}
