// Marking evidence: selected text, or a highlighted sentence, becomes a place in a context that goes with the label.
(function () {
  "use strict";
  const MOST = 50; // as review/evidence_marks.py has it
  const SHOWN = 200; // characters of a marked text in the list
  const texts = window.assayTexts;
  const { remember, recall } = window.assayDrafts;
  let marks = []; // [context, start, end] in reading order, none touching another
  let pending = []; // of the selection
  let sent = null; // the form that is on its way, and under which name its marks are kept

  const own = () => document.querySelector("#desk [data-own]");
  const key = () => (own() ? "assay-marks-" + own().dataset.own : "");

  // --- The marks -------------------------------------------------------------------------------------------------------
  const read = (value) => value.split(":").map(Number);
  const isMark = (mark) => mark.length === 3 && mark.every((number) => Number.isSafeInteger(number) && number >= 0) && mark[1] < mark[2];
  function merged(all) {
    const out = [];
    for (const [context, start, end] of [...all].sort((one, other) => one[0] - other[0] || one[1] - other[1])) {
      const last = out.at(-1);
      if (last && last[0] === context && start <= last[2]) last[2] = Math.max(last[2], end);
      else out.push([context, start, end]);
    }
    return out;
  }
  function say(what) {
    const region = own().querySelector("[role=status]");
    region.textContent = "";
    requestAnimationFrame(() => { region.textContent = region.dataset[what]; });
  }
  function change(all, what) {
    const joined = merged(all);
    if (joined.length > MOST) { tellFull(); return; }
    marks = joined;
    remember(key(), JSON.stringify(marks));
    draw();
    say(what);
  }
  function tellFull() {
    document.dispatchEvent(new CustomEvent("assay:message", { detail: { level: "warning", text: own().querySelector("[role=status]").dataset.full } }));
  }

  // --- The list --------------------------------------------------------------------------------------------------------
  function row(mark) {
    const line = own().querySelector("template").content.firstElementChild.cloneNode(true);
    const source = line.querySelector(".passage__source"), quote = line.querySelector("q");
    source.textContent = source.textContent.replace("NUMBER", String(mark[0] + 1));
    const found = texts.textOf(mark);
    const letters = found ? Array.from(found.text) : [];
    quote.textContent = found ? letters.slice(0, SHOWN).join("") + (letters.length > SHOWN ? "…" : "") : "…";
    if (found) quote.lang = found.lang;
    else document.dispatchEvent(new CustomEvent("evidence:needed", { detail: { context: mark[0] } }));
    line.querySelector("button").addEventListener("click", () => {
      change(marks.filter((one) => one !== mark), "removed");
      (own().querySelector(".own__list button") || document.getElementById("claim")).focus({ preventScroll: true });
    });
    return line;
  }
  function field(mark) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: "mark", value: mark.join(":") });
    input.setAttribute("form", own().dataset.form);
    return input;
  }
  function given() { return [...document.querySelectorAll("#desk [data-given]")].map((line) => read(line.dataset.given)); }
  function draw() {
    if (own()) {
      const list = own().querySelector(".own__list");
      list.replaceChildren(...marks.map(row));
      list.hidden = !marks.length;
      for (const old of own().querySelectorAll("input[name=mark]")) old.remove();
      own().append(...marks.map(field));
    }
    texts.paint("own", () => (own() ? marks : given()).flatMap(texts.rangesOf), 1);
  }
  function restore() {
    pending = [];
    if (own()) {
      const kept = recall(key());
      const fields = [...own().querySelectorAll("input[name=mark]")].map((one) => read(one.value));
      let drafted = null;
      try { drafted = kept ? JSON.parse(kept) : null; } catch { /* not ours */ }
      marks = merged((Array.isArray(drafted) ? drafted : fields).filter((one) => Array.isArray(one) && isMark(one)));
    }
    draw();
  }

  // --- The selection ---------------------------------------------------------------------------------------------------
  const button = () => (own() ? own().querySelector(".mark-button") : null);
  function look() {
    const one = button();
    if (!one) return;
    const selection = document.getSelection();
    const inside = selection.rangeCount && !selection.isCollapsed;
    const range = inside ? selection.getRangeAt(0) : null;
    pending = range ? texts.spansOf(range) : [];
    one.hidden = !pending.length;
    if (pending.length) place(one, range);
  }
  // Beside the end of the selection; on a phone the style sheet keeps the button above the decision bar.
  function place(one, range) {
    const boxes = range.getClientRects();
    const box = boxes[boxes.length - 1] || range.getBoundingClientRect();
    const top = Math.min(Math.max(box.bottom + 6, 8), window.innerHeight - 160);
    const left = Math.min(Math.max(box.right - one.offsetWidth / 2, 8), document.documentElement.clientWidth - one.offsetWidth - 8);
    one.style.setProperty("--top", `${top}px`);
    one.style.setProperty("--left", `${left}px`);
  }
  function markSelection() {
    if (!pending.length) return;
    const added = pending;
    document.getSelection().removeAllRanges();
    pending = [];
    button().hidden = true;
    change([...marks, ...added], "marked");
  }
  let asked = false;
  function lookSoon() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; look(); });
  }

  document.addEventListener("selectionchange", lookSoon);
  document.addEventListener("scroll", () => { if (pending.length) lookSoon(); }, { passive: true, capture: true });
  // Pressing takes the selection away on phones, and with it the button: so the press itself counts.
  document.addEventListener("pointerdown", (event) => {
    if (event.button || !(event.target instanceof Element) || !event.target.closest(".mark-button")) return;
    event.preventDefault();
    markSelection();
  });
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest(".mark-button")) markSelection(); // by key
    const sentence = event.target.closest("[data-mark]");
    if (sentence && own()) change([...marks, read(sentence.dataset.mark)], "marked");
  });
  document.addEventListener("focusin", (event) => {
    const sentence = event.target.closest("[data-mark]");
    if (sentence) texts.paint("pointed", () => texts.rangesOf(read(sentence.dataset.mark)), 2);
  });
  document.addEventListener("focusout", (event) => { if (event.target.closest("[data-mark]")) texts.paint("pointed", () => []); });

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    if (own() && (elt.id === own().dataset.form || elt.matches("[data-discards]"))) sent = { elt, name: key() }; // the answer may bring another claim
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!sent || event.detail.elt !== sent.elt) return;
    const done = event.detail.xhr.getResponseHeader("Assay-Kept") === "1" || sent.elt.matches("[data-discards]");
    if (event.detail.successful && done) remember(sent.name, null);
    sent = null;
  });
  document.addEventListener("desk:shown", restore);
  document.addEventListener("evidence:changed", draw);
})();
