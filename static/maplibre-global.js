// Hands MapLibre to Leaflet's plugin, which only knows globals.

import * as maplibregl from "./maplibre-gl.mjs";

globalThis.maplibregl = maplibregl;
