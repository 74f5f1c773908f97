// Cuts the text of a file into pieces of whole lines.

/** Characters of a piece, and at least one line. */
const pieceLength = 4000;

export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const last = text.lastIndexOf('\n', start + pieceLength);
    // A line that is longer than a piece is a piece.
    const end = last >= start ? last : text.indexOf('\n', start + pieceLength);
    pieces.push(text.slice(start, end < 0 ? text.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return pieces;
}
