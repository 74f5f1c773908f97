// Buttons that copy the value of a field to the clipboard. Without this script they are hidden.

/** Browsers have the clipboard on pages over TLS and on this machine; others select the value. */
async function copy(/** @type {HTMLInputElement} */ field, /** @type {HTMLElement} */ button) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  } catch {
    field.focus();
  }
}

for (const button of document.querySelectorAll('[data-copies]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const field = document.getElementById(button.dataset['copies'] ?? '');
  if (!(field instanceof HTMLInputElement)) continue;
  button.hidden = false;
  button.addEventListener('click', () => void copy(field, button));
}
