// Buttons that copy a value to the clipboard. Without this script they are hidden.

/** The milliseconds for which a button is labelled `Copied`. */
const shownFor = 2000;

/** Selects the value, so that it can be copied by the keys of the system. */
function select(/** @type {HTMLElement} */ shown) {
  if (shown instanceof HTMLInputElement) shown.select();
  else getSelection()?.selectAllChildren(shown);
}

/** Browsers have the clipboard on pages over TLS and on this machine; on others the value is selected. */
async function copy(/** @type {HTMLElement} */ shown, /** @type {Element} */ word) {
  select(shown);
  try {
    await navigator.clipboard.writeText(shown instanceof HTMLInputElement ? shown.value : shown.innerText);
    word.textContent = 'Copied';
    setTimeout(() => (word.textContent = 'Copy'), shownFor);
  } catch {
    shown.focus();
  }
}

for (const button of document.querySelectorAll('[data-copies]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const shown = document.getElementById(button.dataset['copies'] ?? '');
  const word = button.firstElementChild;
  if (shown === null || word === null) continue;
  button.hidden = false;
  button.addEventListener('click', () => void copy(shown, word));
}
