// Rows as CSV (RFC 4180), safe to open in a spreadsheet.

/** What a spreadsheet takes for the beginning of a formula, also after blanks and in the full width of East Asia. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/;
/** Some spreadsheets part cells here, according to the language of the machine. */
const parting = /[;\t|]/g;

/** A text as one cell. */
export function csvCell(text: string): string {
  const whole = text.replaceAll(parting, encodeURIComponent);
  const plain = formula.test(whole) ? `'${whole}` : whole;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** The header, then a line for each row; many lines in a piece. */
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
