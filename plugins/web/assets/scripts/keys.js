// The keys of pages: elements name their key in `data-key`.

/** Whether keys are text for the focused element. */
const types = (/** @type {EventTarget | null} */ target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The keys that were pressed just before, such as `g`. */
let before = '';
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLElement) {
    event.target.closest('form')?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || types(event.target)) return;
  const keys = before + event.key;
  before = event.key === 'g' && before === '' ? 'g' : '';
  // Elements name their key: a link is followed, a field focused.
  const found = document.querySelector(`[data-key="${CSS.escape(keys)}"]`);
  if (!(found instanceof HTMLElement)) return;
  event.preventDefault();
  if (found instanceof HTMLInputElement) found.focus();
  else found.click();
});
