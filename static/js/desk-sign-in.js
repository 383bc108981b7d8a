// The session ended while somebody typed: sign in on the spot, and what was sent is sent again, with the same key.
(function () {
  "use strict";
  let again = null; // sends the request that the server did not take

  const dialog = () => document.getElementById("sign-in");
  function say(template) {
    dialog().querySelector("[data-sign-in-error]").textContent = template ? document.getElementById(template).content.textContent : "";
  }
  function resend(config) {
    const form = config.elt;
    const submitter = config.triggeringEvent && config.triggeringEvent.submitter;
    return () => { if (form.isConnected && form.requestSubmit) form.requestSubmit(submitter && submitter.isConnected ? submitter : undefined); };
  }
  async function signIn(form) {
    const page = await (await fetch(form.dataset.action)).text(); // for its token: the old one went with the session
    const field = new DOMParser().parseFromString(page, "text/html").querySelector("main [name=csrfmiddlewaretoken]");
    const body = new URLSearchParams(new FormData(form));
    if (field) body.set("csrfmiddlewaretoken", field.value);
    const answer = await fetch(form.dataset.action, { method: "POST", body, redirect: "manual" });
    return answer.type === "opaqueredirect"; // a wrong password gives the form again
  }
  async function submit(form) {
    say("");
    let done = false;
    try { done = await signIn(form); } catch { say("sign-in-unreachable"); return; }
    if (!done) { say("sign-in-wrong"); form.elements.password.select(); return; }
    form.elements.password.value = "";
    dialog().close();
    if (again) again();
  }

  document.addEventListener("assay:signed-out", (event) => {
    if (!dialog() || !event.detail || !event.detail.elt.closest("#desk")) return;
    event.preventDefault();
    again = resend(event.detail);
    say("");
    if (!dialog().open) dialog().showModal();
    document.getElementById("sign-in-password").focus();
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#sign-in")) return;
    event.preventDefault();
    submit(event.target);
  });
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-sign-in-later]")) dialog().close();
  });
})();
