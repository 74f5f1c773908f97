// The texts that a form can show and send back unchanged. Browsers send every line break as CRLF, and pages replace
// control characters and those that reverse the direction of text.

/** The most bytes of a file that is edited in a browser. */
const mostBytes = 512 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type LineEnd = 'lf' | 'crlf';

/** A text with LF, and the line end of the file. */
export interface EditableText {
  readonly text: string;
  readonly lineEnd: LineEnd;
}

/** Whether a page shows this text unchanged. */
export const isShownUnchanged = (text: string): boolean => !/[^\P{Cc}\n\t]|\p{Bidi_Control}/u.test(text);

/** Undefined if a form would change the file beside the user's edit. */
export function editableText(content: Uint8Array | undefined): EditableText | undefined {
  if (content === undefined || content.byteLength > mostBytes) return undefined;
  let text: string;
  try {
    text = utf8.decode(content);
  } catch {
    return undefined;
  }
  const lineEnd = text.includes('\r\n') ? 'crlf' : 'lf';
  const lines = lineEnd === 'crlf' ? text.replaceAll('\r\n', '\n') : text;
  const isMixed = lineEnd === 'crlf' && lines.replaceAll('\n', '\r\n') !== text;
  return isMixed || !isShownUnchanged(lines) ? undefined : { text: lines, lineEnd };
}

/** The bytes of a text that a browser has sent. */
export function writtenText(sent: string, lineEnd: LineEnd): Uint8Array {
  const lines = sent.replaceAll('\r\n', '\n');
  return new TextEncoder().encode(lineEnd === 'crlf' ? lines.replaceAll('\n', '\r\n') : lines);
}
