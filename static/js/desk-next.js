// The next claim is fetched while this one is read. Once the server has confirmed the label, and that the next claim is
// still ours, it is put on screen as it is; in every other case the server's answer is the next claim, as without this file.
(function () {
  "use strict";
  const desk = window.assayDesk;
  const AFTER = 150; // ms after a claim came on screen: it is painted first
  let asking = false;
  let offered = ""; // the code of the claim that the request under way offers to go on with

  const code = (place) => { const work = desk.work(place); return work ? work.dataset.slot : ""; };
  function mark() { if (desk.desk()) desk.desk().toggleAttribute("data-ahead", Boolean(desk.ahead)); }
  function read(html) {
    const place = document.createElement("template");
    place.innerHTML = html;
    return place.content.firstElementChild;
  }

  async function fetchNext() {
    const here = desk.desk();
    if (!here || desk.ahead || asking || document.visibilityState !== "visible") return;
    const form = here.querySelector("form[data-next]");
    if (!form) return;
    const fields = Object.fromEntries([...new FormData(form)].filter(([name]) => ["project", "tag", "language", "again"].includes(name)));
    asking = true;
    try {
      const answer = await desk.post(form.dataset.next, { ...fields, besides: code() }, false);
      const found = answer.status === 200 ? read(await answer.text()) : null;
      if (found && desk.ahead) desk.release(desk.work(found)); // meanwhile somebody looked back: the claim in hand comes next
      else if (found && code(found) !== code()) desk.ahead = found;
    } catch { /* offline: the next claim comes with the answer to the label */ }
    asking = false;
    mark();
  }

  function putOnScreen(html) {
    const next = desk.ahead;
    desk.ahead = null;
    next.querySelector(".desk__meta").replaceWith(read(html)); // what was saved, and the counts of now
    desk.desk().replaceWith(next);
    htmx.process(next);
    window.scrollTo(0, 0);
    document.dispatchEvent(new CustomEvent("desk:shown"));
  }

  document.addEventListener("htmx:configRequest", (event) => {
    offered = "";
    const { formData, elt } = event.detail;
    if (!desk.ahead || !formData || !elt.closest("#desk") || !elt.matches("form[data-goes-on]")) return;
    offered = code(desk.ahead);
    formData.set("next", offered);
    formData.set("next_token", desk.work(desk.ahead).dataset.token);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig, target } = event.detail;
    if (!target || target.id !== "desk" || xhr.status >= 300) return;
    const confirmed = xhr.getResponseHeader("Assay-Next");
    if (confirmed) { // the answer holds no claim, only that the one we have is ours
      event.detail.shouldSwap = false;
      if (desk.ahead && confirmed === code(desk.ahead)) putOnScreen(xhr.responseText);
      else location.reload();
    } else if (requestConfig.elt.matches("[data-aside]") && desk.work()) {
      // Looking back: the claim in hand waits as it is, with what is typed, and comes next.
      if (desk.ahead) desk.release(desk.work(desk.ahead));
      desk.ahead = desk.desk();
    }
  });
  document.addEventListener("desk:shown", () => {
    if (desk.ahead) {
      const same = code(desk.ahead) === code();
      const refused = offered && offered === code(desk.ahead) && desk.desk().dataset.desk !== "saved";
      if (refused && !same) desk.release(desk.work(desk.ahead));
      if (refused || same) desk.ahead = null;
    }
    offered = "";
    mark();
    setTimeout(fetchNext, AFTER);
  });
})();
