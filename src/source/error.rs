//! What makes a source unreadable from some place on.

/// Why reading cannot go on, with the source's name and place.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system, or the unpacking, refused.
    #[error("{name}: cannot {doing}")]
    Io {
        /// The source.
        name: String,
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// The file is in another encoding.
    #[error(
        "{name}: the text is encoded as {encoding}, GeoJSON must be UTF-8 (RFC 8259, section 8.1)\n  hint: convert it: iconv -f {encoding} -t UTF-8"
    )]
    Encoding {
        /// The source.
        name: String,
        /// The encoding, as its byte order mark tells.
        encoding: &'static str,
    },
    /// The text is not JSON, in a way that leaves no features to go on with.
    #[error("{name}: byte {offset}: {why}")]
    Syntax {
        /// The source.
        name: String,
        /// Bytes from the start of the unpacked file.
        offset: u64,
        /// What is wrong, and a hint.
        why: String,
    },
    /// The file says that its coordinates are in another reference system.
    #[error(
        "{name}: the coordinates are in {crs}, but tiles are cut from longitude and latitude (WGS 84)\n  hint: ogr2ogr -t_srs EPSG:4326 out.geojson {name}"
    )]
    ReferenceSystem {
        /// The source.
        name: String,
        /// The system's name in the file.
        crs: String,
    },
}
