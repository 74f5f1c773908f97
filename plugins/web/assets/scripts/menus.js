// Closes open menus on a click elsewhere and by Escape.

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
