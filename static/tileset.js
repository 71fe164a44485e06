// Finds the tileset that a page shows: its TileJSON and the URLs to show and to draw from.
// Draws nothing.

const TILESET_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Every path is relative to the page, so that the pages work behind any path prefix. */
const here = (path) => decodeURI(new URL(path, document.baseURI).href);

/** Reads the current version of `?tileset=name`, or of the default tileset. */
export async function currentTileset() {
  const name = new URLSearchParams(location.search).get("tileset");
  if (name !== null && !TILESET_NAME.test(name)) {
    throw new Error(`“${name}” cannot be the name of a tileset.`);
  }
  const tilejsonUrl = here(name === null ? "tiles.json" : `${name}.json`);
  const tilejson = await fetchTilejson(tilejsonUrl, name);
  return { name, tilejson, tilejsonUrl, tileUrl: tilejson.tiles[0], drawUrl: drawUrl(tilejson, name) };
}

async function fetchTilejson(url, name) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (response.status === 404) {
    throw new Error(name === null ? "Nothing is published here yet." : `There is no tileset “${name}” here.`);
  }
  if (!response.ok) {
    throw new Error(`The origin answered ${response.status} for ${url}.`);
  }
  return response.json();
}

// The TileJSON names the public URL, often a CDN's; the page draws from the origin it came from
// instead, since its Content-Security-Policy allows no other.
function drawUrl(tilejson, name) {
  const [url] = tilejson.tiles;
  if (new URL(url).origin === location.origin) {
    return url;
  }
  const tileset = name === null ? "" : `${name}/`;
  return here(`${tileset}v${tilejson.version_number}/{z}/{x}/{y}.mvt`);
}

/** Attribution is HTML: what stays of it is text and plain links. */
export function attributionHtml(tilejson) {
  const parsed = new DOMParser().parseFromString(tilejson.attribution ?? "", "text/html");
  const clean = document.createElement("span");
  copyTextAndLinks(parsed.body, clean);
  return clean.innerHTML;
}

function copyTextAndLinks(from, into) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      into.append(node.data);
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      copyTextAndLinks(node, isWebLink(node) ? into.appendChild(link(node.href)) : into);
    }
  }
}

function isWebLink(element) {
  return element.localName === "a" && /^https?:\/\//.test(element.getAttribute("href") ?? "");
}

function link(href) {
  const a = document.createElement("a");
  a.href = href;
  a.rel = "noopener";
  a.target = "_blank";
  return a;
}
