// A form with data-upload: files may be dropped, and the way up is shown. Without JavaScript it is a plain form.
// A refused file answers with the same page and its errors; only <main> is replaced. A lost connection keeps the form as it is.
// A textarea with data-as-file="NAME" goes up as a file of that name, so that long pastes may be as large as files.
(function () {
  "use strict";

  function size(bytes) {
    const units = ["B", "KB", "MB", "GB"];
    let i = 0;
    while (bytes >= 1024 && i < units.length - 1) { bytes /= 1024; i += 1; }
    return (i ? bytes.toFixed(1) : bytes) + " " + units[i];
  }
  function showChosen(drop) {
    const input = drop.querySelector('input[type="file"]');
    const file = input.files[0];
    drop.querySelector("[data-chosen]").textContent = file ? file.name + " · " + size(file.size) : "";
  }

  document.addEventListener("change", (event) => {
    const drop = event.target.closest("[data-drop]");
    if (drop && event.target.type === "file") showChosen(drop);
  });
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      const drop = event.target.closest && event.target.closest("[data-drop]");
      if (!drop) return;
      event.preventDefault();
      drop.dataset.over = "";
    });
  }
  document.addEventListener("dragleave", (event) => {
    const drop = event.target.closest && event.target.closest("[data-drop]");
    if (drop && !drop.contains(event.relatedTarget)) delete drop.dataset.over;
  });
  document.addEventListener("drop", (event) => {
    const drop = event.target.closest && event.target.closest("[data-drop]");
    if (!drop) return;
    event.preventDefault();
    delete drop.dataset.over;
    if (!event.dataTransfer.files.length) return;
    const only = new DataTransfer();
    only.items.add(event.dataTransfer.files[0]);
    drop.querySelector('input[type="file"]').files = only.files;
    showChosen(drop);
  });

  function finish(form, xhr) {
    const next = xhr.getResponseHeader("X-Next-Page"); // not a redirect: the page would be made twice, its messages lost
    if (next) {
      location.assign(next);
      return;
    }
    const arrived = new URL(xhr.responseURL || location.href);
    if (xhr.status < 400 && arrived.href !== new URL(form.action, location.href).href) {
      location.assign(arrived.href);
      return;
    }
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    const fresh = page.querySelector("main");
    for (const area of form.querySelectorAll("textarea[data-as-file]")) { // what was typed stays
      const again = fresh && fresh.querySelector("#" + area.id);
      if (again) { again.value = area.value; again.closest("details")?.setAttribute("open", ""); }
    }
    if (fresh && (xhr.status < 400 || xhr.status === 422 || xhr.status === 400)) {
      const main = document.querySelector("main");
      main.replaceWith(fresh);
      if (window.htmx) window.htmx.process(fresh);
      for (const message of page.querySelectorAll("#messages > .message")) document.getElementById("messages").append(message);
      const first = fresh.querySelector('.notice-error, [aria-invalid="true"]');
      if (first) { first.setAttribute("tabindex", "-1"); first.focus(); }
      return;
    }
    const known = ["401", "403", "404", "409", "413", "429"].includes(String(xhr.status));
    fail(form, known ? String(xhr.status) : xhr.status >= 500 ? "500" : "400");
  }
  function busy(form, on) {
    form.querySelector("[data-upload-progress]").hidden = !on;
    for (const button of form.querySelectorAll('[type="submit"]')) button.disabled = on;
  }
  function fail(form, name) {
    busy(form, false);
    document.dispatchEvent(new CustomEvent("assay:message", { detail: { level: "error", template: "error-" + name } }));
  }

  function dataOf(form, submitter) {
    const data = new FormData(form, submitter);
    for (const area of form.querySelectorAll("textarea[data-as-file]")) {
      if (!area.value.trim()) continue; // the server says that nothing came
      data.delete(area.name);
      data.append("file", new File([area.value], area.dataset.asFile, { type: "text/tab-separated-values" }));
    }
    return data;
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-upload]") || event.defaultPrevented) return;
    event.preventDefault();
    const box = form.querySelector("[data-upload-progress]");
    const bar = box.querySelector("progress");
    const xhr = new XMLHttpRequest();
    busy(form, true);
    xhr.upload.addEventListener("progress", (step) => {
      if (!step.lengthComputable) return;
      bar.max = step.total;
      bar.value = step.loaded;
      box.querySelector("[data-upload-text]").textContent = size(step.loaded) + " / " + size(step.total);
    });
    xhr.addEventListener("load", () => finish(form, xhr));
    xhr.addEventListener("error", () => fail(form, "network"));
    xhr.addEventListener("abort", () => busy(form, false));
    box.querySelector("[data-upload-cancel]").onclick = () => xhr.abort();
    xhr.open("POST", form.action);
    xhr.setRequestHeader("X-Upload", "script");
    xhr.send(dataOf(form, event.submitter));
  });
})();
