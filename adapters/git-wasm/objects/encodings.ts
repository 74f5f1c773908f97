// Decodes the texts of commits by their `encoding` header, as far as the runtime knows the encoding (WHATWG Encoding).
// A text that is not valid in its encoding, or whose encoding is not known, is read as UTF-8.
import { otherDecoders } from './other-encodings.ts';

/** Names that git's iconv knows and the runtime lacks. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cp932: 'shift_jis',
    cp936: 'gbk',
    eucjp: 'euc-jp',
    euckr: 'euc-kr',
    latin9: 'iso-8859-15',
    'latin-1': 'latin1',
    'big5-hkscs': 'big5',
    macintosh: 'macintosh',
  }),
);
const known = new Map<string, TextDecoder | undefined>();

function decoderOf(name: string): TextDecoder | undefined {
  const label = name.toLowerCase();
  if (known.has(label)) return known.get(label);
  let decoder: TextDecoder | undefined;
  try {
    decoder = new TextDecoder(otherNames.get(label) ?? label, { fatal: true, ignoreBOM: true });
  } catch {
    decoder = undefined;
  }
  if (known.size < 1000) known.set(label, decoder);
  return decoder;
}

const isLatin1 = (name: string): boolean => /^(?:iso-?8859-1|latin-?1)$/i.test(name);

/** The bytes in UTF-8. */
export function inUtf8(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return bytes;
  // The runtime reads windows-1252 under this name, which has letters in place of control characters.
  if (isLatin1(encoding)) return Buffer.from(bytes.toString('latin1'), 'utf8');
  const other = otherDecoders.get(encoding.toLowerCase());
  try {
    const decoded = other === undefined ? decoderOf(encoding)?.decode(bytes) : other(bytes);
    return decoded === undefined ? bytes : Buffer.from(decoded, 'utf8');
  } catch {
    return bytes;
  }
}
