// The desk: one key per decision, drafts that survive, a lease that is held while somebody works. Without it the forms just work.
(function () {
  "use strict";
  const RENEW_EVERY = 60000; // ms
  const IDLE_AFTER = 10 * 60000; // ms without any input: the lease is no longer held
  const KEYS_OFF = "assay-desk-keys-off";
  const WORKING = "assay-desk-working";
  let busy = false;
  let sent = ""; // the draft that travels with the label
  let lastInput = Date.now();

  const desk = () => document.getElementById("desk");
  const work = () => document.querySelector(".desk__work");
  const token = () => { const field = document.querySelector("#desk [name=csrfmiddlewaretoken]"); return field ? field.value : ""; };
  function remember(store, key, value) { try { if (value) store.setItem(key, value); else store.removeItem(key); } catch { /* storage may be forbidden */ } }
  function recall(store, key) { try { return store.getItem(key) || ""; } catch { return ""; } }

  // --- Keys ---------------------------------------------------------------------------------------------------------
  function typing(target) {
    return target instanceof Element && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=hidden])"));
  }
  function press(element) {
    if (element.tagName === "SUMMARY") toggleSkip();
    else if (!element.disabled) element.click();
  }
  function toggleSkip() {
    const skip = document.getElementById("skip");
    skip.open = !skip.open;
    if (skip.open) skip.querySelector(".skip__reason").focus();
    else focusClaim();
  }
  function unfold() {
    const wholes = [...document.querySelectorAll("#desk details[data-whole]")];
    const open = wholes.some((one) => !one.open);
    for (const one of wholes) one.open = open;
  }
  function escape(event) {
    const skip = document.getElementById("skip");
    if (typing(event.target)) event.target.blur();
    else if (skip && skip.open) toggleSkip();
  }
  function onKey(event) {
    // An input method uses Enter and digits to pick a word: such keys are never ours (keyCode 229 in older browsers).
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") { escape(event); return; }
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || busy) return;
    if (typing(event.target) || document.querySelector("dialog[open]") || recall(localStorage, KEYS_OFF)) return;
    const element = find(event);
    if (element) { event.preventDefault(); press(element); }
    else if (event.key.toLowerCase() === "e" && !document.querySelector(":popover-open")) { event.preventDefault(); unfold(); }
  }
  function find(event) {
    const key = event.key.toLowerCase();
    if (key === "?" || key === "？") return document.querySelector('#desk [data-key="?"]');
    if (document.querySelector(":popover-open") || !/^[1-4nu]$|^enter$/.test(key)) return null;
    const skip = document.getElementById("skip");
    if (skip && skip.open && /^[1-9]$/.test(key)) return skip.querySelector(`[data-skip-key="${key}"]`);
    if (key === "enter") {
      const onControl = event.target instanceof Element && event.target.closest("a, button, summary, input, select");
      return onControl ? null : document.querySelector("#desk [data-enter]");
    }
    return document.querySelector(`#desk [data-key="${key}"]`);
  }

  // --- Drafts of the reason, per claim --------------------------------------------------------------------------------
  function draftKey(field) { return "assay-draft-" + field.dataset.draft; }
  function restoreDraft() {
    const field = document.querySelector("#desk [data-draft]");
    const draft = field && recall(sessionStorage, draftKey(field));
    if (draft) field.value = draft;
  }

  // --- The lease ------------------------------------------------------------------------------------------------------
  function send(url, keepalive) {
    const body = new URLSearchParams({ token: work().dataset.token });
    return fetch(url, { method: "POST", body, keepalive, headers: { "X-CSRFToken": token() }, redirect: "error" });
  }
  async function renew() {
    const held = work();
    if (!held || busy || document.visibilityState !== "visible" || Date.now() - lastInput > IDLE_AFTER) return;
    try {
      const answer = await send(held.dataset.renew, false);
      if (answer.status === 409 && held === work()) {
        document.dispatchEvent(new CustomEvent("assay:message", { detail: { level: "warning", template: "desk-lost" } }));
      }
    } catch { /* offline for a moment: the next beat tries again */ }
  }
  function release() {
    if (work() && !busy) send(work().dataset.release, true).catch(() => {});
  }

  // --- What is on the desk --------------------------------------------------------------------------------------------
  function focusClaim() {
    const claim = document.getElementById("claim");
    if (claim && !typing(document.activeElement)) claim.focus({ preventScroll: true });
  }
  function showSpan() {
    const span = document.getElementById("claim-in-answer");
    const box = document.querySelector(".desk__answer");
    if (span && box) box.scrollTop = span.offsetTop - box.offsetTop - box.clientHeight / 3;
  }
  function arrange() {
    if (!desk()) return;
    remember(sessionStorage, WORKING, desk().dataset.desk === "empty" ? "" : "1");
    restoreDraft();
    showSpan();
    focusClaim();
  }
  function begin() {
    // A reload gives the claim back; whoever was at work goes on without another click.
    const form = document.querySelector("#desk [data-begin]");
    if (form && recall(sessionStorage, WORKING)) form.requestSubmit();
    else arrange();
  }
  function bindSwitch() {
    const line = document.querySelector("[data-keys-switch]");
    if (!line) return;
    const box = line.querySelector("input");
    line.hidden = false;
    box.checked = !recall(localStorage, KEYS_OFF);
    box.addEventListener("change", () => remember(localStorage, KEYS_OFF, box.checked ? "" : "1"));
  }

  document.addEventListener("keydown", onKey);
  for (const name of ["keydown", "pointerdown", "scroll", "input"]) document.addEventListener(name, () => { lastInput = Date.now(); }, { passive: true, capture: true });
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-draft]")) remember(sessionStorage, draftKey(event.target), event.target.value);
  });
  // From the click until the answer is in place no key decides anything: it would judge a claim nobody has read.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!event.target.closest("#desk")) return;
    busy = true;
    const field = event.target.id === "decision" && document.querySelector("#desk [data-draft]");
    sent = field ? draftKey(field) : ""; // noted now: when the answer is here the field may belong to the next claim
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    busy = false;
    if (event.detail.successful && sent) remember(sessionStorage, sent, "");
    sent = "";
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "desk" || event.target.id === "desk") { bindSwitch(); arrange(); }
  });
  window.addEventListener("pagehide", release);
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  setInterval(renew, RENEW_EVERY);
  bindSwitch();
  begin();
})();
