// The colours of the map, by light and dark. Colours of the panel are in page.css.

const LIGHT = {
  water: "#c5d9e1",
  shore: "#abc7d2",
  land: "#ebe5d8",
  ice: "#f2f3f0",
  countries: [
    "#ecdfc4", "#dbe3c8", "#ecd9cb", "#d3dfd6", "#e6dfc9", "#dcd5d0", "#e3e3cd",
    "#efd9bd", "#d0dcc4", "#e6d9d8", "#dcdcc3", "#ece5c0", "#e0d3c1",
  ],
  border: "#a99d93",
  borderCase: "#f7f3ea",
  place: "#4b5a66",
  capital: "#a5453b",
  dotEdge: "#fbf8f2",
  label: "#33414c",
  labelEdge: "#f4f0e6",
  hover: "#1f4f63",
  generic: ["#3a7d8c", "#a5663b", "#6b7a3a", "#7a4f86", "#a5453b", "#3f5f9a"],
};

const DARK = {
  water: "#0f1920",
  shore: "#1c303c",
  land: "#2d353b",
  ice: "#3c464c",
  countries: [
    "#343b3b", "#2d3d3d", "#3b3b3a", "#2b383d", "#363d42", "#323740", "#2f3d37",
    "#403d37", "#2b3a44", "#3b3a42", "#334035", "#3d403a", "#35363f",
  ],
  border: "#66737c",
  borderCase: "#1d262c",
  place: "#b9c6cd",
  capital: "#e39a7f",
  dotEdge: "#1a2227",
  label: "#d5dde1",
  labelEdge: "#182026",
  hover: "#9fd0e0",
  generic: ["#6fb6c4", "#d39a6c", "#a9b86f", "#b58bc2", "#e08a7d", "#86a3dc"],
};

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** The colours that fit the reader's system now. */
export const currentTheme = () => (prefersDark.matches ? DARK : LIGHT);

/** Calls back whenever the system changes between light and dark. */
export function onThemeChange(callback) {
  prefersDark.addEventListener("change", () => callback(currentTheme()));
}
