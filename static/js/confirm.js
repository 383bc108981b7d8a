// Asks before a form with data-confirm is sent, and answers hx-confirm, in one <dialog>. Without JavaScript the form just works.
(function () {
  "use strict";
  const confirmed = new WeakSet();

  function ask(question, title, verb, onYes) {
    const dialog = document.getElementById("confirm-dialog");
    const yes = dialog.querySelector("[data-confirm-yes]");
    dialog.querySelector("[data-confirm-title]").textContent = title || dialog.dataset.title;
    dialog.querySelector("[data-confirm-text]").textContent = question;
    yes.textContent = verb || dialog.dataset.verb;
    dialog.returnValue = "";
    dialog.addEventListener("close", () => { if (dialog.returnValue === "yes") onYes(); }, { once: true });
    dialog.showModal();
  }

  // In the capture phase: HTMX must not see the first submit.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const asker = event.submitter && event.submitter.dataset.confirm ? event.submitter : form;
    if (!asker.dataset.confirm || confirmed.delete(form)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const submitter = event.submitter;
    ask(asker.dataset.confirm, asker.dataset.confirmTitle, asker.dataset.confirmVerb, () => {
      confirmed.add(form);
      form.requestSubmit(submitter);
    });
  }, true);

  document.addEventListener("htmx:confirm", (event) => {
    if (!event.detail.question) return;
    event.preventDefault();
    const { dataset } = event.detail.elt;
    ask(event.detail.question, dataset.confirmTitle, dataset.confirmVerb, () => event.detail.issueRequest(true));
  });
})();
