// The page at `/leaflet`: the same tileset as a layer of a Leaflet map.

import { attributionHtml, currentTileset } from "./tileset.js";
import { bestFeature, featureCard } from "./feature.js";
import { currentTheme, onThemeChange } from "./theme.js";
import { fillPanel, showFailure } from "./panel.js";
import { makeStyle } from "./style.js";

const { L } = globalThis;
const panel = document.getElementById("panel");

/** Resolves with the MapLibre map inside once it has drawn everything in view. */
globalThis.immutileReady = start().catch((error) => {
  showFailure(panel, error);
  throw error;
});

async function start() {
  const tileset = await currentTileset();
  fillPanel(panel, tileset, { href: "./", text: "The same in MapLibre" });
  const map = makeMap(tileset.tilejson);
  const layer = makeLayer(tileset).addTo(map);
  const inner = layer.getMaplibreMap();
  Object.assign(globalThis, { immutileLeaflet: map, immutileMap: inner });
  showCardOnClick(map, inner);
  await inner.once("idle");
  return inner;
}

function makeMap(tilejson) {
  const [longitude, latitude, zoom] = tilejson.center;
  const map = L.map("map", {
    center: [latitude, longitude],
    // Leaflet counts zooms of 256-pixel tiles, MapLibre of 512: one apart for the same picture.
    zoom: Math.round(zoom) + 1,
    minZoom: tilejson.minzoom + 1,
    maxZoom: tilejson.maxzoom + 5,
    zoomControl: false,
    worldCopyJump: true,
  });
  map.attributionControl.setPrefix('<a href="https://leafletjs.com">Leaflet</a>');
  L.control.zoom({ position: "topright" }).addTo(map);
  L.control.scale({ position: "bottomright", imperial: false }).addTo(map);
  return map;
}

function makeLayer(tileset) {
  const attribution = attributionHtml(tileset.tilejson);
  const style = (theme) => makeStyle(tileset, theme, attribution);
  const layer = L.maplibreGL({ style: style(currentTheme()), attributionControl: { customAttribution: attribution } });
  onThemeChange((theme) => layer.getMaplibreMap().setStyle(style(theme)));
  return layer;
}

// The inner map is a little larger than the outer: positions are taken over by coordinates.
function showCardOnClick(map, inner) {
  map.on("click", ({ latlng }) => {
    const { x, y } = inner.project([latlng.lng, latlng.lat]);
    const feature = bestFeature(inner.queryRenderedFeatures([[x - 4, y - 4], [x + 4, y + 4]]));
    if (feature) {
      L.popup({ maxWidth: 288 }).setLatLng(latlng).setContent(featureCard(feature)).openOn(map);
    }
  });
}
