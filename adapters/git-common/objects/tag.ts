// Reads annotated tags.
import { clip } from '#core/kernel/clipping';
import { longest } from '#core/repositories/git/clipping';
import type { Tip } from '#core/repositories/git/git-refs';
import { parseSignature } from './idents.ts';
import { own } from './text.ts';

/** Bytes. A larger tag is not read, and has the kind `other`. */
export const largestTag = 1024 * 1024;
/** git finds a signature by the beginnings of lines. It is the end of the message, from the last of such lines. */
const signature = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----/gm;

/** git decodes no tag: its texts are UTF-8, whatever headers it has. */
export function tagOf(content: Buffer): Tip & { readonly kind: 'tag' } {
  const end = content.indexOf('\n\n');
  const lines = content.toString('utf8', 0, end < 0 ? content.length : end).split('\n');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const tagger = header('tagger');
  const message = end < 0 ? '' : content.toString('utf8', end + 2);
  const signed = [...message.matchAll(signature)].at(-1)?.index;
  return {
    kind: 'tag',
    target: own(header('object') ?? ''),
    message: own(clip(message.slice(0, signed).trim(), longest.message)),
    tagger: tagger === undefined ? undefined : parseSignature(tagger),
  };
}
