// What is on the desk: focus, the time a decision takes. Without it the forms just work.
(function () {
  "use strict";
  const UNREAD = 300; // ms in which nobody can have read a claim that just came: nothing decides it yet
  const PAUSE = 60000; // ms: a longer silence is no reading
  const WORKING = "assay-desk-working";
  const ON_SCREEN = "assay-desk-claim"; // code and token of the claim that is read
  const { desk, work, typing } = window.assayDesk;
  const { remember, recall } = window.assayDrafts;
  let active = 0, since = performance.now(), keys = 0; // ms and keys that this decision took so far

  // --- The time of a decision, without pauses ---------------------------------------------------------------------------
  function beat() {
    const now = performance.now();
    if (document.visibilityState === "visible") active += Math.min(now - since, PAUSE);
    since = now;
  }
  function restart() { active = 0; keys = 0; since = performance.now(); }

  // --- What is on the desk ----------------------------------------------------------------------------------------------
  function focusClaim() {
    const claim = document.getElementById("claim");
    if (claim && !typing(document.activeElement)) claim.focus({ preventScroll: true });
  }
  function showSpan() {
    const span = document.getElementById("claim-in-answer");
    const box = document.querySelector(".desk__answer");
    if (span && box) box.scrollTop = span.offsetTop - box.offsetTop - box.clientHeight / 3;
  }
  // The region stands outside of what is swapped: only then do screen readers say what changes in it.
  function say() {
    const said = document.querySelector("#desk [data-say]");
    document.getElementById("desk-status").textContent = said ? said.textContent.trim() : "";
  }
  // A label can be taken back for some seconds; then the same place offers to change it.
  function endUndo() {
    const undo = document.getElementById("undo");
    if (!undo) return;
    setTimeout(() => {
      undo.hidden = true;
      const later = undo.parentElement.querySelector("[data-later]");
      if (later) later.hidden = false;
    }, Number(undo.dataset.lasts));
  }
  function makeReady() {
    const here = desk();
    const ready = () => here.toggleAttribute("data-ready", true);
    if (here.dataset.desk === "claim") requestAnimationFrame(() => setTimeout(ready, UNREAD));
    else ready();
  }
  function shown() {
    if (!desk()) return;
    remember(WORKING, desk().dataset.desk === "empty" ? null : "1");
    remember(ON_SCREEN, desk().dataset.desk === "claim" ? `${work().dataset.slot} ${work().dataset.token}` : null);
    restart();
    showSpan();
    focusClaim();
    say();
    endUndo();
    makeReady();
  }
  function begin() {
    // A reload gives the claim back, perhaps only after the new page was made; whoever was at work goes on with it.
    const [shown, shown_token] = (recall(ON_SCREEN) || "").split(" ");
    const form = document.querySelector("#desk [data-begin], #desk form[data-next]");
    const atWork = desk() && desk().dataset.desk !== "saved" && recall(WORKING); // a label to change was asked for: it stays
    if (!form || !atWork || !(shown_token || form.matches("[data-begin]"))) { document.dispatchEvent(new CustomEvent("desk:shown")); return; }
    const values = Object.fromEntries([...new FormData(form)].filter(([name]) => !["token", "key", "revision", "reason"].includes(name)));
    if (shown_token) Object.assign(values, { shown, shown_token });
    htmx.ajax("POST", desk().dataset.take, { source: desk(), target: desk(), swap: "outerHTML", values });
  }

  for (const name of ["keydown", "pointermove", "pointerdown", "scroll", "input"]) document.addEventListener(name, beat, { passive: true, capture: true });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") since = performance.now(); else beat(); });
  document.addEventListener("keydown", (event) => { // letters of a reason are counted by nobody
    if (!event.repeat && !typing(event.target) && !["Control", "Shift", "Alt", "Meta"].includes(event.key)) keys += 1;
  }, true);
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt.id !== "decision") return;
    beat();
    event.detail.formData.set("active_ms", String(Math.round(active)));
    event.detail.formData.set("keys", String(keys));
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!event.target.closest("#desk")) return;
    desk().toggleAttribute("data-busy", true);
    const submitter = event.detail.requestConfig.triggeringEvent && event.detail.requestConfig.triggeringEvent.submitter;
    if (submitter && submitter.matches("[role=radio]")) submitter.setAttribute("aria-checked", "true");
  });
  document.addEventListener("htmx:afterRequest", () => {
    const here = desk();
    if (here) {
      here.removeAttribute("data-busy");
      for (const radio of here.querySelectorAll("#decision [role=radio]")) radio.setAttribute("aria-checked", "false");
    }
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "desk" || event.target.id === "desk") document.dispatchEvent(new CustomEvent("desk:shown"));
    if (event.detail.target.id === "desk-dialog-body") document.getElementById("desk-dialog").showModal();
  });
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-close-dialog]")) document.getElementById("desk-dialog").close();
  });
  document.addEventListener("desk:shown", shown);
  document.addEventListener("DOMContentLoaded", begin); // once the other scripts of the desk listen
})();
