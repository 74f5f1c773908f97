// Validates LDAP messages (RFC 4511, 4.1.1) from a server before the library parses them, whose parser trusts lengths.

/** The longest message in bytes. */
export const longestMessage = 1 << 20;

/** The most elements of a list, such as the values of `memberOf`. */
const mostElements = 20_000;

/** A server broke the protocol. */
export class ProtocolViolation extends Error {
  constructor(what: string) {
    super(`The directory broke the LDAP protocol: ${what}`);
    this.name = 'ProtocolViolation';
  }
}

/** Tags of BER (RFC 4511, 5.1 and 4.2 to 4.12). */
const tag = {
  integer: 0x02,
  text: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
  bindResponse: 0x61,
  searchEntry: 0x64,
  searchDone: 0x65,
  searchReference: 0x73,
  extendedResponse: 0x78,
} as const;

interface Element {
  readonly tag: number;
  /** The offset of the tag. */
  readonly start: number;
  /** The offsets of the content. */
  readonly from: number;
  readonly to: number;
}

/** Reads the header of the element at an offset; undefined if the header is not complete before `end`. */
function headerAt(bytes: Buffer, start: number, end: number): Element | undefined {
  const first = bytes[start + 1];
  if (start + 2 > end || first === undefined) return undefined;
  const size = first & 0x80 ? first & 0x7f : 0;
  if ((first & 0x80 && size === 0) || size > 4) throw new ProtocolViolation('a length is not definite, or too long');
  const from = start + 2 + size;
  if (from > end) return undefined;
  const length = size === 0 ? first : bytes.readUIntBE(start + 2, size);
  if (length > longestMessage) throw new ProtocolViolation(`a message is longer than ${longestMessage} bytes`);
  return { tag: bytes[start] ?? 0, start, from, to: from + length };
}

/** The elements in the content of another. @throws {ProtocolViolation} unless they fill it exactly. */
function children(bytes: Buffer, parent: Element): readonly Element[] {
  const found: Element[] = [];
  for (let at = parent.from; at < parent.to;) {
    const child = headerAt(bytes, at, parent.to);
    if (child === undefined || child.to > parent.to)
      throw new ProtocolViolation('an element is longer than the one that contains it');
    if (found.push(child) > mostElements) throw new ProtocolViolation(`a list is longer than ${mostElements} elements`);
    at = child.to;
  }
  return found;
}

const must = (holds: boolean): void => {
  if (!holds) throw new ProtocolViolation('a message has the wrong form');
};

/** The number of bytes of the first message; undefined if its header is not complete. */
export function messageLength(bytes: Buffer): number | undefined {
  if (bytes.length > 0) must(bytes[0] === tag.sequence);
  return headerAt(bytes, 0, bytes.length)?.to;
}

export interface ServerMessage {
  readonly id: number;
  readonly kind: 'bind' | 'entry' | 'reference' | 'search done' | 'extended';
  /** The result code, unless this is an entry or a reference. */
  readonly code: number | undefined;
  /** The message without controls and without the optional parts of a result. */
  readonly bytes: Buffer;
}

const kinds: Readonly<Record<number, ServerMessage['kind']>> = {
  [tag.bindResponse]: 'bind',
  [tag.searchEntry]: 'entry',
  [tag.searchReference]: 'reference',
  [tag.searchDone]: 'search done',
  [tag.extendedResponse]: 'extended',
};

/** Reads one complete message, an answer to a bind, a search or StartTLS. @throws {ProtocolViolation} */
export function readMessage(bytes: Buffer): ServerMessage {
  const whole = headerAt(bytes, 0, bytes.length);
  if (whole === undefined || whole.to !== bytes.length) throw new ProtocolViolation('a message is not complete');
  const [id, operation] = children(bytes, whole);
  if (id === undefined || operation === undefined) throw new ProtocolViolation('a message has no operation');
  must(id.tag === tag.integer && id.to - id.from >= 1 && id.to - id.from <= 4);
  const kind = kinds[operation.tag];
  if (kind === undefined)
    throw new ProtocolViolation(`the operation 0x${operation.tag.toString(16)} was not asked for`);
  const head = {
    id: bytes.readIntBE(id.from, id.to - id.from),
    kind,
  };
  const parts = children(bytes, operation);
  if (kind === 'entry') checkEntry(bytes, parts);
  else if (kind === 'reference') must(parts.every((part) => part.tag === tag.text));
  else {
    const [code, matched, text] = parts;
    if (code === undefined || matched === undefined || text === undefined)
      throw new ProtocolViolation('a result has too few parts');
    must(code.tag === tag.enumerated && matched.tag === tag.text && text.tag === tag.text);
    must(code.to - code.from >= 1 && code.to - code.from <= 4);
    const result = wrapped(operation.tag, bytes.subarray(operation.from, text.to));
    return {
      ...head,
      code: bytes.readIntBE(code.from, code.to - code.from),
      bytes: wrapped(tag.sequence, Buffer.concat([bytes.subarray(id.start, id.to), result])),
    };
  }
  return { ...head, code: undefined, bytes: wrapped(tag.sequence, bytes.subarray(id.start, operation.to)) };
}

/** `{ name, { { type, [ value… ] }… } }` (RFC 4511, 4.5.2). */
function checkEntry(bytes: Buffer, parts: readonly Element[]): void {
  const [name, attributes] = parts;
  if (parts.length !== 2 || name === undefined || attributes === undefined)
    throw new ProtocolViolation('an entry has the wrong form');
  must(name.tag === tag.text && attributes.tag === tag.sequence);
  for (const attribute of children(bytes, attributes)) {
    must(attribute.tag === tag.sequence);
    const [type, values, more] = children(bytes, attribute);
    if (type === undefined || values === undefined || more !== undefined)
      throw new ProtocolViolation('an attribute has the wrong form');
    must(type.tag === tag.text && values.tag === tag.set);
    // The library would return its value as the name of the entry, as which the user is bound.
    if (bytes.toString('latin1', type.from, type.to) === 'dn')
      throw new ProtocolViolation('an attribute is named "dn"');
    must(children(bytes, values).every((value) => value.tag === tag.text));
  }
}

function wrapped(type: number, content: Buffer): Buffer {
  const { length } = content;
  const header =
    length < 0x80
      ? Buffer.from([type, length])
      : Buffer.from([type, 0x84, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]);
  return Buffer.concat([header, content]);
}
