// A strict parser for the XML of SAML: UTF-8 text without DTD, own entities, CDATA and processing instructions.
// Every limit is checked while reading, so a hostile document costs no more than a valid one of the same size.

/** The limits of a document. */
export interface XmlLimits {
  readonly depth: number;
  readonly elements: number;
  readonly attributes: number;
  readonly namespaces: number;
  /** Whether comments are skipped. Otherwise a comment is refused. */
  readonly comments?: boolean;
}

export interface XmlAttribute {
  readonly name: string;
  readonly local: string;
  /** The namespace; empty without a prefix. */
  readonly space: string;
  readonly value: string;
}

export interface XmlElement {
  readonly name: string;
  readonly local: string;
  readonly space: string;
  /** Without namespace declarations. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly (XmlElement | string)[];
  /** The namespaces in scope, by prefix; the default namespace has the prefix ''. */
  readonly scope: ReadonlyMap<string, string>;
  /** The offset of the element in the source. */
  readonly start: number;
  /** The offset behind the element in the source. */
  readonly end: number;
}

/** A text that is not XML of the accepted kind. */
export class XmlFault extends Error {}

const responseLimits: XmlLimits = { depth: 32, elements: 1_000, attributes: 4_000, namespaces: 600 };

const xmlns = 'http://www.w3.org/2000/xmlns/';
const xmlSpace = 'http://www.w3.org/XML/1998/namespace';

const declaration =
  /^<\?xml[ \t\r\n]+version=(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding=(?:"utf-8"|'utf-8'))?(?:[ \t\r\n]+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/i;
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Names are ASCII, as all names of SAML are. */
const qualified = /(?:([A-Za-z_][A-Za-z0-9_.-]*):)?([A-Za-z_][A-Za-z0-9_.-]*)/y;
const blank = /[ \t\r\n]*/y;
const equals = /[ \t\r\n]*=[ \t\r\n]*/y;
const longestName = 200;

/** Replaces references. @throws {XmlFault} for an entity that XML does not predefine, and for illegal characters. */
function expanded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&]{0,10})(;?)/g, (_whole, name: string, end: string) => {
    const code = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const point = code === null ? undefined : parseInt(code[1] ?? code[2] ?? '', code[1] === undefined ? 10 : 16);
    const character =
      point === undefined
        ? Object.hasOwn(named, name)
          ? named[name]
          : undefined
        : point <= 0x10_ff_ff
          ? String.fromCodePoint(point)
          : undefined;
    if (end !== ';' || character === undefined || illegal.test(character)) throw new XmlFault('an unknown reference');
    return character;
  });
}

/** An element whose end has not been read. */
type Unfinished = Omit<XmlElement, 'children' | 'end'> & { readonly children: (XmlElement | string)[]; end: number };

interface Tag {
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
}
type Given = Tag & { readonly value: string };

class Reader {
  readonly #text: string;
  readonly #limits: XmlLimits;
  #at = 0;
  #elements = 0;
  #attributes = 0;
  #namespaces = 0;

