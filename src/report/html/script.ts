/**
 * The page's script: comfort only, everything is there without it. It holds no data, so it is the same on every page, and
 * the page's content security policy admits it alone, by its hash.
 */

export const SCRIPT = `(() => {
"use strict";
const root = document.documentElement;
const make = (name, attributes, text) => {
  const element = document.createElement(name);
  for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
  element.textContent = text;
  return element;
};

const dark = () => root.dataset.theme === "dark" ||
  (root.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
const theme = make("button", { type: "button", class: "theme" }, "");
const name = () => { theme.textContent = dark() ? "Light theme" : "Dark theme"; };
theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
name();
document.querySelector("h1").before(theme);

for (const item of document.querySelectorAll(".legend [data-toggle]")) {
  const button = make("button", { type: "button", "aria-pressed": "true" }, "");
  button.append(...item.childNodes);
  item.append(button);
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    const key = item.dataset.toggle;
    const article = item.closest("article");
    for (const other of article.querySelectorAll(".legend [data-toggle]")) {
      if (other.dataset.toggle === key) other.querySelector("button").setAttribute("aria-pressed", String(shown));
    }
    for (const part of article.querySelectorAll("[data-series]")) {
      if (part.dataset.series === key) part.classList.toggle("off", !shown);
    }
  });
}

for (const box of document.querySelectorAll("[data-readout]")) {
  const table = document.getElementById(box.dataset.readout);
  if (table === null) continue;
  const rows = [...table.querySelectorAll("tr[data-at]")];
  const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
  const places = rows.map((row) => Number(row.dataset.at));
  const text = make("p", { class: "readout", "aria-hidden": "true" }, "");
  box.after(text);
  const plots = [...box.querySelectorAll("svg.plot")];
  const cursors = plots.map((plot) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "cursor off");
    const [top, bottom] = (plot.dataset.span || "0 0").split(" ");
    line.setAttribute("y1", top);
    line.setAttribute("y2", bottom);
    plot.append(line);
    return line;
  });
  const show = (event) => {
    const plot = event.currentTarget;
    const frame = plot.getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width * plot.viewBox.baseVal.width;
    let best = 0;
    for (let index = 1; index < places.length; index++) {
      if (Math.abs(places[index] - x) < Math.abs(places[best] - x)) best = index;
    }
    const row = rows[best];
    if (row === undefined) return;
    text.textContent = [...row.children].map((cell, index) => heads[index] + " " + cell.textContent).join("   ");
    for (const line of cursors) {
      line.setAttribute("x1", places[best]);
      line.setAttribute("x2", places[best]);
      line.classList.remove("off");
    }
  };
  const hide = () => {
    text.textContent = "";
    for (const line of cursors) line.classList.add("off");
  };
  for (const plot of plots) {
    plot.addEventListener("pointermove", show);
    plot.addEventListener("pointerleave", hide);
  }
}

if (navigator.clipboard) {
  for (const block of document.querySelectorAll("pre[data-copy]")) {
    const button = make("button", { type: "button", class: "copy" }, "Copy");
    button.addEventListener("click", () => navigator.clipboard.writeText(block.textContent).then(
      () => { button.textContent = "Copied"; },
      () => { button.textContent = "Copy by hand"; },
    ));
    block.before(button);
  }
}
})();
`;

/** SHA-256 of {@link SCRIPT}, as the policy writes it: a constant, as nothing here may compute it and nothing changes it. */
export const SCRIPT_HASH = "sha256-P1Y3+k9KGJ3xjdZCwYm8McByA0lcecWPxWiB8QJOwME=";
