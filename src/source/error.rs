//! What ends the reading of a file.

/// A file that cannot be read to its end; features before that place were delivered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system or the decompressor refused.
    #[error("{name}: cannot {doing}")]
    Io {
        /// The file.
        name: String,
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// Text in another encoding than UTF-8, which RFC 8259, section 8.1 asks for.
    #[error(
        "{name}: is encoded in {encoding}; GeoJSON has to be UTF-8\n  hint: `iconv -f {encoding} -t UTF-8 in.geojson > out.geojson` converts it"
    )]
    Encoding {
        /// The file.
        name: String,
        /// The encoding, by the name `iconv` knows.
        encoding: &'static str,
    },
    /// Something else than GeoJSON.
    #[error("{name}: not GeoJSON: {why}\n  hint: `ogr2ogr out.geojson in` converts most formats")]
    NotGeoJson {
        /// The file.
        name: String,
        /// What it is, or what is missing.
        why: String,
    },
    /// Another coordinate reference system than WGS 84 longitude and latitude.
    #[error(
        "{name}: coordinates are in {crs}, and only WGS 84 longitude and latitude can be read\n  hint: `ogr2ogr -t_srs EPSG:4326 out.geojson in.geojson` converts them"
    )]
    Crs {
        /// The file.
        name: String,
        /// What its `crs` member says.
        crs: String,
    },
    /// The text ends in the middle of something.
    #[error(
        "{name}: ends too early, at byte {offset} of the text, inside {inside}; {features} features were found before\n  hint: was it copied or downloaded completely?"
    )]
    Truncated {
        /// The file.
        name: String,
        /// Where it ends, in the decompressed text.
        offset: u64,
        /// What is not complete.
        inside: &'static str,
        /// Features found before.
        features: u64,
    },
    /// The JSON around the features is broken.
    #[error("{name}: not JSON at byte {offset} of the text: {why}; {features} features were found before")]
    Syntax {
        /// The file.
        name: String,
        /// Where, in the decompressed text.
        offset: u64,
        /// What was expected and found.
        why: String,
        /// Features found before.
        features: u64,
    },
}
