// The script of every page: closes menus, and handles the keys.

/** Closes open menus, except the one that contains the given element. */
function closeMenus(/** @type {Node | null} */ except) {
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (except === null || !menu.contains(except)) menu.removeAttribute('open');
}
document.addEventListener('click', ({ target }) => closeMenus(target instanceof Node ? target : null));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const open = document.querySelector('details.menu[open]');
  closeMenus(null);
  if (open?.contains(document.activeElement)) open.querySelector('summary')?.focus();
});

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
