(() => {
"use strict";
const root = document.documentElement;
const find = (id) => document.getElementById(id);
const all = (what, where = document) => [...where.querySelectorAll(what)];
const box = find("q"), told = find("hits"), help = find("help"), on = find("on");
const later = document.querySelector("a[rel=next]"), earlier = document.querySelector("a[rel=prev]");
const said = all("article");
const START = "#q=";
let hits = said, at = -1, opened = [], wait = 0;
root.classList.add("js");

const low = (text) => text.toLowerCase();
const lows = new Map();
const lowOf = (article) => {
  if (!lows.has(article)) lows.set(article, low(article.textContent));
  return lows.get(article);
};

function mark(words) {
  if (!window.CSS || !CSS.highlights) return;
  CSS.highlights.delete("hit");
  if (!words) return;
  const ranges = [];
  for (const article of hits) {
    const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode()) && ranges.length < 5000;) {
      const text = low(node.data);
      if (text.length !== node.data.length) continue;
      for (let i = text.indexOf(words); i >= 0 && ranges.length < 5000; i = text.indexOf(words, i + words.length)) {
        const range = new Range();
        range.setStart(node, i);
        range.setEnd(node, i + words.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("hit", new Highlight(...ranges));
}

function search() {
  const words = low(box.value.trim());
  for (const fold of opened) fold.open = false;
  opened = [];
  hits = words ? said.filter((article) => lowOf(article).includes(words)) : said;
  const found = new Set(hits);
  for (const article of said) article.hidden = !found.has(article);
  for (const part of all("main section")) part.hidden = words && !part.querySelector("article:not([hidden])");
  if (words) for (const article of hits) for (const fold of all("details:not([open])", article)) {
    if (low(fold.textContent).includes(words)) { fold.open = true; opened.push(fold); }
  }
  at = -1;
  mark(words);
  if (words && hits.length && said.length) hits[0].scrollIntoView({block: "start"});
  const where = later ? "; Enter looks on later pages" : "";
  told.textContent = !words ? "" : said.length
    ? `${hits.length} of ${said.length} messages${hits.length ? "" : where}` : "Enter looks through the pages";
}

function go(step) {
  const shown = hits.filter((article) => !article.hidden);
  if (!shown.length) return;
  const now = shown.indexOf(document.activeElement && document.activeElement.closest("article"));
  at = now >= 0 ? now + step : at >= 0 ? at + step : step > 0 ? 0 : shown.length - 1;
  at = Math.max(0, Math.min(at, shown.length - 1));
  shown[at].tabIndex = -1;
  shown[at].focus({preventScroll: true});
  shown[at].scrollIntoView({block: "start"});
}

function nextHit() {
  const words = box.value.trim();
  if (!words) return;
  clearTimeout(wait);
  if (low(words) !== box.dataset.done) { box.dataset.done = low(words); search(); }
  if (at < hits.length - 1 && said.length) {
    at += 1;
    hits[at].scrollIntoView({block: "start"});
    told.textContent = `${at + 1} of ${hits.length} messages found here`;
  } else if (later) {
    location.assign(later.getAttribute("href") + START + encodeURIComponent(words));
  } else {
    told.textContent = `${hits.length} of ${said.length} messages; this is the last page`;
  }
}

function begun() {
  if (!location.hash.startsWith(START)) return;
  let words = "";
  try { words = decodeURIComponent(location.hash.slice(START.length)); } catch { return; }
  box.value = words;
  box.dataset.done = low(words.trim());
  search();
  if (hits.length && said.length) { nextHit(); return; }
  if (later) location.replace(later.getAttribute("href") + START + encodeURIComponent(words));
  else told.textContent = "no message here or on the pages before this one that were looked through";
}

function stop() {
  box.value = "";
  delete box.dataset.done;
  search();
  box.blur();
}

const toggle = (folds) => {
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
};
const keys = {
  j: () => go(1),
  k: () => go(-1),
  o: () => toggle(all("details", document.activeElement.closest("article") || document.createElement("p"))),
  e: () => toggle(all("main details")),
  n: () => later && location.assign(later.getAttribute("href")),
  p: () => earlier && location.assign(earlier.getAttribute("href")),
  "/": () => { box.focus(); box.select(); },
  "?": () => help.showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.target === box) {
    if (event.key === "Enter") { event.preventDefault(); nextHit(); }
    else if (event.key === "Escape") { event.preventDefault(); stop(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || event.target.matches("input")) return;
  if (!on.checked && event.key !== "?") return;
  const act = Object.hasOwn(keys, event.key) && keys[event.key];
  if (act) { event.preventDefault(); act(); }
});
box.addEventListener("input", () => {
  clearTimeout(wait);
  wait = setTimeout(() => { box.dataset.done = low(box.value.trim()); search(); }, 150);
});
find("keys").addEventListener("click", () => help.showModal());
find("close").addEventListener("click", () => help.close());
window.addEventListener("hashchange", () => {
  const target = find(decodeURIComponent(location.hash.slice(1)));
  if (target && target.hidden) { stop(); target.scrollIntoView(); }
});
begun();
})();
