import { createHash } from 'node:crypto';

/**
 * Replaces an open page's content when it changes; optional, as reloading does the same. Keeps focus and
 * expanded details; the overall state is the only live region. Hidden pages disconnect. Also closes the
 * subscription form on Escape or an outside click.
 */
export const LIVE_SCRIPT = `'use strict';
(() => {
  const form = document.querySelector('.subscribe');
  if (form) {
    document.addEventListener('click', ({ target }) => { if (!form.contains(target)) form.open = false; });
    document.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || !form.open) return;
      form.open = false;
      form.querySelector('summary').focus();
    });
  }
  const main = document.getElementById('main');
  const script = document.currentScript;
  if (!main || !script || !window.EventSource) return;
  let source = null;
  let retryTimer = 0;
  let shown = null;
  let loadTimer = 0;

  const keyOf = (node) => node.id || node.getAttribute('href') || node.textContent;
  const stops = () => [...main.querySelectorAll('a, summary, button')];

  function put(next) {
    const focused = main.contains(document.activeElement) ? keyOf(document.activeElement) : null;
    const isSummary = focused !== null && document.activeElement.tagName === 'SUMMARY';
    const place = stops().filter((stop) => stop.tagName === 'SUMMARY').indexOf(document.activeElement);
    const opened = [...main.querySelectorAll('details')].map((details) => details.open);
    const state = main.querySelector('.overall');
    const nextState = next.querySelector('.overall');
    const nodes = [...next.childNodes];
    const at = nodes.indexOf(nextState);
    if (state && at >= 0 && state.parentNode === main) {
      for (const node of [...main.childNodes]) if (node !== state) node.remove();
      state.before(...nodes.slice(0, at));
      state.after(...nodes.slice(at + 1));
      state.className = nextState.className;
      if (state.textContent !== nextState.textContent) state.replaceChildren(...nextState.childNodes);
    } else main.replaceChildren(...nodes);
    const details = [...main.querySelectorAll('details')];
    if (details.length === opened.length) details.forEach((one, index) => { one.open = opened[index]; });
    if (focused === null) return;
    const summaries = stops().filter((stop) => stop.tagName === 'SUMMARY');
    const target = isSummary ? summaries[place] : stops().find((stop) => keyOf(stop) === focused);
    if (target) target.focus({ preventScroll: true });
  }

  async function load(version) {
    const response = await fetch(location.href, { cache: 'no-cache', headers: { Accept: 'text/html' } });
    if (response.status === 404) return location.reload();
    if (!response.ok) return;
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('main');
    if (!next) return;
    shown = version;
    if (next.innerHTML !== main.innerHTML) put(document.adoptNode(next));
  }

  function open() {
    clearTimeout(retryTimer);
    if (document.hidden || (source && source.readyState !== EventSource.CLOSED)) return;
    source = new EventSource(script.dataset.events);
    source.addEventListener('version', ({ data }) => {
      const { version } = JSON.parse(data);
      clearTimeout(loadTimer);
      if (version !== shown) loadTimer = setTimeout(() => load(version).catch(() => {}), Math.random() * 1000);
    });
    source.onerror = () => {
      // Browsers reconnect by themselves after a lost connection, but not after an error status.
      if (source.readyState === EventSource.CLOSED) retryTimer = setTimeout(open, 15000 + Math.random() * 30000);
    };
  }

  function close() {
    clearTimeout(retryTimer);
    clearTimeout(loadTimer);
    if (source) source.close();
    source = null;
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', open);
  open();
})();
`;

export const LIVE_SCRIPT_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, max-age=31536000, immutable',
};

/** Contains a hash of the script. */
export const LIVE_SCRIPT_PATH =
  `/status/assets/scripts/live-${createHash('sha256').update(LIVE_SCRIPT).digest('hex').slice(0, 16)}.js`;
