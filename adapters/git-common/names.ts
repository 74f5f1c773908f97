// Checks of names: ref names (git-check-ref-format(1)), oids, and paths in a tree.
import { isUtf8 } from 'node:buffer';
import { fullName } from '#core/repositories/git/ref-names';

/** Bytes of a component, below the limit of a file name with room for `.lock`; and of a whole name. */
const longestComponent = 250;
const longestName = 1000;

const forbidden = /[~^:?*[\\]|\.\.|@\{/;

/** git-check-ref-format(1), rules 1 to 10, for a full name with at least one slash. */
export function isLegalRef(name: string): boolean {
  if (
    Buffer.byteLength(name) > longestName ||
    !name.isWellFormed() ||
    forbidden.test(name) ||
    hasControl(name) ||
    name.endsWith('.') ||
    name === '@'
  )
    return false;
  const components = name.split('/');
  return (
    components.length > 1 &&
    components.every(
      (component) =>
        component !== '' &&
        !component.startsWith('.') &&
        !component.endsWith('.lock') &&
        Buffer.byteLength(component) <= longestComponent,
    )
  );
}

function hasControl(name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f) return true;
  }
  return false;
}

/**
 * The checks of `git branch` and `git tag`: no leading `-`, no branch called HEAD. Names that look like a full name are
 * rejected too.
 */
export function isLegalName(kind: 'branch' | 'tag', name: string): boolean {
  if (name.startsWith('-') || name.startsWith(fullName) || (kind === 'branch' && name === 'HEAD')) return false;
  return isLegalRef(`${kind === 'branch' ? 'refs/heads/' : 'refs/tags/'}${name}`);
}

export function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** The segments of a path in a tree; undefined for a path that cannot exist in any tree. */
export function pathSegments(path: string): readonly string[] | undefined {
  if (path === '') return [];
  const parts = path.split('/');
  return parts.some(
    (part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git' || part.includes('\0'),
  )
    ? undefined
    : parts;
}

/**
 * Undefined for bytes that are not UTF-8: decoded, they would be the name of another ref, so such a ref is neither
 * listed nor found by a name.
 */
export function nameOf(raw: string): string | undefined {
  const bytes = Buffer.from(raw, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
