// A part that asks for itself again (data-quiet) rests while nobody looks at the page, and while somebody is at work in it.
(function () {
  "use strict";
  const atWork = (part) => part.contains(document.activeElement) || part.querySelector("details[open]") || document.querySelector("dialog[open]");

  document.addEventListener("htmx:beforeRequest", (event) => {
    const part = event.target;
    if (part.matches("[data-quiet]") && (document.visibilityState !== "visible" || atWork(part))) event.preventDefault();
  });

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") document.dispatchEvent(new CustomEvent("page-seen"));
  });
})();
