// Code with numbered lines, which links can lead to.
import { html, type Html } from 'hexforge/plugin';
import { inTurns } from 'hexforge/ui';

/** @param about what is at the beginning of a line, such as its commit; by the index of the line. */
export async function codeTable(
  lines: readonly Html[],
  about: (index: number) => Html | false = () => false,
): Promise<Html> {
  const rows = await inTurns(lines, (line, index) => {
    const number = String(index + 1);
    return html`<tr id="L${number}">
      ${about(index)}
      <td class="number"><a href="#L${number}" data-line="${number}" aria-label="Line ${number}"></a></td>
      <td><code>${line}</code></td>
    </tr>`;
  });
  return html`<table class="code">
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}
