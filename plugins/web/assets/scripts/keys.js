// The keys of pages. Elements name their key in `data-key`; `j` and `k` step through rows, files and comments.

/** Whether keys are text for the focused element. */
const types = (/** @type {EventTarget | null} */ target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const steps =
  'main .rows > li, main .files tr, main .grid tbody tr:has(a), main .diff, main article.comment, main [data-step]';

/** Moves the focus to the next or previous thing: to its first link, so that Enter opens it. */
function step(/** @type {1 | -1} */ direction) {
  const all = [...document.querySelectorAll(steps)].filter((one) => one.checkVisibility());
  const { activeElement } = document;
  // Of things within each other, the innermost has the focus.
  const current = all.findLastIndex((one) => one.contains(activeElement));
  const next = all[current === -1 ? (direction === 1 ? 0 : all.length - 1) : current + direction];
  if (next === undefined) return;
  const target = next.querySelector('.title a, td a, a[href], summary') ?? next;
  if (!(target instanceof HTMLElement || target instanceof SVGElement)) return;
  target.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

/** The key that was pressed just before, if it begins a sequence. */
let before = '';
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLElement) {
    const form = event.target.closest('form');
    // The value of its first button is sent too.
    const first = form?.querySelector('button:not([type=button])');
    if (first instanceof HTMLButtonElement) form?.requestSubmit(first);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || types(event.target)) return;
  const keys = before + event.key;
  before = keys === 'g' ? 'g' : '';
  // A link is followed, a field focused. One of the page hides one of the frame with the same key.
  const named = `[data-key="${CSS.escape(keys)}"]`;
  const found = document.querySelector(`main ${named}`) ?? document.querySelector(named);
  if (found instanceof HTMLElement) {
    event.preventDefault();
    if (found instanceof HTMLInputElement) found.focus();
    else found.click();
  } else if (keys === 'j' || keys === 'k') step(keys === 'j' ? 1 : -1);
});
