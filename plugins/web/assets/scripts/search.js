// Suggestions below a search box while one types (`data-suggestions` is their path). Without this script, or without an
// answer, the box is a form.

/** The fewest characters for which suggestions are requested. */
const fewest = 3;
/** Milliseconds without a key before they are requested. */
const rest = 200;
const most = 8;

/** @typedef {{ readonly type: string; readonly text: string; readonly path: string }} Suggestion */

/** The whole URL of a path of this instance, below the path of its external URL. */
const urlOf = (/** @type {string} */ path) => {
  const start = document.querySelector('a.logo');
  return new URL(path.replace(/^\/+/, ''), start instanceof HTMLAnchorElement ? start.href : location.origin);
};

/** The repository and the file of a suggestion, if its text does not name them. */
function placeOf(/** @type {Suggestion} */ { type, path }) {
  if (type === 'repository') return '';
  const [, owner = '', name = '', ...rest] = path.split('#', 1)[0]?.split('/').map(decodeURIComponent) ?? [];
  return `${owner}/${name}${type === 'symbol' ? ` · ${rest.at(-1) ?? ''}` : ''}`;
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 * @param {string} listId
 */
function suggestIn(form, input, listId) {
  const list = document.createElement('ul');
  list.id = listId;
  list.className = 'suggestions';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  input.after(list);
  const attributes = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': listId,
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);

  /** @type {readonly Suggestion[]} */
  let shown = [];
  let active = -1;
  let timer = 0;
  /** No requests before this time: the budget is used up. */
  let after = 0;
  let request = new AbortController();
  /** @type {Map<string, readonly Suggestion[]>} */
  const known = new Map();

  function choose(/** @type {number} */ index) {
    active = index;
    [...list.children].forEach((option, at) => option.setAttribute('aria-selected', String(at === index)));
    const option = list.children[index];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    }
  }

  function show(/** @type {readonly Suggestion[]} */ suggestions) {
    shown = suggestions;
    list.replaceChildren(
      ...suggestions.map((one, index) => {
        const option = document.createElement('li');
        option.id = `${listId}-${index}`;
        option.setAttribute('role', 'option');
        for (const [name, text] of [
          ['bdi', one.text],
          ['span', placeOf(one)],
          ['small', one.type],
        ]) {
          const part = document.createElement(name ?? '');
          part.textContent = text ?? '';
          option.append(part, ' ');
        }
        option.addEventListener('click', () => go(one));
        return option;
      }),
    );
    list.hidden = suggestions.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    choose(-1);
  }

  function close() {
    clearTimeout(timer);
    request.abort();
    show([]);
  }

  /** The page of the suggestion may be this one, at another line. */
  function go(/** @type {Suggestion} */ { path }) {
    close();
    location.assign(urlOf(path));
  }

  async function ask() {
    const key = input.value.trim();
    const found = known.get(key);
    if (found !== undefined) return show(found);
    if (Date.now() < after) return;
    request = new AbortController();
    const url = new URL(input.dataset['suggestions'] ?? '', location.href);
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') url.searchParams.set(name, value);
    url.searchParams.set('limit', String(most));
    const answer = await fetch(url, { signal: request.signal, headers: { accept: 'application/json' } });
    if (answer.status === 429) after = Date.now() + 1000 * Number(answer.headers.get('retry-after') ?? 60);
    if (!answer.ok) return show([]);
    const { suggestions } = /** @type {{ readonly suggestions: readonly Suggestion[] }} */ (await answer.json());
    known.set(key, suggestions);
    show(suggestions);
  }

  input.addEventListener('input', () => {
    clearTimeout(timer);
    request.abort();
    if (input.value.trim().length < fewest) return show([]);
    timer = setTimeout(() => void ask().catch(() => {}), rest);
  });
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    const chosen = shown[active];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      // Before the first and after the last one is the typed text.
      choose(((active + 1 + step + shown.length + 1) % (shown.length + 1)) - 1);
    } else if (event.key === 'Enter' && chosen !== undefined) go(chosen);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // A click on a suggestion does not move the focus, so the list stays until the click is over.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  input.addEventListener('blur', close);
  form.addEventListener('submit', close);
}

document.querySelectorAll('input[data-suggestions]').forEach((input, index) => {
  if (input instanceof HTMLInputElement && input.form !== null) suggestIn(input.form, input, `suggestions-${index}`);
});
