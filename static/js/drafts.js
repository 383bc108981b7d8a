// What was typed and not sent yet survives Next, an undo, a reload, signing in anew: per claim, person and field, until
// the server has it (Assay-Kept) or the person throws it away. `assayDrafts` is what scripts of a page remember things with.
window.assayDrafts = (function () {
  "use strict";
  const PREFIX = "assay-draft-";
  const onTheWay = new WeakMap(); // request -> [key, text] of the fields that it carries

  function remember(key, value) { try { if (value === null) sessionStorage.removeItem(key); else sessionStorage.setItem(key, value); } catch { /* storage may be forbidden, or full */ } }
  function recall(key) { try { return sessionStorage.getItem(key); } catch { return null; } }
  function names() { try { return Object.keys(sessionStorage); } catch { return []; } }

  const fields = () => [...document.querySelectorAll("[data-draft]")];
  const keyOf = (field) => PREFIX + field.dataset.draft;
  const plain = (text) => String(text).replace(/\r\n?/g, "\n");
  function read(key) {
    try {
      const draft = JSON.parse(recall(key));
      return draft && typeof draft.text === "string" ? draft : null;
    } catch { return null; }
  }
  function keep(field) {
    const saved = field.value === field.defaultValue && !("unsaved" in field.dataset); // the server's own text needs no draft
    remember(keyOf(field), saved ? null : JSON.stringify({ text: field.value, base: field.defaultValue, place: field.dataset.place || "" }));
  }
  // What was saved in another window since is not hidden by what waits here: both stand in the field.
  function beside(draft, saved) {
    const known = !saved || [draft.base, draft.text].some((text) => plain(text || "") === plain(saved));
    return known ? draft.text : `${saved}\n\n${draft.text}`;
  }
  function restore() {
    for (const field of fields()) {
      const draft = read(keyOf(field));
      if (draft) field.value = beside(draft, field.defaultValue);
      if (draft || "unsaved" in field.dataset) keep(field);
    }
    showUnsent();
  }

  // A comment whose claim has left the desk would be forgotten: a link leads to it. A claim in hand has its own fields.
  function showUnsent() {
    const link = document.querySelector("[data-unsent]");
    if (!link) return;
    const here = new Set(fields().map((field) => field.dataset.draft.replace(/-[a-z]+$/, "")));
    const waiting = names().filter((key) => key.startsWith(`${PREFIX}${link.dataset.unsent}-`) && key.endsWith("-comment"))
      .filter((key) => !here.has(key.slice(PREFIX.length, -"-comment".length)));
    const place = waiting.map((key) => read(key)).map((draft) => (draft && draft.text.trim() ? draft.place : "")).find((one) => one);
    link.hidden = !place;
    if (place) link.href = place;
  }

  function carried(formData) {
    return fields().filter((field) => formData.has(field.name) && plain(formData.get(field.name)) === plain(field.value))
      .map((field) => [keyOf(field), field.value]);
  }
  document.addEventListener("input", (event) => { if (event.target.matches("[data-draft]")) keep(event.target); });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { xhr, requestConfig } = event.detail;
    if (requestConfig.formData) onTheWay.set(xhr, carried(requestConfig.formData));
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    const done = xhr.getResponseHeader("Assay-Kept") === "1" || (xhr.status < 300 && requestConfig.elt.matches("[data-discards]"));
    if (!done) return;
    for (const [key, text] of onTheWay.get(xhr) || []) { // more may have been typed meanwhile
      const draft = read(key);
      if (draft && draft.text === text) remember(key, null);
    }
  });
  for (const name of ["DOMContentLoaded", "desk:shown", "htmx:afterSwap"]) document.addEventListener(name, restore);
  return { remember, recall };
})();
