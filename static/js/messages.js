// The one place where a passing message is shown. Any script may send one:
//   document.dispatchEvent(new CustomEvent("assay:message", {detail: {level: "error", template: "error-403", text: ""}}))
// `instead`: the text takes the place of the template's first paragraph, else it stands below.
// `template` is the id of a <template> that holds the translated words; `text` is plain text and never read as HTML.
(function () {
  "use strict";
  const LIMIT = 4;

  function region() { return document.getElementById("messages"); }

  function show(detail) {
    const place = region();
    const frame = document.getElementById("message-frame");
    if (!place || !frame) return;
    const key = detail.template || detail.text;
    for (const old of place.querySelectorAll("[data-key]")) if (old.dataset.key === key) old.remove();
    const message = frame.content.firstElementChild.cloneNode(true);
    message.classList.add("message-" + (detail.level || "info"));
    message.dataset.key = key;
    if (detail.level === "error") message.setAttribute("role", "alert");
    const text = message.querySelector(".message__text");
    const words = detail.template && document.getElementById(detail.template);
    if (words) text.append(words.content.cloneNode(true));
    if (detail.text && detail.instead && text.querySelector("p")) text.querySelector("p").textContent = detail.text;
    else if (detail.text) {
      const line = document.createElement("p");
      line.textContent = detail.text;
      text.append(line);
    }
    for (const link of text.querySelectorAll("[data-next]")) {
      link.href += "?next=" + encodeURIComponent(location.pathname + location.search);
    }
    place.append(message);
    while (place.children.length > LIMIT) place.firstElementChild.remove();
  }

  document.addEventListener("assay:message", (event) => show(event.detail));
  document.addEventListener("htmx:afterRequest", (event) => { // it went well now: what went wrong before is over
    if (!event.detail.successful || event.detail.requestConfig.verb === "get" || !region()) return;
    for (const old of region().querySelectorAll('[data-key^="error-"]')) old.remove();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-close-message]");
    if (button) button.closest(".message").remove();
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
    if (event.target.closest("[data-reload]")) location.reload();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
})();
