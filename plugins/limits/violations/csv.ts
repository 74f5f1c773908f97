// Renders rows as CSV (RFC 4180) that is safe to open in a spreadsheet.

/** The start of a formula for spreadsheets, also after spaces and in full-width characters. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/;
/** Characters that some spreadsheets use as separators, depending on the language of the machine. */
const parting = /[;\t|]/g;

/** Escapes a text as one cell. */
export function csvCell(text: string): string {
  const whole = text.replaceAll(parting, encodeURIComponent);
  const plain = formula.test(whole) ? `'${whole}` : whole;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** The header, then one line per row. Each chunk has up to 500 lines. */
export async function* csv<C extends string>(
  columns: readonly C[],
  rows: AsyncIterable<Readonly<Record<C, string | number>>>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const linesInPiece = 500;
  let lines = [columns.join(',')];
  const piece = (): Uint8Array => encoder.encode(`${lines.join('\r\n')}\r\n`);
  for await (const row of rows) {
    lines.push(columns.map((column) => csvCell(String(row[column]))).join(','));
    if (lines.length < linesInPiece) continue;
    yield piece();
    lines = [];
  }
  if (lines.length > 0) yield piece();
}
