// What HTMX meets when things go wrong, handled once. A failed answer is never swapped in, so typed text stays where it is.
// 422 is a form with its errors and is swapped. A 409 is swapped only if the server names the place with HX-Retarget.
(function () {
  "use strict";
  const KNOWN = ["401", "403", "404", "409", "413", "429"];

  // Where the server says what is wrong, that stands in place of the general words; a failing one knows less than they.
  function tell(name, text) {
    const detail = { level: "error", template: "error-" + name, text, instead: name !== "500" };
    document.dispatchEvent(new CustomEvent("assay:message", { detail }));
  }
  function loginPath() {
    const meta = document.querySelector('meta[name="login-url"]');
    return meta ? meta.content : "";
  }
  function cameFromLogin(xhr) {
    if (!xhr.responseURL || !loginPath()) return false;
    return new URL(xhr.responseURL).pathname === loginPath() && location.pathname !== loginPath();
  }
  // A page may ask for the password on the spot; who cancels this event has taken care of it.
  function signedOut(request) {
    const asked = new CustomEvent("assay:signed-out", { cancelable: true, detail: request });
    if (document.dispatchEvent(asked)) tell("401");
  }
  function token() {
    const found = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    return found ? found[1] : "";
  }
  function plainText(xhr) {
    const type = xhr.getResponseHeader("Content-Type") || "";
    return type.startsWith("text/plain") && xhr.responseText.length < 500 ? xhr.responseText : "";
  }

  // Signing in again in another tab changes the token that this page was loaded with; the cookie has the new one.
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.noCookie = !token();
    if (!token()) return;
    const { headers, formData } = event.detail;
    headers["X-CSRFToken"] = token();
    if (formData && formData.has("csrfmiddlewaretoken")) formData.set("csrfmiddlewaretoken", token());
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (cameFromLogin(xhr)) { // the session ended and the server led the request to the sign-in page
      event.detail.shouldSwap = false;
      signedOut(event.detail.requestConfig);
    } else if (xhr.status === 422 || (xhr.status === 409 && xhr.getResponseHeader("HX-Retarget"))) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    const status = String(xhr.status);
    if (status === "401" || (status === "403" && event.detail.requestConfig.noCookie)) { // without cookies nobody is signed in
      signedOut(event.detail.requestConfig);
      return;
    }
    if (KNOWN.includes(status)) tell(status, plainText(xhr));
    else tell(xhr.status >= 500 ? "500" : "400", plainText(xhr));
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(name, () => tell("network"));
})();
