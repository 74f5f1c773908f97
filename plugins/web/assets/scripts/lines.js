// Ranges of lines: `#L3-L9` marks them, and a click with shift on a number extends the range.

/** The first and last line in the address. */
const range = () => {
  const [, first = '', last = first] = /^#L(\d{1,6})(?:-L(\d{1,6}))?$/.exec(location.hash) ?? [];
  return first === '' ? undefined : [Number(first), Number(last)].sort((a, b) => a - b);
};

function mark() {
  for (const row of document.querySelectorAll('.code .marked')) row.classList.remove('marked');
  const [first = 0, last = 0] = range() ?? [];
  if (first === 0 || document.getElementById(`L${first}`)?.closest('.code') === null) return;
  for (let line = first; line <= last; line += 1) {
    const row = document.getElementById(`L${line}`);
    if (row === null) break;
    row.classList.add('marked');
  }
  // The permanent link keeps the range.
  const permanent = document.querySelector('a[data-key="y"]');
  if (permanent instanceof HTMLAnchorElement) permanent.hash = location.hash;
}

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('.code .number a') : null;
  const [first] = range() ?? [];
  if (!(link instanceof HTMLAnchorElement) || !event.shiftKey || first === undefined) return;
  event.preventDefault();
  const [from = 0, to = 0] = [first, Number(link.dataset['line'])].sort((a, b) => a - b);
  history.replaceState(null, '', `#L${from}-L${to}`);
  mark();
});
addEventListener('hashchange', mark);
mark();
if (/-/.test(location.hash)) document.querySelector('.code .marked')?.scrollIntoView({ block: 'center' });
