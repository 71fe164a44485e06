// The panel beside the map: which tileset and version this is, and the URLs a frontend needs.

import { attributionHtml } from "./tileset.js";

/** Fills the panel; `other` is the page to offer beside this one. */
export function fillPanel(panel, tileset, other) {
  const { tilejson } = tileset;
  const title = tilejson.name ?? tileset.name ?? "tiles";
  document.title = `${title} v${tilejson.version_number} · ${document.title}`;
  panel.replaceChildren(
    details([
      heading(title, tilejson),
      tilejson.description ? paragraph("description", tilejson.description) : "",
      facts(tilejson),
      urlField("TileJSON", tileset.tilejsonUrl),
      urlField("Tiles", tileset.tileUrl),
      footer(tilejson, other),
    ]),
  );
}

/** Says in the panel why there is no map. */
export function showFailure(panel, error) {
  panel.classList.add("failed");
  const title = document.createElement("h1");
  title.textContent = "No map";
  panel.replaceChildren(title, paragraph("description", error.message));
}

// One <details>: open where there is room, a single line on a phone.
function details([summary, ...content]) {
  const made = document.createElement("details");
  made.open = matchMedia("(min-width: 640px)").matches;
  const body = document.createElement("div");
  body.className = "body";
  body.append(...content);
  made.append(summary, body);
  return made;
}

function heading(title, tilejson) {
  const summary = document.createElement("summary");
  const h1 = document.createElement("h1");
  h1.textContent = title;
  const version = paragraph("version", `v${tilejson.version_number}`);
  version.title = "the version these tile URLs name";
  summary.append(h1, version);
  return summary;
}

function facts(tilejson) {
  const list = document.createElement("dl");
  list.className = "facts";
  const layers = tilejson.vector_layers.map((layer) => layer.id).join(", ");
  for (const [term, text] of [
    ["Zooms", `${tilejson.minzoom}–${tilejson.maxzoom}`],
    ["Layers", layers],
  ]) {
    const dt = document.createElement("dt");
    dt.textContent = term;
    const dd = document.createElement("dd");
    dd.textContent = text;
    list.append(dt, dd);
  }
  return list;
}

function urlField(label, url) {
  const row = document.createElement("label");
  row.className = "url";
  const name = document.createElement("span");
  name.textContent = label;
  const input = document.createElement("input");
  input.readOnly = true;
  input.value = url;
  input.spellcheck = false;
  input.addEventListener("focus", () => input.select());
  row.append(name, input, copyButton(label, input));
  return row;
}

function copyButton(label, input) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy the URL: ${label}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(input)) ? "Copied" : "Select";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

// The clipboard API exists on https and on localhost only; elsewhere the old command still works.
async function copy(input) {
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    input.focus();
    input.select();
    return document.execCommand("copy");
  }
}

function footer(tilejson, other) {
  const made = document.createElement("footer");
  const attribution = document.createElement("p");
  attribution.className = "attribution";
  attribution.innerHTML = attributionHtml(tilejson);
  const nav = document.createElement("nav");
  nav.append(anchor(other.href + location.search, other.text), anchor("static/licenses.txt", "Licences"));
  made.append(attribution, nav);
  return made;
}

function anchor(href, text) {
  const a = document.createElement("a");
  a.href = href;
  a.textContent = text;
  return a;
}

function paragraph(className, text) {
  const p = document.createElement("p");
  p.className = className;
  p.textContent = text;
  return p;
}
