// The contexts: whole ones are fetched when they are unfolded or searched, highlights can be switched off, a search goes
// through all of them. What comes from datasets stays text: it is searched and painted, never written as HTML.
(function () {
  "use strict";
  const HIGHLIGHTS_OFF = "assay-highlights-off";
  const PAINTED = 1000; // matches on each side of the current one
  const WAIT = 150; // ms after the last letter
  const texts = window.assayTexts;
  const folded = new WeakMap(); // source element -> its text as it is compared
  let hits = []; // [source, start], in the order of the page
  let current = -1;
  let length = 0; // of what is searched, in units
  let timer = 0;

  const bar = () => document.getElementById("evidence-search");
  const wholes = () => [...document.querySelectorAll("#desk details[data-whole]")];
  const part = (act) => document.querySelector(`#desk [data-evidence] [data-act="${act}"]`);

  // --- Whole contexts --------------------------------------------------------------------------------------------------
  function fetchWhole(details) {
    if (details.dataset.state) return;
    details.dataset.state = "asked";
    details.dispatchEvent(new CustomEvent("assay:whole"));
  }
  function unfold() {
    const open = wholes().some((one) => !one.open);
    for (const one of wholes()) one.open = open;
  }
  function showFolding() {
    const button = part("evidence");
    if (!button) return;
    button.hidden = !wholes().length;
    button.setAttribute("aria-pressed", String(wholes().length > 0 && wholes().every((one) => one.open)));
  }
  // Such a request is not the desk's: it must neither hold up its keys nor set them free while a label is on its way.
  for (const name of ["htmx:beforeRequest", "htmx:afterRequest"]) {
    document.addEventListener(name, (event) => {
      const { elt } = event.detail;
      if (!elt.matches("details[data-whole]")) return;
      event.stopPropagation();
      if (name === "htmx:afterRequest") elt.dataset.state = event.detail.successful ? "here" : "";
    }, true);
  }
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!event.target.closest("#desk details[data-whole]")) return;
    document.dispatchEvent(new CustomEvent("evidence:changed"));
    if (bar() && !bar().hidden) search(false);
  });
  document.addEventListener("toggle", (event) => { // does not bubble
    if (!event.target.matches("#desk details[data-whole]")) return;
    if (event.target.open) fetchWhole(event.target);
    showFolding();
  }, true);
  document.addEventListener("evidence:needed", (event) => {
    const source = texts.sources(event.detail.context)[0];
    const details = source && source.closest(".passage").querySelector("details[data-whole]");
    if (details) fetchWhole(details);
  });

  // --- Highlights ------------------------------------------------------------------------------------------------------
  function off() { try { return localStorage.getItem(HIGHLIGHTS_OFF) === "1"; } catch { return false; } }
  function switchHighlights() {
    try { if (off()) localStorage.removeItem(HIGHLIGHTS_OFF); else localStorage.setItem(HIGHLIGHTS_OFF, "1"); } catch { /* storage may be forbidden */ }
    showHighlights();
  }
  function showHighlights() {
    document.documentElement.classList.toggle("highlights-off", off());
    const button = part("highlights");
    if (button) button.setAttribute("aria-pressed", String(!off()));
  }

  // --- Search ----------------------------------------------------------------------------------------------------------
  // Case and width made equal, line breaks as blanks, unit by unit: every place stays what it was.
  const same = new Map();
  function fold(text) {
    let out = "";
    for (const letter of text) {
      if (!same.has(letter)) {
        const plain = /\s/.test(letter) ? " " : letter.normalize("NFKC").toLowerCase();
        same.set(letter, plain.length === letter.length ? plain : letter);
      }
      out += same.get(letter);
    }
    return out;
  }
  function textOf(source) {
    if (!folded.has(source)) folded.set(source, fold(source.textContent));
    return folded.get(source);
  }
  // A context that is here as a whole is searched there, not in its passages too.
  function searched() {
    return [...document.querySelectorAll("#desk .passage")].flatMap((article) => {
      const whole = [...article.querySelectorAll(".whole .source")];
      return whole.length ? whole : [...article.querySelectorAll(".source")];
    });
  }
  function search(move) {
    const query = fold(bar().querySelector("input").value.trim());
    const before = hits[current];
    hits = [];
    length = query.length;
    for (const source of query ? searched() : []) {
      const text = textOf(source);
      for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + length)) hits.push([source, at]);
    }
    current = hits.length ? 0 : -1;
    if (!move && before) current = Math.max(current, hits.findIndex(([source, at]) => source === before[0] && at === before[1]));
    show(move);
  }
  const number = (value) => value.toLocaleString(document.documentElement.lang);
  function show(move) {
    const output = bar().querySelector("output"), query = bar().querySelector("input").value.trim();
    const waiting = wholes().some((one) => one.dataset.state === "asked");
    const words = output.dataset.some.replace("AT", number(current + 1)).replace("COUNT", number(hits.length));
    output.textContent = !query ? "" : hits.length ? words : waiting ? output.dataset.wait : output.dataset.none;
    for (const button of bar().querySelectorAll("[data-step]")) button.disabled = hits.length < 2;
    const range = ([source, at]) => texts.rangeIn(source, at, at + length);
    const near = hits.slice(Math.max(0, current - PAINTED), current + PAINTED);
    texts.paint("found", () => near.filter((hit) => hit !== hits[current]).map(range).filter(Boolean), 3);
    texts.paint("current", () => (hits[current] ? [range(hits[current])] : []), 4);
    if (move && hits[current]) goTo(hits[current]);
  }
  // Parts of a long text are laid out when they come near: then what was measured is not true any more, so look again.
  function goTo(hit, again = 8) {
    if (hit !== hits[current]) return;
    const [source, at] = hit, details = source.closest("details");
    if (details) details.open = true;
    const far = texts.rangeIn(source, at, at + length).getBoundingClientRect().top - window.innerHeight / 3;
    if (Math.abs(far) > 2) window.scrollBy(0, far);
    if (again) requestAnimationFrame(() => goTo(hit, again - 1));
  }
  function searchNow() {
    clearTimeout(timer);
    timer = 0;
    if (bar() && !bar().hidden) search(true);
  }
  function step(by) {
    if (!hits.length) return;
    current = (current + by + hits.length) % hits.length;
    show(true);
  }
  function openSearch() {
    bar().hidden = false;
    part("search").setAttribute("aria-expanded", "true");
    wholes().forEach(fetchWhole);
    bar().querySelector("input").focus();
    bar().querySelector("input").select();
    search(false);
  }
  function closeSearch() {
    bar().hidden = true;
    part("search").setAttribute("aria-expanded", "false");
    hits = [];
    current = -1;
    for (const name of ["found", "current"]) texts.paint(name, () => []);
    document.getElementById("claim").focus({ preventScroll: true });
  }

  document.addEventListener("input", (event) => {
    if (event.target.id !== "evidence-query" || event.isComposing) return;
    clearTimeout(timer);
    timer = setTimeout(searchNow, WAIT);
  });
  document.addEventListener("compositionend", (event) => { if (event.target.id === "evidence-query") searchNow(); });
  document.addEventListener("keydown", (event) => {
    if (!bar() || bar().hidden || event.isComposing || event.keyCode === 229) return;
    const inField = event.target.id === "evidence-query";
    if (event.key === "Escape" && (inField || bar().contains(event.target) || !event.target.closest("input, textarea, select, dialog, details.skip"))) closeSearch();
    else if (event.key === "Enter" && inField) { if (timer) searchNow(); else step(event.shiftKey ? -1 : 1); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("#desk [data-evidence] button");
    if (!button) return;
    const { act } = button.dataset;
    if (act === "search") { if (bar().hidden) openSearch(); else closeSearch(); }
    else if (act === "highlights") switchHighlights();
    else if (act === "evidence") unfold();
    else if (button.dataset.step) step(Number(button.dataset.step));
    else if ("closeSearch" in button.dataset) closeSearch();
  });
  document.addEventListener("desk:shown", () => { showHighlights(); showFolding(); });
})();
