// Replaces the regions of a page after messages of its channel. A region in which the user types is left alone until
// the focus leaves it.

/** The only HTML that is parsed is that of this page, from this instance. */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('hexforge', {
  createHTML: (/** @type {string} */ text) => text,
});

const content = document.querySelector('#frame-content[data-live]');
const path = content instanceof HTMLElement ? content.dataset['live'] : undefined;

/** Messages within this time cause one request. */
const gatherMilliseconds = 200;
const longestPauseMilliseconds = 60_000;

const regionsOf = (/** @type {Document} */ page) =>
  /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll('[data-region][id]'));

/** Whether the user types in the region, or has typed something that is not sent yet. */
function inUse(/** @type {HTMLElement} */ region) {
  const { activeElement } = document;
  if (
    activeElement !== null &&
    region.contains(activeElement) &&
    /^(?:INPUT|TEXTAREA|SELECT)$/.test(activeElement.tagName)
  )
    return true;
  return [...region.querySelectorAll('input, textarea, option')].some((field) => {
    if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
    if (field instanceof HTMLInputElement && field.type !== 'hidden')
      return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
    // The first choice of a list is selected if the page names none.
    return field instanceof HTMLOptionElement && field.selected !== field.defaultSelected && namesChoice(field);
  });
}

/** Whether the page names the selected choice of the list, or a list of several choices has none at first. */
const namesChoice = (/** @type {HTMLOptionElement} */ { parentElement }) =>
  parentElement?.querySelector('option[selected]') !== null ||
  (parentElement instanceof HTMLSelectElement && parentElement.multiple);

/** Parts that the user has opened stay open. */
function keepOpen(/** @type {HTMLElement} */ before, /** @type {HTMLElement} */ after) {
  const opened = [...before.querySelectorAll('details')].map(({ open }) => open);
  [...after.querySelectorAll('details')].forEach((details, index) => {
    if (opened[index] === true) details.open = true;
  });
}

/** The values that forms are bound to, such as the head of a merge request: those of the page before any update. */
const loaded = new Map(
  [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[data-loaded]'))].map((field) => [
    field.name,
    field.value,
  ]),
);

/** Forms stay bound to these values; a note in the region appears if they have changed. */
function bindToLoaded(/** @type {HTMLElement} */ region) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (region.querySelectorAll('input[data-loaded]'));
  for (const field of fields) {
    const before = loaded.get(field.name);
    if (before === undefined || before === field.value) continue;
    field.value = before;
    const note = region.querySelector('[data-moved]');
    if (note instanceof HTMLElement) note.hidden = false;
  }
}

/** Adds and removes regions of a list whose entries change, such as the files of a diff. */
function matchList(/** @type {Document} */ fresh) {
  const list = document.querySelector('[data-regions]');
  const after = fresh.querySelector('[data-regions]');
  if (list === null || after === null) return;
  for (const region of list.children)
    if (region instanceof HTMLElement && fresh.getElementById(region.id) === null && !inUse(region)) region.remove();
  [...after.children].forEach((one, index) => {
    if (document.getElementById(one.id) === null)
      list.insertBefore(document.importNode(one, true), list.children[index] ?? null);
  });
}

function replaceRegions(/** @type {Document} */ fresh) {
  matchList(fresh);
  for (const region of regionsOf(document)) {
    const found = fresh.getElementById(region.id);
    if (found === null || found.innerHTML === region.innerHTML || inUse(region)) continue;
    const after = document.importNode(found, true);
    keepOpen(region, after);
    bindToLoaded(after);
    const focused = document.activeElement;
    const focusedId = focused !== null && region.contains(focused) ? focused.id : '';
    region.replaceWith(after);
    if (focusedId !== '') document.getElementById(focusedId)?.focus();
  }
}

/** @type {Document | undefined} */
let latest;
async function refresh() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
  if (!answer.ok) return;
  const text = await answer.text();
  latest = new DOMParser().parseFromString(policy === undefined ? text : policy.createHTML(text), 'text/html');
  replaceRegions(latest);
}

let due = 0;
function changed() {
  clearTimeout(due);
  due = setTimeout(() => {
    if (document.visibilityState === 'visible') refresh().catch(() => {});
    else document.addEventListener('visibilitychange', changed, { once: true });
  }, gatherMilliseconds);
}

function follow(/** @type {string} */ channel, pauseMilliseconds = 1000) {
  const url = new URL(channel, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url);
  let pause = pauseMilliseconds;
  socket.addEventListener('open', () => {
    pause = 1000;
    // Something may have changed while there was no connection.
    if (pauseMilliseconds > 1000) changed();
  });
  socket.addEventListener('message', changed);
  socket.addEventListener('close', () => {
    setTimeout(() => follow(channel, Math.min(pause * 2, longestPauseMilliseconds)), pause);
  });
}

if (path !== undefined) {
  follow(path);
  document.addEventListener('focusout', () => {
    if (latest !== undefined) setTimeout(() => latest !== undefined && replaceRegions(latest));
  });
}
