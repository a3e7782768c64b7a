// The live parts of the console: without this script, every page works and is read again by hand.
// No string becomes markup here: pages are parsed by the browser as documents, and their parts are moved.
"use strict";

(() => {
  const body = document.body;
  const ahead = Date.now() - Number(body.dataset.now || Date.now());

  // Times

  function words(seconds) {
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86400)} d`;
  }

  function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function tick() {
    const now = Date.now() - ahead;
    for (const time of document.querySelectorAll("time[data-until]")) {
      const left = Math.floor((Number(time.dataset.until) - now) / 1000);
      write(time, left > 0 ? `${words(left)} left` : "expired");
      time.classList.toggle("soon", left < 120);
    }
    for (const time of document.querySelectorAll("time[data-since]")) {
      const past = Math.floor((now - Number(time.dataset.since)) / 1000);
      write(time, past < 5 ? "just now" : `${words(past)} ago`);
    }
  }

  // Parts of the page that are read again

  let reading = null;

  // Reads a page and replaces the parts whose version has changed. A form in a part that stays the same
  // keeps what was typed.
  function refresh(url) {
    if (reading) reading.abort();
    const request = new XMLHttpRequest();
    reading = request;
    request.open("GET", url);
    request.responseType = "document";
    request.onload = () => {
      if (reading === request) reading = null;
      if (request.status === 401) return location.reload();
      if (request.response) replace(request.response);
    };
    request.send();
  }

  function replace(page) {
    for (const part of document.querySelectorAll("[data-part]")) {
      const fresh = page.getElementById(part.id);
      if (!fresh || fresh.dataset.version === part.dataset.version) continue;
      const focused = part.contains(document.activeElement) && document.activeElement.getAttribute("href");
      const adopted = document.adoptNode(fresh);
      part.replaceWith(adopted);
      if (focused) {
        for (const link of adopted.querySelectorAll("a[href]")) {
          if (link.getAttribute("href") === focused) link.focus();
        }
      }
    }
    tick();
  }

  // Events of the server, while the page is visible: a browser opens few connections to a host

  let events = null;

  function count(total) {
    for (const element of document.querySelectorAll("[data-count]")) {
      element.hidden = total === "0";
      write(element, total);
    }
  }

  function lost(isLost) {
    for (const element of document.querySelectorAll("[data-lost]")) element.hidden = !isLost;
  }

  function follow() {
    if (!body.dataset.live || document.hidden || events) return;
    events = new EventSource(body.dataset.live);
    events.addEventListener("change", (event) => {
      lost(false);
      count(event.data);
      if (document.querySelector("[data-part]")) refresh(location.href);
    });
    events.addEventListener("lost", () => lost(true));
    events.addEventListener("signed-out", () => location.reload());
    events.onerror = () => lost(true);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden && events) {
      events.close();
      events = null;
    }
    follow();
  });

  // Search while typing

  for (const form of document.querySelectorAll("form[data-search]")) {
    let wait = 0;
    const search = () => {
      const url = new URL(form.action);
      for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
      history.replaceState(null, "", url);
      refresh(url.href);
    };
    form.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(search, 80);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      search();
    });
  }

  // Keys

  function move(step) {
    const rows = [...document.querySelectorAll("[data-row]")];
    const next = rows.indexOf(document.activeElement) + step;
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (row) row.focus();
  }

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest && event.target.closest("input, textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && isTyping) return event.target.blur();
    if (isTyping) return;
    if (event.key === "j") return move(1);
    if (event.key === "k") return move(-1);
    for (const element of document.querySelectorAll("[data-key]")) {
      if (element.dataset.key === event.key) {
        event.preventDefault();
        // A button is only focused: a person presses it with the next key.
        element.focus();
        return;
      }
    }
  });

  setInterval(tick, 1000);
  tick();
  follow();
})();
