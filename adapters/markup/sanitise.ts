// Sanitises HTML: parses it as browsers do, and writes only allowed elements and attributes.
import { parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { allowed, attributes, classes, common, empty, literal, removed, renamed } from './elements.ts';
import { escaped } from './escaped.ts';
import { imageTarget, linkTarget } from './links.ts';
import { cutAtReferences } from './references.ts';
import type { MarkdownPlace, Reference, RenderedMarkdown } from './tasks.ts';

/** Elements inside each other. Deeper ones are removed, and their text stays. */
const deepest = 100;
/** References of one text. Further ones stay text. */
const mostReferences = 1000;
const textNode = '#text';

/** A node to write, or the end of an element. */
type Step = Tree.ChildNode | { readonly end: string; readonly name: string };

export function sanitised(source: string, place: MarkdownPlace): RenderedMarkdown {
  const segments: string[] = [];
  const references: Reference[] = [];
  let written = '';
  let depth = 0;
  let literals = 0;
  let links = 0;

  const writeText = (text: string): void => {
    if (literals > 0) {
      written += escaped(text);
      return;
    }
    const cut = cutAtReferences(text, mostReferences - references.length, place.repository !== undefined);
    for (const [index, part] of cut.texts.entries()) {
      written += escaped(part);
      const found = cut.references[index];
      if (found === undefined) continue;
      segments.push(written);
      references.push(found);
      written = '';
    }
  };

  const open = (name: string, tag: string, end: string, steps: Step[]): void => {
    written += tag;
    depth += 1;
    if (literal.has(name)) literals += 1;
    if (name === 'a') links += 1;
    steps.push({ end, name });
  };

  const steps: Step[] = parseFragment(source).childNodes.toReversed();
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('end' in step) {
      written += step.end;
      depth -= 1;
      if (literal.has(step.name)) literals -= 1;
      if (step.name === 'a') links -= 1;
    } else if (step.nodeName === textNode) writeText((step as Tree.TextNode).value);
    else if ('tagName' in step && !removed.has(step.tagName)) {
      const name = renamed[step.tagName] ?? step.tagName;
      const tag = depth < deepest ? tagOf(name, step, place, links > 0) : undefined;
      if (typeof tag === 'string') {
        if (empty.has(name)) written += tag;
        else open(name, tag, `</${name}>${name === 'table' ? '</div>' : ''}`, steps);
      } else if (tag !== undefined) {
        open('a', tag.open, '</a>', steps);
        steps.push({ nodeName: textNode, value: tag.text, parentNode: null });
      }
      for (let index = step.childNodes.length - 1; index >= 0; index -= 1) {
        const child = step.childNodes[index];
        if (child !== undefined) steps.push(child);
      }
    }
  }
  return { segments: [...segments, written], references };
}

const scrolled = '<div class="scrolled" tabindex="0" role="region" aria-label="Table">';

/**
 * The start tag; a link with a text instead of a foreign image; undefined if only the content is shown.
 */
function tagOf(
  name: string,
  element: Tree.Element,
  place: MarkdownPlace,
  inLink: boolean,
): string | { readonly open: string; readonly text: string } | undefined {
  if (!allowed.has(name)) return undefined;
  const given = new Map(element.attrs.map((attribute) => [attribute.name, attribute.value]));
  if (name === 'img') return image(given, place, inLink);
  const own = ownAttributes(name, given, place);
  if (own === undefined || (name === 'a' && inLink)) return undefined;
  const tag = `<${name}${own}${shared(name, given, place)}>`;
  return name === 'table' ? `${scrolled}${tag}` : tag;
}

/** The attributes that decide what the element is; undefined if it is not shown without them. */
function ownAttributes(name: string, given: ReadonlyMap<string, string>, place: MarkdownPlace): string | undefined {
  if (name === 'input') {
    if (given.get('type') !== 'checkbox') return undefined;
    const done = given.has('checked');
    return ` type="checkbox" disabled aria-label="${done ? 'Done' : 'Not done'}"${done ? ' checked' : ''}`;
  }
  if (name !== 'a') return '';
  const target = linkTarget(given.get('href') ?? '', place);
  if (!given.has('href') || target === undefined) return undefined;
  return attribute('href', target.href) + (target.foreign ? ' rel="nofollow noreferrer"' : '');
}

function image(
  given: ReadonlyMap<string, string>,
  place: MarkdownPlace,
  inLink: boolean,
): string | { readonly open: string; readonly text: string } | undefined {
  const target = imageTarget(given.get('src') ?? '', place);
  const text = given.get('alt') ?? '';
  if (target !== undefined && !target.foreign)
    return `<img${attribute('src', target.href)}${attribute('alt', text)} loading="lazy"${shared('img', given, place)}>`;
  const shown = text.trim() === '' ? 'image' : text;
  const link =
    target === undefined || inLink ? undefined : `${attribute('href', target.href)} rel="nofollow noreferrer"`;
  return link === undefined ? escaped(shown) : { open: `<a${link}>`, text: shown };
}

/** The attributes that any element may have, and those of its name. */
function shared(name: string, given: ReadonlyMap<string, string>, { ids }: MarkdownPlace): string {
  const rules = { ...common, ...attributes[name] };
  const kept = Object.entries(rules).map(([key, rule]) => {
    const value = given.get(key);
    return value !== undefined && rule.test(value) ? attribute(key, value) : '';
  });
  const id = given.get('id') ?? '';
  const align = /^(?:center|right)$/i.exec(given.get('align') ?? '')?.[0].toLowerCase();
  const ours = [...(given.get('class')?.split(/\s+/) ?? []).filter((one) => classes.has(one)), align ?? []].flat();
  return [
    ...kept,
    /^[^\s]{1,200}$/.test(id) ? attribute('id', `${ids}${id}`) : '',
    ours.length > 0 ? attribute('class', ours.join(' ')) : '',
    name === 'a' && ours.includes('anchor') ? attribute('aria-label', 'Link to this heading') : '',
  ].join('');
}

const attribute = (name: string, value: string): string => ` ${name}="${escaped(value)}"`;
