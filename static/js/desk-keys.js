// The keys of the desk. Which key does what comes with the page: it is the person's choice, also to have none of them.
(function () {
  "use strict";
  const { desk, busy, typing } = window.assayDesk;
  const CHORDS = { Digit1: "supported", Digit2: "contradicted", Digit3: "unverified", Digit4: "skip", Numpad1: "supported", Numpad2: "contradicted", Numpad3: "unverified", Numpad4: "skip" };

  function visible(selector) {
    return [...document.querySelectorAll("#desk " + selector)].filter((one) => one.checkVisibility());
  }
  function toggleSkip() {
    const skip = document.getElementById("skip");
    skip.open = !skip.open;
    (skip.open ? skip.querySelector(".skip__reason") : document.getElementById("claim")).focus();
  }
  function press(element) {
    if (element.tagName === "SUMMARY" && element.parentElement.id === "skip") toggleSkip();
    else element.click();
  }
  function escape(event) {
    const skip = document.getElementById("skip");
    const open = skip && skip.open;
    if (typing(event.target) && !(open && skip.contains(event.target))) event.target.blur();
    else if (open) toggleSkip();
  }
  // An input method may give full-width digits and signs; on some keyboards digits lie under other signs.
  function actOf(event) {
    const keys = JSON.parse(desk().dataset.keys || "{}");
    const key = event.key.normalize("NFKC").toLowerCase();
    const digit = !event.shiftKey && /^Digit\d$/.test(event.code) ? event.code.slice(-1) : "";
    for (const one of [key, digit]) if (one && Object.hasOwn(keys, one)) return keys[one];
    return "";
  }
  // Without single keys: Ctrl or Alt with the digit, also while typing.
  function chordOf(event) {
    if (desk().dataset.keys !== "{}" || event.ctrlKey === event.altKey || event.metaKey || event.shiftKey) return "";
    return CHORDS[event.code] || "";
  }
  function find(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      const chord = chordOf(event);
      return chord ? visible(`[data-act~="${chord}"]`)[0] : null;
    }
    if (typing(event.target) || desk().dataset.keys === "{}") return null;
    const act = actOf(event);
    if (act === "help") return visible('[data-act~="help"]')[0];
    if (document.querySelector(":popover-open")) return null;
    const skip = document.getElementById("skip");
    if (skip && skip.open) {
      const digit = event.key.normalize("NFKC");
      if (/^[1-9]$/.test(digit)) return [...skip.querySelectorAll("[data-skip-key]")].find((one) => one.dataset.skipKey === digit);
    }
    if (event.key === "Enter") {
      const onControl = event.target instanceof Element && event.target.closest("a, button, summary, input, select");
      return onControl ? null : visible("[data-enter]")[0];
    }
    return act ? visible("[data-act]").find((one) => one.dataset.act.split(" ").includes(act)) : null;
  }
  function onKey(event) {
    // An input method uses Enter and digits to pick a word: such keys are never ours (keyCode 229 in older browsers).
    if (!desk() || event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") { escape(event); return; }
    if (event.repeat || busy() || document.querySelector("dialog:modal")) return;
    const element = find(event);
    if (element) { event.preventDefault(); press(element); }
  }

  // The three labels are one radio group: arrows move in it, Space and Enter decide.
  function onArrow(event) {
    const group = event.target instanceof Element && event.target.closest("#decision [role=radiogroup]");
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!group || !step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const radios = [...group.querySelectorAll("[role=radio]")];
    const next = radios[(radios.indexOf(event.target.closest("[role=radio]")) + step + radios.length) % radios.length];
    for (const radio of radios) radio.tabIndex = radio === next ? 0 : -1;
    next.focus();
  }
  function oneStop() {
    for (const group of document.querySelectorAll("#decision [role=radiogroup]")) {
      group.querySelectorAll("[role=radio]").forEach((radio, place) => { radio.tabIndex = place ? -1 : 0; });
    }
  }
  // No key, no click, no second click of a double one decides a claim that nobody can have read, or twice.
  function guard(event) {
    if (!(event.target instanceof Element) || !event.target.closest("#decision [role=radio], .skip__reason")) return;
    if (!busy() && "ready" in desk().dataset) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  document.addEventListener("keydown", onArrow);
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", guard, true);
  document.addEventListener("desk:shown", oneStop);
})();
