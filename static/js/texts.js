// Places in the texts of datasets, counted in code points as the server counts them, and marks painted over them.
// A text stands in an element with data-context (which text) and data-start (the place of its first character); nothing
// but the text stands in it. `assayTexts` is what the scripts of the evidence share.
window.assayTexts = (function () {
  "use strict";
  const SOURCE = "#desk .source[data-context]";
  const painted = new Map(); // name -> <mark> elements, where the browser cannot paint ranges

  const sources = (context) => [...document.querySelectorAll(context === undefined ? SOURCE : `${SOURCE}[data-context="${context}"]`)];
  const contextOf = (source) => Number(source.dataset.context);
  const startOf = (source) => Number(source.dataset.start);

  // A character beyond the basic plane, such as an emoji or a rare Chinese one, is two units in a script and one code point.
  function isPair(text, at) {
    const first = text.charCodeAt(at), second = text.charCodeAt(at + 1);
    return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
  }
  function pointsIn(text, units) {
    let pairs = 0;
    for (let at = 0; at < units; at += 1) if (isPair(text, at)) { pairs += 1; at += 1; }
    return units - pairs;
  }
  function unitsIn(text, points) {
    let at = 0;
    for (let left = points; left > 0 && at < text.length; left -= 1) at += isPair(text, at) ? 2 : 1;
    return at;
  }

  // --- From a selection to places --------------------------------------------------------------------------------------
  function unitsBefore(source, node, offset) {
    const range = document.createRange();
    range.selectNodeContents(source);
    range.setEnd(node, offset);
    return range.toString().length;
  }
  function spanIn(source, range) {
    const text = source.textContent;
    let start = source.contains(range.startContainer) ? unitsBefore(source, range.startContainer, range.startOffset) : 0;
    let end = source.contains(range.endContainer) ? unitsBefore(source, range.endContainer, range.endOffset) : text.length;
    if (start > 0 && isPair(text, start - 1)) start -= 1; // never half a character
    if (end > 0 && isPair(text, end - 1)) end += 1;
    const part = text.slice(start, end);
    start += part.length - part.trimStart().length;
    end -= part.length - part.trimEnd().length;
    const first = startOf(source);
    return start < end ? [contextOf(source), first + pointsIn(text, start), first + pointsIn(text, end)] : null;
  }
  // What of a selection lies in texts, as [context, start, end]; nothing of what lies outside.
  function spansOf(range) {
    return sources().filter((source) => range.intersectsNode(source)).map((source) => spanIn(source, range)).filter(Boolean);
  }

  // --- From places to ranges -------------------------------------------------------------------------------------------
  function rangeIn(source, start, end) { // in units
    const walker = document.createTreeWalker(source, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let before = 0, begun = false;
    while (walker.nextNode()) {
      const node = walker.currentNode, after = before + node.length;
      if (!begun && start < after) { range.setStart(node, start - before); begun = true; }
      if (begun && end <= after) { range.setEnd(node, end - before); return range; }
      before = after;
    }
    return null;
  }
  function rangesOf([context, start, end]) {
    const ranges = [];
    for (const source of sources(context)) {
      const first = startOf(source);
      if (first >= end) continue;
      const text = source.textContent;
      const from = unitsIn(text, Math.max(0, start - first)), to = unitsIn(text, end - first);
      if (from < to) ranges.push(rangeIn(source, from, to));
    }
    return ranges.filter(Boolean);
  }
  // The text of a place with its language; null while a part of it is not on the page.
  function textOf([context, start, end]) {
    let at = start, found = "", lang = "";
    for (const source of sources(context).sort((one, other) => startOf(one) - startOf(other))) {
      const text = source.textContent, first = startOf(source);
      if (first > at || at >= end) continue;
      const piece = text.slice(unitsIn(text, at - first), unitsIn(text, end - first));
      if (!piece) continue;
      lang = lang || source.firstElementChild.lang;
      found += piece;
      at += pointsIn(piece, piece.length);
    }
    return at >= end ? { text: found, lang } : null;
  }

  // --- Paint -----------------------------------------------------------------------------------------------------------
  function wrap(name, range) {
    const root = range.commonAncestorContainer;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const nodes = root.nodeType === Node.TEXT_NODE ? [root] : [];
    while (walker.nextNode()) if (range.intersectsNode(walker.currentNode)) nodes.push(walker.currentNode);
    const { startContainer, startOffset, endContainer, endOffset } = range;
    return nodes.map((node) => {
      const end = node === endContainer ? endOffset : node.length, start = node === startContainer ? startOffset : 0;
      if (start >= end) return null;
      if (end < node.length) node.splitText(end);
      const piece = start ? node.splitText(start) : node;
      const mark = document.createElement("mark");
      mark.className = "painted painted-" + name;
      piece.replaceWith(mark);
      mark.append(piece);
      return mark;
    }).filter(Boolean);
  }
  function unwrap(marks) {
    for (const mark of marks) {
      const place = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      if (place) place.normalize();
    }
  }
  // make: gives the ranges. It is asked after the old paint is gone, which may move the nodes of the text.
  function paint(name, make, priority) {
    if ("highlights" in CSS) {
      const highlight = new Highlight(...make());
      highlight.priority = priority || 0;
      CSS.highlights.set(name, highlight);
      return;
    }
    unwrap(painted.get(name) || []);
    painted.set(name, make().flatMap((range) => wrap(name, range)));
  }

  return { sources, contextOf, spansOf, rangeIn, rangesOf, textOf, paint };
})();