  constructor(text: string, limits: XmlLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  document(): XmlElement {
    this.#at = declaration.exec(this.#text)?.[0].length ?? 0;
    const rest = this.#at;
    if (illegal.test(this.#text)) throw new XmlFault('an illegal character');
    if (this.#text.includes('<?', rest)) throw new XmlFault('a processing instruction');
    if (this.#limits.comments !== true && this.#text.includes('<!', rest))
      throw new XmlFault('a DTD, a comment or a CDATA section');
    this.#between();
    const root = this.#root();
    this.#between();
    if (this.#at !== this.#text.length) throw new XmlFault('text after the document');
    return root;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  /** Skips space, and comments where they are allowed. */
  #between(): void {
    for (;;) {
      this.#match(blank);
      if (!this.#comment()) return;
    }
  }

  #comment(): boolean {
    if (!this.#text.startsWith('<!', this.#at)) return false;
    const end = this.#text.indexOf('-->', this.#at + 4);
    if (!this.#text.startsWith('<!--', this.#at) || end < 0) throw new XmlFault('a DTD or a CDATA section');
    this.#at = end + 3;
    return true;
  }

  #name(): { readonly name: string; readonly prefix: string; readonly local: string } {
    const found = this.#match(qualified);
    if (found === null || found[0].length > longestName) throw new XmlFault('a malformed tag');
    return { name: found[0], prefix: found[1] ?? '', local: found[2] ?? '' };
  }

  #root(): XmlElement {
    const open: Unfinished[] = [];
    for (;;) {
      const parent = open.at(-1);
      if (parent !== undefined) this.#characters(parent);
      if (!this.#text.startsWith('<', this.#at)) throw new XmlFault('an element that does not end');
      if (parent !== undefined && this.#comment()) continue;
      if (parent !== undefined && this.#text.startsWith('</', this.#at)) {
        this.#end(parent);
        open.pop();
        if (open.length === 0) return parent;
        continue;
      }
      const element = this.#start(parent?.scope ?? new Map([['', '']]));
      parent?.children.push(element);
      const empty = this.#text[this.#at - 2] === '/';
      if (empty && parent === undefined) return element;
      if (!empty && open.push(element) > this.#limits.depth) throw new XmlFault('too many nested elements');
    }
  }

  #end(element: Unfinished): void {
    this.#at += 2;
    const { name } = this.#name();
    this.#match(blank);
    if (name !== element.name || this.#text[this.#at] !== '>') throw new XmlFault('tags that do not match');
    this.#at += 1;
    element.end = this.#at;
  }

  #characters({ children }: Unfinished): void {
    const end = this.#text.indexOf('<', this.#at);
    if (end < 0) throw new XmlFault('an element that does not end');
    if (end === this.#at) return;
    const text = this.#text.slice(this.#at, end);
    if (text.includes(']]>')) throw new XmlFault('the end of a CDATA section');
    children.push(expanded(text.replace(/\r\n?/g, '\n')));
    this.#at = end;
  }

  #start(outer: ReadonlyMap<string, string>): Unfinished {
    const start = this.#at;
    this.#at += 1;
    this.#elements += 1;
    if (this.#elements > this.#limits.elements) throw new XmlFault('too many elements');
    const tag = this.#name();
    const given: Given[] = [];
    const declared = new Map<string, string>();
    for (;;) {
      const space = this.#match(blank)?.[0] ?? '';
      const close = this.#text[this.#at] === '/' ? 2 : 1;
      if (this.#text[this.#at + close - 1] === '>') {
        this.#at += close;
        const scope = declared.size === 0 ? outer : new Map([...outer, ...declared]);
        return { ...this.#resolved(tag, given, scope), children: [], scope, start, end: this.#at };
      }
      if (space === '') throw new XmlFault('a malformed tag');
      const attribute = { ...this.#name(), value: this.#value() };
      if (attribute.name === 'xmlns' || attribute.prefix === 'xmlns') this.#declare(attribute, declared);
      else if (given.push(attribute) + this.#attributes > this.#limits.attributes)
        throw new XmlFault('too many attributes');
    }
  }

  #value(): string {
    const quote = this.#match(equals) === null ? undefined : this.#text[this.#at];
    const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1;
    if (end < 0) throw new XmlFault('a malformed attribute');
    const value = this.#text.slice(this.#at + 1, end);
    if (value.includes('<')) throw new XmlFault('a malformed attribute');
    this.#at = end + 1;
    return expanded(value.replace(/\r\n|[\t\r\n]/g, ' '));
  }

  #declare({ prefix, local, value }: Given, declared: Map<string, string>): void {
    this.#namespaces += 1;
    if (this.#namespaces > this.#limits.namespaces) throw new XmlFault('too many namespaces');
    const of = prefix === '' ? '' : local;
    const reserved = of === 'xml' || of === 'xmlns' || value === xmlns || value === xmlSpace;
    if (declared.has(of) || reserved || (of !== '' && value === '')) throw new XmlFault('an illegal namespace');
    declared.set(of, value);
  }

  #resolved(tag: Tag, given: readonly Given[], scope: ReadonlyMap<string, string>) {
    this.#attributes += given.length;
    const spaceOf = (prefix: string): string => {
      const space = prefix === 'xml' ? xmlSpace : scope.get(prefix);
      if (space === undefined) throw new XmlFault('an undeclared namespace prefix');
      return space;
    };
    const attributes = given.map(({ name, prefix, local, value }) => ({
      name,
      local,
      space: prefix === '' ? '' : spaceOf(prefix),
      value,
    }));
    if (new Set(attributes.map(({ space, local }) => `${space} ${local}`)).size !== attributes.length)
      throw new XmlFault('a repeated attribute');
    return { name: tag.name, local: tag.local, space: spaceOf(tag.prefix), attributes };
  }
}

/** Parses a document. @throws {XmlFault} if it is not well-formed, exceeds a limit, or uses a refused part of XML. */
export const parseXml = (text: string, limits: XmlLimits = responseLimits): XmlElement =>
  new Reader(text, limits).document();

/** The elements of an element. @throws {XmlFault} if there is other text than space between them. */
export function elementsOf({ children }: XmlElement): readonly XmlElement[] {
  return children.flatMap((child) => {
    if (typeof child !== 'string') return [child];
    if (/[^ \t\r\n]/.test(child)) throw new XmlFault('text between elements');
    return [];
  });
}

/** The text of an element. @throws {XmlFault} if it has elements. */
export function textOf({ children }: XmlElement): string {
  return children
    .map((child) => {
      if (typeof child !== 'string') throw new XmlFault('an element within a text');
      return child;
    })
    .join('');
}

/** An attribute without namespace. */
export const attributeOf = ({ attributes }: XmlElement, local: string): string | undefined =>
  attributes.find((attribute) => attribute.space === '' && attribute.local === local)?.value;

/** The child elements of this name. */
export const childrenOf = (element: XmlElement, space: string, local: string): readonly XmlElement[] =>
  elementsOf(element).filter((child) => child.space === space && child.local === local);

/** The element and everything below, in the order of the document. */
export function everyElement(root: XmlElement): readonly XmlElement[] {
  const all: XmlElement[] = [];
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    all.push(next);
    pending.push(...next.children.filter((child) => typeof child !== 'string').toReversed());
  }
  return all;
}

const replaced: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** A text as the value of an attribute in double quotes, or as the text of an element. */
export const escapeXml = (text: string): string => text.replace(/[&<>"\t\n\r]/g, (one) => replaced[one] ?? one);
