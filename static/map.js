// The page at `/`: the current version of a tileset in MapLibre GL JS.

import * as maplibregl from "./maplibre-gl.mjs";
import { attributionHtml, currentTileset } from "./tileset.js";
import { bestFeature, featureCard, featureName } from "./feature.js";
import { currentTheme, onThemeChange } from "./theme.js";
import { fillPanel, showFailure } from "./panel.js";
import { makeStyle } from "./style.js";

const panel = document.getElementById("panel");

/** Resolves with the map once it has drawn everything in view; for tests and for the console. */
globalThis.immutileReady = start().catch((error) => {
  showFailure(panel, error);
  throw error;
});

async function start() {
  const tileset = await currentTileset();
  fillPanel(panel, tileset, { href: "leaflet", text: "The same in Leaflet" });
  const map = makeMap(tileset);
  globalThis.immutileMap = map;
  showCardOnClick(map, showNameUnderPointer(map));
  await map.once("idle");
  return map;
}

function makeMap(tileset) {
  const { tilejson } = tileset;
  const attribution = attributionHtml(tilejson);
  const map = new maplibregl.Map({
    container: "map",
    style: makeStyle(tileset, currentTheme(), attribution),
    center: tilejson.center.slice(0, 2),
    zoom: tilejson.center[2],
    maxZoom: tilejson.maxzoom + 4,
    hash: "map",
    attributionControl: { compact: false },
    dragRotate: false,
    pitchWithRotate: false,
    maxPitch: 0,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new maplibregl.NavigationControl({ showCompass: false }), "top-right");
  map.addControl(new maplibregl.ScaleControl(), "bottom-right");
  onThemeChange((theme) => map.setStyle(makeStyle(tileset, theme, attribution)));
  return map;
}

// A finger or pointer rarely hits a dot of two pixels: look a little around it.
function featureAt(map, { x, y }, around = 4) {
  const box = [
    [x - around, y - around],
    [x + around, y + around],
  ];
  return bestFeature(map.queryRenderedFeatures(box));
}

// Gives back the tip, for the card to take its place.
function showNameUnderPointer(map) {
  const tip = new maplibregl.Popup({ className: "tip", closeButton: false, closeOnClick: false, offset: 12 });
  let hovered = null;
  const leave = () => {
    tip.remove();
    setHover(map, hovered, false);
    hovered = null;
  };
  map.on("mousemove", (event) => {
    const feature = featureAt(map, event.point);
    map.getCanvas().style.cursor = feature ? "pointer" : "";
    setHover(map, hovered, false);
    hovered = feature ?? null;
    setHover(map, hovered, true);
    if (feature) {
      tip.setLngLat(event.lngLat).setText(featureName(feature)).addTo(map);
    } else {
      tip.remove();
    }
  });
  map.on("mouseout", leave);
  return tip;
}

function setHover(map, feature, hover) {
  if (feature?.id !== undefined) {
    map.setFeatureState({ source: feature.source, sourceLayer: feature.sourceLayer, id: feature.id }, { hover });
  }
}

// Enter on the focused map asks for the middle of the view, where the arrow keys bring things.
function showCardOnClick(map, tip) {
  const popup = new maplibregl.Popup({ maxWidth: "18rem", focusAfterOpen: true });
  const show = (point, lngLat, around) => {
    const feature = featureAt(map, point, around);
    if (feature) {
      tip.remove();
      popup.setLngLat(lngLat).setDOMContent(featureCard(feature)).addTo(map);
    }
  };
  map.on("click", (event) => show(event.point, event.lngLat));
  map.getCanvas().addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      show(map.project(map.getCenter()), map.getCenter(), 12);
    }
  });
}
