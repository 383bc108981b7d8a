// Runs before the first paint, so that the chosen theme does not flash. Choices: system (nothing stored), light, dark.
(function () {
  "use strict";
  const KEY = "assay-theme";
  const root = document.documentElement;
  root.classList.add("js");

  function stored() {
    try { return localStorage.getItem(KEY); } catch { return null; } // storage may be forbidden; the system's wish then counts
  }
  function apply(theme) {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  }
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  apply(stored());

  document.addEventListener("DOMContentLoaded", function () {
    const button = document.querySelector("[data-theme-toggle]");
    if (!button) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", function () {
      const next = isDark() ? "light" : "dark";
      apply(next);
      button.setAttribute("aria-pressed", String(next === "dark"));
      try { localStorage.setItem(KEY, next); } catch { /* shown for this page only */ }
    });
  });
})();
