// Encodings that the runtime lacks and that git repositories have: CP437 of DOS, and CP949, the Korean extension of
// EUC-KR.

/** The characters of the bytes from 0x80 on. */
const cp437 = [
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐',
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
].join('');

const fromCp437 = (bytes: Buffer): string =>
  Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : cp437.charAt(byte - 0x80))).join('');

const eucKr = new TextDecoder('euc-kr', { fatal: true });
const [firstSyllable, lastSyllable] = [0xac00, 0xd7a3];
let extension: ReadonlyMap<number, string> | undefined;

/** The syllables that EUC-KR lacks, in the order of Unicode, by the two bytes that CP949 gives them. */
function extended(): ReadonlyMap<number, string> {
  const known = new Set<string>();
  for (let lead = 0xb0; lead <= 0xc8; lead += 1)
    for (let trail = 0xa1; trail <= 0xfe; trail += 1) known.add(eucKr.decode(Buffer.of(lead, trail)));
  const codes = new Map<number, string>();
  const places = freePlaces();
  for (let code = firstSyllable; code <= lastSyllable; code += 1) {
    const syllable = String.fromCharCode(code);
    if (!known.has(syllable)) codes.set(places.next().value ?? 0, syllable);
  }
  return codes;
}

/** Pairs of bytes that EUC-KR does not use, in order. */
function* freePlaces(): Generator<number, undefined> {
  for (let lead = 0x81; lead <= 0xc6; lead += 1)
    for (let trail = 0x41; trail <= (lead <= 0xa0 ? 0xfe : 0xa0); trail += 1)
      if (trail <= 0x5a || (trail >= 0x61 && trail <= 0x7a) || trail >= 0x81) yield lead * 256 + trail;
  return undefined;
}

/** Undefined if the bytes are not valid. */
function fromCp949(bytes: Buffer): string | undefined {
  extension ??= extended();
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const [lead = 0, trail = 0] = [bytes[at], bytes[at + 1]];
    if (lead < 0x80) {
      parts.push(String.fromCharCode(lead));
      at += 1;
      continue;
    }
    const syllable = extension.get(lead * 256 + trail) ?? standard(bytes.subarray(at, at + 2));
    if (syllable === undefined) return undefined;
    parts.push(syllable);
    at += 2;
  }
  return parts.join('');
}

function standard(pair: Buffer): string | undefined {
  try {
    return eucKr.decode(pair);
  } catch {
    return undefined;
  }
}

/** Decoders by the name of the encoding in lower case. */
export const otherDecoders: ReadonlyMap<string, (bytes: Buffer) => string | undefined> = new Map([
  ...['cp437', 'ibm437', '437'].map((name) => [name, fromCp437] as const),
  ...['cp949', 'uhc', 'ms949', 'windows-949'].map((name) => [name, fromCp949] as const),
]);
