// Adds a button to fields that are there to be copied.

for (const field of document.querySelectorAll('input.copied')) {
  if (!(field instanceof HTMLInputElement)) continue;
  field.addEventListener('focus', () => field.select());
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button small';
  button.textContent = 'Copy';
  const copied = () => {
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  };
  button.addEventListener('click', () => {
    // Browsers offer the clipboard only over HTTPS and on the own machine.
    if (navigator.clipboard === undefined) {
      field.select();
      document.execCommand('copy');
      copied();
    } else navigator.clipboard.writeText(field.value).then(copied, () => field.select());
  });
  field.after(button);
}
