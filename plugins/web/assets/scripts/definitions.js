// Names in code lead to their definitions: a click with alt, ctrl or the command key sends the form that finds them
// (`data-definitions`), a double click fills it in.

const form = document.querySelector('form[data-definitions]');
const field = form instanceof HTMLFormElement ? form.elements.namedItem('name') : null;

const inCode = (/** @type {Node | null} */ node) => node?.parentElement?.closest('.code code') instanceof Element;

/** Surrogates are halves of letters. */
const letter = /[\p{L}\p{N}\p{Cs}_$]/u;

/** The name at a place of the window. */
function nameAt(/** @type {number} */ x, /** @type {number} */ y) {
  const page = /** @type {any} */ (document);
  const place = page.caretPositionFromPoint?.(x, y);
  const range = place ? undefined : page.caretRangeFromPoint?.(x, y);
  const node = place?.offsetNode ?? range?.startContainer;
  if (!(node instanceof Text) || !inCode(node)) return '';
  let from = Number(place?.offset ?? range?.startOffset);
  let to = from;
  while (from > 0 && letter.test(node.data.charAt(from - 1))) from -= 1;
  while (letter.test(node.data.charAt(to))) to += 1;
  return node.data.slice(from, to);
}

if (form instanceof HTMLFormElement && field instanceof HTMLInputElement) {
  field.title = 'Alt and a click on a name in the code finds its definition too';
  document.addEventListener('click', (event) => {
    if (!event.altKey && !event.ctrlKey && !event.metaKey) return;
    const name = nameAt(event.clientX, event.clientY);
    if (name === '' || name.length > 256) return;
    event.preventDefault();
    field.value = name;
    form.requestSubmit();
  });
  document.addEventListener('dblclick', () => {
    const selection = getSelection();
    const name = selection?.toString().trim() ?? '';
    if (/^[\p{L}\p{N}_$]{1,256}$/u.test(name) && inCode(selection?.anchorNode ?? null)) field.value = name;
  });
}
