//! Whether anything changed: one hash over definition, sources and program.

use super::{Definition, Error};
use std::io::Read;

/// Hash over the definition, the bytes of all sources, and this program's release. Equal hashes
/// mean that a build would give the same file again.
pub fn fingerprint(definition: &Definition) -> Result<String, Error> {
    let mut hasher = blake3::Hasher::new_derive_key("immutile build inputs 1");
    hasher.update(super::run::built_by().as_bytes());
    let mut unplaced = definition.clone();
    for source in unplaced.layers.iter_mut().flat_map(|l| &mut l.source) {
        // Where the files lie does not matter, only what they are called and what is in them.
        *source = source.file_name().unwrap_or_default().into();
    }
    hasher.update(serde_json::to_string(&unplaced).unwrap_or_default().as_bytes());
    let mut buffer = vec![0; 1 << 18];
    for path in definition.layers.iter().flat_map(|l| &l.source) {
        let io = |doing| move |source| Error::Io { path: path.clone(), doing, source };
        let mut file = std::fs::File::open(path).map_err(io("open the source"))?;
        let mut length = 0u64;
        loop {
            let n = file.read(&mut buffer).map_err(io("read the source"))?;
            if n == 0 {
                break;
            }
            hasher.update(&buffer[..n]);
            length += n as u64;
        }
        hasher.update(&length.to_le_bytes());
    }
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}
