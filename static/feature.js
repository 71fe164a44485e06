// What a page says about one feature: its name in a line, its attributes in a table.
// Text only: nothing from a tile is ever read as HTML.

const NAME_KEYS = ["name", "name_en", "name:en", "NAME", "Name", "title", "label", "ref"];

/** The feature's name, or what stands in for one. */
export function featureName(feature) {
  const key = NAME_KEYS.find((candidate) => feature.properties[candidate]);
  if (key !== undefined) {
    return String(feature.properties[key]);
  }
  const layer = feature.sourceLayer.replace(/s$/, "");
  return feature.id === undefined ? layer : `${layer} ${feature.id}`;
}

/** The best feature to speak of: one with a name if there is any, else the topmost. */
export function bestFeature(features) {
  return features.find((feature) => NAME_KEYS.some((key) => feature.properties[key])) ?? features[0];
}

/** A card with the name as its title and every other attribute below. */
export function featureCard(feature) {
  const card = document.createElement("article");
  card.className = "card";
  card.append(element("h2", featureName(feature)), element("p", feature.sourceLayer));
  const rows = Object.entries(feature.properties).filter(([key, value]) => value !== null && key !== "name");
  if (rows.length > 0) {
    card.append(attributeTable(rows));
  }
  return card;
}

function attributeTable(rows) {
  const list = document.createElement("dl");
  for (const [key, value] of rows) {
    list.append(element("dt", key.replaceAll("_", " ")), element("dd", display(value)));
  }
  return list;
}

function display(value) {
  return typeof value === "number" ? value.toLocaleString("en") : String(value);
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
