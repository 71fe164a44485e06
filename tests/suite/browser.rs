//! The pages in a real browser, and a page of another origin that uses our tiles.
//!
//! Without Chromium these tests say that they were skipped and pass; where `CI` is set they fail instead.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what cannot go on fails the test")]

use crate::chromium::{self, Page};
use crate::common::origin_with_world;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, thread};

/// Browsers that draw in software keep every core busy: one at a time is faster than all at once.
static ONE_BROWSER: Mutex<()> = Mutex::new(());

/// The browser to use and the right to use it, or `None` after saying why this test is skipped.
fn browser(test: &str) -> Option<(PathBuf, MutexGuard<'static, ()>)> {
    let Some(program) = chromium::find() else {
        assert!(env::var_os("CI").is_none(), "{test}: no Chromium on PATH nor in CHROMIUM, and CI must not skip");
        #[expect(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("{test}: SKIPPED, no Chromium on PATH nor in CHROMIUM");
        }
        return None;
    };
    Some((program, ONE_BROWSER.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// How many features each layer shows, and how many colours the canvas has.
const WHAT_IS_DRAWN: &str = "
    immutileReady.then((map) => new Promise((resolve) => {
        map.once('render', () => {
            const shown = { names: [] };
            for (const { sourceLayer, properties } of map.queryRenderedFeatures()) {
                shown[sourceLayer] = (shown[sourceLayer] ?? 0) + 1;
                if (sourceLayer === 'countries') shown.names.push(properties.name);
            }
            const gl = map.getCanvas().getContext('webgl2');
            const pixels = new Uint32Array(gl.drawingBufferWidth * gl.drawingBufferHeight);
            const bytes = new Uint8Array(pixels.buffer);
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
            resolve({ ...shown, colours: new Set(pixels).size });
        });
        map.triggerRepaint();
    }))";

fn assert_shows_europe(shown: &Value) {
    for (layer, least) in [("countries", 20), ("boundaries", 1), ("places", 20)] {
        let count = shown[layer].as_u64().unwrap_or(0);
        assert!(count >= least, "{count} features of {layer} are drawn: {shown}");
    }
    let names = shown["names"].as_array().unwrap();
    assert!(names.iter().any(|name| name == "Germany"), "{shown}");
    // A canvas that stayed empty has one; land, water, lines and text blend into hundreds.
    assert!(shown["colours"].as_u64().unwrap_or(0) > 20, "{shown}");
}

fn assert_quiet(page: &Page, hosts: &[&str]) {
    assert!(page.errors.is_empty(), "the console shows {:#?}", page.errors);
    assert!(page.failures.is_empty(), "failed: {:#?}", page.failures);
    let inside = |url: &&String| !["data:", "blob:"].iter().chain(hosts).any(|start| url.starts_with(start));
    let strangers: Vec<_> = page.requests.iter().filter(inside).collect();
    assert!(strangers.is_empty(), "requests to elsewhere: {strangers:#?}");
    let tiles = page.requests.iter().filter(|url| url.contains(".mvt")).count();
    assert!(tiles > 0, "no tile was asked for, or workers are not watched: {:#?}", page.requests);
}

#[test]
fn map_page_draws_the_world() {
    let Some((program, _turn)) = browser("map_page_draws_the_world") else { return };
    let origin = origin_with_world();
    let mut page = Page::open(&program, &format!("{origin}/#map=4/48/10"));
    assert_shows_europe(&page.evaluate(WHAT_IS_DRAWN));
    page.screenshot("map");
    let panel = page.evaluate("document.getElementById('panel').textContent");
    assert!(panel.as_str().unwrap().contains("GeoNames"), "{panel}");
    assert_eq!(page.evaluate("document.querySelector('.url input').value"), format!("{origin}/tiles.json"));
    assert_quiet(&page, &[&format!("{origin}/")]);
}

#[test]
fn map_page_says_what_lies_under_a_click() {
    let Some((program, _turn)) = browser("map_page_says_what_lies_under_a_click") else { return };
    let origin = origin_with_world();
    let mut page = Page::open(&program, &format!("{origin}/#map=5/25.5/6"));
    let middle = page.evaluate(
        "immutileReady.then((map) => {
            const box = map.getCanvas().getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        })",
    );
    click(&mut page, &middle);
    assert_eq!(page.evaluate(&card_title(".maplibregl-popup .card h2")), "Algeria");
    assert_quiet(&page, &[&format!("{origin}/")]);
}

#[test]
fn unknown_tileset_is_explained() {
    let Some((program, _turn)) = browser("unknown_tileset_is_explained") else { return };
    let origin = origin_with_world();
    let mut page = Page::open(&program, &format!("{origin}/?tileset=atlantis"));
    page.evaluate("immutileReady.then(() => { throw new Error('a map of nothing') }, () => {})");
    let panel = page.evaluate("document.getElementById('panel').textContent");
    assert!(panel.as_str().unwrap().contains("There is no tileset “atlantis” here."), "{panel}");
    assert_eq!(page.failures, [format!("404 \"{origin}/atlantis.json\"")]);
}

