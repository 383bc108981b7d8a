// The claims that this page holds: the one on screen, and the next one, which waits out of sight. Both are held while
// somebody works here and given back when the page is left. `assayDesk` is what the scripts of the desk share.
window.assayDesk = (function () {
  "use strict";
  const RENEW_EVERY = 60000; // ms
  const IDLE_AFTER = 10 * 60000; // ms without any input: the claims are no longer held
  let lastInput = Date.now();

  const shared = {
    ahead: null, // the next claim's #desk, not in the document
    desk: () => document.getElementById("desk"),
    work: (place) => (place || document).querySelector(".desk__work"),
    busy: () => { const desk = shared.desk(); return Boolean(desk && "busy" in desk.dataset); },
    typing: (target) => target instanceof Element && (target.isContentEditable
      || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=hidden])")),
    post, release, tell,
  };

  // The cookie has the newest token: signing in elsewhere changes it.
  function csrf() {
    const found = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    const field = document.querySelector("#desk [name=csrfmiddlewaretoken]");
    return found ? found[1] : field ? field.value : "";
  }
  function post(url, fields, keepalive) {
    return fetch(url, { method: "POST", body: new URLSearchParams(fields), keepalive, headers: { "X-CSRFToken": csrf() }, redirect: "error" });
  }
  function release(work) {
    if (work) post(work.dataset.release, { token: work.dataset.token }, true).catch(() => {});
  }
  function tell(level, template) {
    document.dispatchEvent(new CustomEvent("assay:message", { detail: { level, template } }));
  }
  async function stillOurs(work) {
    try { return (await post(work.dataset.renew, { token: work.dataset.token }, false)).status !== 409; } catch { return true; } // offline for a moment: the next beat tries again
  }
  async function renew() {
    if (shared.busy() || document.visibilityState !== "visible" || Date.now() - lastInput > IDLE_AFTER) return;
    const now = shared.work(), next = shared.ahead;
    if (now && !(await stillOurs(now)) && now === shared.work()) tell("warning", "desk-lost");
    if (next && !(await stillOurs(shared.work(next))) && next === shared.ahead) shared.ahead = null;
  }
  function leave() {
    const now = shared.busy() ? null : shared.work(), next = shared.ahead && shared.work(shared.ahead);
    shared.ahead = null;
    // In one request: a page that is loaded again meanwhile must not be given the one that waited.
    if (now && next) post(now.dataset.release, { token: now.dataset.token, next: next.dataset.slot, next_token: next.dataset.token }, true).catch(() => {});
    else release(now || next);
  }

  for (const name of ["keydown", "pointerdown", "scroll", "input"]) {
    document.addEventListener(name, () => { lastInput = Date.now(); }, { passive: true, capture: true });
  }
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  setInterval(renew, RENEW_EVERY);
  return shared;
})();
