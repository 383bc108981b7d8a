// Tabs and rail that are wider than the screen scroll: the page that one is on must be in sight.
(function () {
  "use strict";
  for (const nav of document.querySelectorAll(".tabs, .rail, .site-nav")) {
    const current = nav.querySelector("[aria-current]");
    if (!current || nav.scrollWidth <= nav.clientWidth) continue;
    const here = current.getBoundingClientRect(), room = nav.getBoundingClientRect();
    nav.scrollLeft += here.left + here.width / 2 - room.left - room.width / 2;
  }
})();
