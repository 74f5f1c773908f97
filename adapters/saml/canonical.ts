// Exclusive XML canonicalization without comments (https://www.w3.org/TR/xml-exc-c14n/), of elements as `parseXml`
// returns them.
import { escapeXml, type XmlAttribute, type XmlElement } from './xml.ts';

export interface CanonicalOptions {
  /** A child that is left out, with everything in it. */
  readonly without?: XmlElement | undefined;
  /** Prefixes that are declared where they are in scope, although they are not used there; `#default` for none. */
  readonly inclusive?: readonly string[];
}

const prefixOf = (name: string): string => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '');

const inText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
const inAttribute = (text: string): string =>
  escapeXml(text)
    .replaceAll('&gt;', '>')
    .replaceAll('&#9;', '&#x9;')
    .replaceAll('&#10;', '&#xA;')
    .replaceAll('&#13;', '&#xD;');

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Attributes are ordered by namespace and name, those without namespace first. */
const ordered = (attributes: readonly XmlAttribute[]): readonly XmlAttribute[] =>
  attributes.toSorted((a, b) => compare(a.space, b.space) || compare(a.local, b.local));

/** @param declared the declarations that the parents have written. */
function written(
  element: XmlElement,
  declared: ReadonlyMap<string, string>,
  { without, inclusive = [] }: CanonicalOptions,
): string {
  const used = new Set([prefixOf(element.name)]);
  for (const { name } of element.attributes) if (prefixOf(name) !== '') used.add(prefixOf(name));
  for (const prefix of inclusive) if (element.scope.has(prefix)) used.add(prefix);
  used.delete('xml');
  const added = [...used]
    .map((prefix) => [prefix, element.scope.get(prefix) ?? ''] as const)
    .filter(([prefix, space]) => (declared.get(prefix) ?? '') !== space)
    .toSorted(([a], [b]) => compare(a, b));
  const inside = added.length === 0 ? declared : new Map([...declared, ...added]);
  const spaces = added.map(([prefix, space]) => ` xmlns${prefix === '' ? '' : ':'}${prefix}="${inAttribute(space)}"`);
  const attributes = ordered(element.attributes).map(({ name, value }) => ` ${name}="${inAttribute(value)}"`);
  const children = element.children
    .filter((child) => child !== without)
    .map((child) => (typeof child === 'string' ? inText(child) : written(child, inside, { inclusive })));
  return `<${element.name}${spaces.join('')}${attributes.join('')}>${children.join('')}</${element.name}>`;
}

/** The canonical form of an element. */
export const canonicalXml = (element: XmlElement, { without, inclusive = [] }: CanonicalOptions = {}): string =>
  written(element, new Map(), { without, inclusive: inclusive.map((prefix) => (prefix === '#default' ? '' : prefix)) });
