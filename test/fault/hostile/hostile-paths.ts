// Paths of routes with parameters filled from a hostile repository.
import type { PackWriter } from './pack-writer.ts';

/** The segment before a parameter → the possible values of the parameter. */
export type Places = Readonly<Record<string, readonly string[]>>;

export interface Pushed {
  readonly owner: string;
  readonly repo: string;
  readonly pack: PackWriter;
  /** The refs that the server has. */
  readonly refs: ReadonlyMap<string, string>;
}

/** An id that no object has. */
export const madeUp = '00000000-0000-4000-8000-0000000000ff';
const most = { refs: 12, ofMany: 3, paths: 4 };

/** The first, the last, the longest, and all others if there are few. */
function picked(names: readonly string[]): string[] {
  const longest = names.toSorted((one, other) => other.length - one.length)[0];
  const chosen = new Set([names[0], names.at(-1), longest, ...names].filter((name) => name !== undefined));
  return [...chosen].slice(0, names.length <= 4 * most.refs ? most.refs : most.ofMany);
}

const encoded = (path: string | Buffer): string =>
  typeof path === 'string'
    ? path.split('/').map(encodeURIComponent).join('/')
    : [...path].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

export interface Filling {
  /** Unencoded names. */
  readonly branches: readonly string[];
  /** Encoded as the path of a URL; the first is the root. */
  readonly paths: readonly string[];
  /** All paths of a template. */
  filled(template: string): string[];
}

export function fillingOf({ owner, repo, pack, refs }: Pushed, places: Places = {}): Filling {
  const named = (prefix: string): string[] =>
    [...refs.keys()].filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length));
  const branches = picked(named('refs/heads/'));
  const tags = picked(named('refs/tags/')).slice(0, 1);
  const tip = refs.get('refs/heads/main') ?? [...refs.values()][0] ?? '';
  const revisions = [...new Set(['main', tip, ...branches, ...tags])];
  const paths = ['', ...pack.paths.slice(0, most.paths).map(encoded)];
  const byName: Places = {
    owner: [owner],
    repo: [repo],
    ref: revisions.map(encodeURIComponent),
    sha: [...new Set([tip, ...[...refs.values()].slice(0, 3)])],
    branch: branches.map(encodeURIComponent),
    tag: tags.map(encodeURIComponent),
    path: paths,
    scope: ['api.read'],
    username: [owner],
    user: [owner],
  };
  const byPlace: Places = {
    compare: revisions.flatMap((one) => [
      `${encodeURIComponent(one)}...main`,
      `main...${encodeURIComponent(one)}`,
      `first...${encodeURIComponent(one)}`,
    ]),
    archive: ['main.tar.gz', 'main.zip', `${tip}.tar.gz`],
    ...places,
  };
  return {
    branches,
    paths,
    filled(template) {
      let all = [''];
      let before = '';
      for (const segment of template.split('/').slice(1)) {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1];
        const values = name === undefined ? [segment] : (byPlace[before] ?? byName[name] ?? [madeUp]);
        all = all.flatMap((start) => values.map((value) => `${start}/${value}`));
        before = segment;
      }
      return all;
    },
  };
}
