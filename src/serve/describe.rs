//! TileJSON of the current version, and of any other.

use super::document::Document;
use super::headers::Caching;
use super::origin::Origin;
use super::problem::Problem;
use super::reply::Reply;
use super::snapshot::Served;
use crate::tile::Empty;
use crate::tilejson::TileJson;
use actix_http::RequestHead;
use std::sync::Arc;

/// `/{tileset}.json`, and `/tiles.json` for the default tileset.
pub(super) fn current(origin: &Origin, request: &RequestHead, tileset: Option<&str>) -> Result<Reply, Problem> {
    let of = Arc::clone(origin.follow.now().current(tileset)?);
    let caching = origin.caching_with_urls(origin.pointer.clone());
    Ok(document(origin, request, &of)?.response(request, caching))
}

/// `/{tileset}/v{version}.json`.
pub(super) async fn version(
    origin: &Origin,
    request: &RequestHead,
    tileset: &str,
    version: u64,
) -> Result<Reply, Problem> {
    let of = origin.version(Some(tileset), version).await?;
    let caching = origin.caching_with_urls(Caching::Immutable.value());
    Ok(document(origin, request, &of)?.response(request, caching))
}

fn document(origin: &Origin, request: &RequestHead, of: &Served) -> Result<Document, Problem> {
    let base = origin.base_url(request)?;
    // One tile, one URL: the default tileset's are the short ones.
    let long = if origin.follow.now().is_default(&of.tileset) { String::new() } else { format!("/{}", of.tileset) };
    let about = &of.metadata;
    let tilejson = TileJson {
        tilejson: "3.0.0".into(),
        tiles: vec![format!("{base}{long}/v{}/{{z}}/{{x}}/{{y}}.mvt", of.version)],
        vector_layers: about.vector_layers.clone(),
        name: Some(about.name.clone()),
        description: about.description.clone(),
        attribution: about.attribution.clone(),
        scheme: "xyz".into(),
        minzoom: about.minzoom,
        maxzoom: about.maxzoom,
        bounds: about.bounds,
        center: about.center,
        version_number: of.version,
        sparse: about.empty == Empty::NotFound,
    };
    Ok(Document::json(serde_json::to_string(&tilejson).unwrap_or_default()))
}