#[test]
fn leaflet_page_draws_the_world_and_names_what_is_clicked() {
    let Some((program, _turn)) = browser("leaflet_page_draws_the_world_and_names_what_is_clicked") else { return };
    let origin = origin_with_world();
    let mut page = Page::open(&program, &format!("{origin}/leaflet"));
    look_at(&mut page, "[48, 10], 5");
    assert_shows_europe(&page.evaluate(WHAT_IS_DRAWN));
    page.screenshot("leaflet");
    look_at(&mut page, "[25.5, 6], 6");
    let middle = page.evaluate(
        "(() => {
            const box = immutileLeaflet.getContainer().getBoundingClientRect();
            const { x, y } = immutileLeaflet.latLngToContainerPoint([25.5, 6]);
            return [box.x + x, box.y + y];
        })()",
    );
    click(&mut page, &middle);
    assert_eq!(page.evaluate(&card_title(".leaflet-popup .card h2")), "Algeria");
    page.screenshot("leaflet-card");
    assert_quiet(&page, &[&format!("{origin}/")]);
}

/// Moves the Leaflet map, and waits until the inner map has drawn.
fn look_at(page: &mut Page, view: &str) {
    page.evaluate(&format!(
        "immutileReady.then((map) => {{
            const drawn = new Promise((resolve) => map.once('idle', resolve));
            immutileLeaflet.setView({view}, {{ animate: false }});
            map.triggerRepaint();
            return drawn.then(() => null);
        }})"
    ));
}

fn click(page: &mut Page, point: &Value) {
    page.click(point[0].as_f64().unwrap(), point[1].as_f64().unwrap());
}

/// The text of the first element that fits `selector`, as soon as there is one.
fn card_title(selector: &str) -> String {
    format!(
        "new Promise((resolve) => {{
            const look = () => document.querySelector('{selector}')?.textContent;
            if (look()) return resolve(look());
            new MutationObserver((_, observer) => {{
                if (look()) {{
                    observer.disconnect();
                    resolve(look());
                }}
            }}).observe(document.body, {{ childList: true, subtree: true }});
        }})"
    )
}

#[test]
fn page_of_another_origin_draws_tiles_and_reads_their_etag() {
    let Some((program, _turn)) = browser("page_of_another_origin_draws_tiles_and_reads_their_etag") else { return };
    let origin = origin_with_world();
    let elsewhere = serve_html(FOREIGN_PAGE.replace("ORIGIN", &origin));
    let mut page = Page::open(&program, &elsewhere);
    let seen = page.evaluate("foreign");
    assert_ne!(seen["location"], origin, "the page is of another origin");
    assert_eq!(seen["tilejson"], "3.0.0");
    assert!(seen["countries"].as_u64().unwrap_or(0) >= 20, "{seen}");
    let etag = seen["etag"].as_str().expect("script of another origin may read the ETag");
    assert!(etag.len() > 2 && etag.starts_with('"') && etag.ends_with('"'), "{etag} is a strong ETag");
    page.screenshot("foreign");
    assert_quiet(&page, &[&format!("{origin}/"), &elsewhere]);
}

/// What a frontend of somebody else would write, library included.
const FOREIGN_PAGE: &str = r#"<!doctype html>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="ORIGIN/static/maplibre-gl.css">
<style>html, body, #map { height: 100%; margin: 0 }</style>
<div id="map"></div>
<script>
    window.foreign = new Promise((resolve, reject) => Object.assign(window, { resolve, reject }));
</script>
<script type="module">
    import * as maplibregl from "ORIGIN/static/maplibre-gl.mjs";

    async function look() {
        const tilejson = await (await fetch("ORIGIN/tiles.json")).json();
        const map = new maplibregl.Map({
            container: "map",
            center: [10, 48],
            zoom: 3,
            style: {
                version: 8,
                sources: { world: { type: "vector", url: "ORIGIN/tiles.json" } },
                layers: [
                    { id: "land", type: "fill", source: "world", "source-layer": "countries",
                      paint: { "fill-color": "teal", "fill-outline-color": "white" } },
                ],
            },
        });
        await map.once("idle");
        const root = tilejson.tiles[0].replace("{z}", 0).replace("{x}", 0).replace("{y}", 0);
        return {
            location: location.origin,
            tilejson: tilejson.tilejson,
            countries: map.queryRenderedFeatures({ layers: ["land"] }).length,
            etag: (await fetch(root)).headers.get("etag"),
        };
    }

    look().then(resolve, reject);
</script>
"#;

/// Serves `html` at every path of a free port, for as long as the tests run; returns its address.
fn serve_html(html: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let html = html.clone();
            // A browser opens connections ahead of need: one that stays silent must not hold up the others.
            thread::spawn(move || answer_html(stream, &html));
        }
    });
    address
}

fn answer_html(mut stream: TcpStream, html: &str) -> std::io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?).lines();
    while request.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let length = html.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\n");
    stream.write_all(format!("{head}connection: close\r\n\r\n{html}").as_bytes())
}
