// A MapLibre style made from a TileJSON: cartography for the layers of the world tileset, a plain
// fill, line and circle for any other. Needs neither glyphs nor sprites: MapLibre draws text with
// the fonts of the reader's system where a style names no glyphs.

const SOURCE = "tiles";

/** The complete style of `tileset` (see tileset.js) in the colours of `theme` (see theme.js). */
export function makeStyle(tileset, theme, attribution) {
  const { tilejson } = tileset;
  const known = tilejson.vector_layers.some((layer) => isCountries(layer));
  const background = { id: "water", type: "background", paint: { "background-color": known ? theme.water : theme.land } };
  return {
    version: 8,
    name: tilejson.name ?? "tiles",
    sources: { [SOURCE]: vectorSource(tileset, attribution) },
    layers: [background, ...(known ? worldLayers(tilejson, theme) : []), ...genericLayers(tilejson, theme, known)],
  };
}

function vectorSource({ tilejson, drawUrl }, attribution) {
  return {
    type: "vector",
    tiles: [drawUrl],
    minzoom: tilejson.minzoom,
    maxzoom: tilejson.maxzoom,
    bounds: tilejson.bounds,
    attribution,
    ...(tilejson.sparse ? { sparse: true } : {}),
  };
}

const isCountries = (layer) => layer.id === "countries" && "color" in layer.fields;

const WORLD_LAYERS = {
  countries: countryLayers,
  boundaries: boundaryLayers,
  lakes: lakeLayers,
  places: placeLayers,
};

function worldLayers(tilejson, theme) {
  const ids = new Set(tilejson.vector_layers.map((layer) => layer.id));
  return Object.entries(WORLD_LAYERS)
    .filter(([id]) => ids.has(id))
    .flatMap(([id, layers]) => layers(theme).map((layer) => ({ source: SOURCE, "source-layer": id, ...layer })));
}

// The shore lies under the land, so that only its seaward half shows.
function countryLayers(theme) {
  return [
    {
      id: "shore",
      type: "line",
      paint: { "line-color": theme.shore, "line-width": byZoom([0, 3], [4, 7], [8, 12]), "line-blur": byZoom([0, 2], [4, 5], [8, 8]) },
    },
    { id: "countries", type: "fill", paint: { "fill-color": countryColor(theme) } },
    {
      id: "countries-hover",
      type: "fill",
      paint: { "fill-color": theme.hover, "fill-opacity": ["case", ["boolean", ["feature-state", "hover"], false], 0.12, 0] },
    },
  ];
}

function countryColor({ countries, land, ice }) {
  const cases = countries.flatMap((color, index) => [index + 1, color]);
  const byNumber = ["match", ["to-number", ["get", "color"], 0], ...cases, land];
  return ["case", ["==", ["get", "continent"], "Antarctica"], ice, byNumber];
}

function lakeLayers(theme) {
  return [
    { id: "lakes", type: "fill", paint: { "fill-color": theme.water } },
    { id: "lakes-shore", type: "line", minzoom: 4, paint: { "line-color": theme.shore, "line-width": 0.8 } },
  ];
}

function boundaryLayers(theme) {
  const layout = { "line-join": "round", "line-cap": "round" };
  return [
    { id: "boundaries-case", type: "line", layout, paint: { "line-color": theme.borderCase, "line-opacity": 0.7, "line-width": byZoom([0, 1], [4, 2.4], [8, 5]) } },
    { id: "boundaries", type: "line", layout, paint: { "line-color": theme.border, "line-width": byZoom([0, 0.35], [4, 0.8], [8, 1.6]) } },
  ];
}

const POPULATION = ["to-number", ["get", "population"], 0];
const CAPITAL = ["to-boolean", ["get", "capital"]];

function placeLayers(theme) {
  return [
    {
      id: "places",
      type: "circle",
      layout: { "circle-sort-key": POPULATION },
      paint: {
        "circle-radius": placeRadius(),
        "circle-color": ["case", CAPITAL, theme.capital, theme.place],
        "circle-stroke-color": theme.dotEdge,
        "circle-stroke-width": byZoom([0, 0.4], [4, 0.8], [8, 1.2]),
      },
    },
    placeLabels(theme),
  ];
}

// A dot's area follows the population: its radius is a multiple of the square root of millions.
function placeRadius() {
  const millions = ["sqrt", ["/", POPULATION, 1e6]];
  const at = (least, factor) => ["min", ["+", least, ["*", factor, millions]], least + 4 * factor];
  return ["interpolate", ["linear"], ["zoom"], 0, at(0.8, 0.5), 4, at(1.1, 1.1), 8, at(2.4, 2.6)];
}

function placeLabels(theme) {
  return {
    id: "places-names",
    type: "symbol",
    minzoom: 2,
    layout: {
      "text-field": ["get", "name"],
      "text-font": ["sans-serif"],
      "text-size": ["interpolate", ["linear"], ["zoom"], 2, ["case", CAPITAL, 11, 10], 8, ["step", POPULATION, 12, 200000, 13, 1000000, 16]],
      "text-variable-anchor": ["left", "right", "top", "bottom"],
      "text-radial-offset": 0.55,
      "text-justify": "auto",
      "text-padding": byZoom([2, 8], [8, 3]),
      "text-max-width": 8,
      "symbol-sort-key": ["-", ["case", CAPITAL, -5e6, 0], POPULATION],
    },
    paint: { "text-color": theme.label, "text-halo-color": theme.labelEdge, "text-halo-width": 1.2, "text-halo-blur": 0.4 },
  };
}

// What a layer holds is not in a TileJSON, so each unknown layer gets all three kinds of drawing
// and each kind picks its own geometries.
function genericLayers(tilejson, theme, worldKnown) {
  const unknown = tilejson.vector_layers.filter((layer) => !(worldKnown && layer.id in WORLD_LAYERS));
  const colored = unknown.map((layer, index) => [layer.id, theme.generic[index % theme.generic.length]]);
  return ["fill", "line", "circle"].flatMap((kind) =>
    colored.flatMap(([id, color]) => GENERIC[kind](id, color, theme).map((layer) => ({ source: SOURCE, "source-layer": id, ...layer }))),
  );
}

const geometry = (type) => ["==", ["geometry-type"], type];

const GENERIC = {
  fill: (id, color) => [
    { id: `${id}:fill`, type: "fill", filter: geometry("Polygon"), paint: { "fill-color": color, "fill-opacity": ["case", ["boolean", ["feature-state", "hover"], false], 0.45, 0.25], "fill-outline-color": color } },
  ],
  line: (id, color) => [
    { id: `${id}:line`, type: "line", filter: geometry("LineString"), layout: { "line-join": "round", "line-cap": "round" }, paint: { "line-color": color, "line-width": byZoom([0, 0.5], [8, 1.4], [14, 3]) } },
  ],
  circle: (id, color, theme) => [
    { id: `${id}:circle`, type: "circle", filter: geometry("Point"), paint: { "circle-color": color, "circle-radius": byZoom([0, 1.2], [8, 3.5], [14, 6]), "circle-stroke-color": theme.dotEdge, "circle-stroke-width": 0.8 } },
  ],
};

/** Linear in zoom between the given [zoom, value] stops. */
function byZoom(...stops) {
  return ["interpolate", ["linear"], ["zoom"], ...stops.flat()];
}
