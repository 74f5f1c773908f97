// Every reading request that one repository can be asked for: the routes of the OpenAPI document filled with what the
// repository holds, and the services of git.
import { operations, type Document } from '#test/support/openapi';
import type { PackWriter } from './pack-writer.ts';

export interface HostileRequest {
  /** The same for every repository. */
  readonly route: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes as characters, or text of ASCII. */
  readonly body?: string;
  /** Whether the answer is files or packs, which are as long as what they hold. */
  readonly streams: boolean;
}

export interface Asked {
  readonly owner: string;
  readonly repo: string;
  readonly pack: PackWriter;
  /** Refs that the server has. */
  readonly refs: ReadonlyMap<string, string>;
}

const streaming = new Set(['repositoryRaw', 'repositoryArchive']);
const most = { refs: 12, ofMany: 3, paths: 4 };

/** The first, the last, the longest, and the others where they are few. */
function picked(names: readonly string[]): string[] {
  const longest = names.toSorted((one, other) => other.length - one.length)[0];
  const chosen = new Set([names[0], names.at(-1), longest, ...names].filter((name) => name !== undefined));
  return [...chosen].slice(0, names.length <= 4 * most.refs ? most.refs : most.ofMany);
}

const encoded = (path: string | Buffer): string =>
  typeof path === 'string'
    ? path.split('/').map(encodeURIComponent).join('/')
    : [...path].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** What each query parameter may be asked with. */
function queryValues(name: string, { path, ref }: { readonly path: string; readonly ref: string }): string | undefined {
  const values: Readonly<Record<string, string>> = {
    per_page: '100',
    limit: '100',
    page: '1',
    path,
    ref: encodeURIComponent(ref),
    sha: encodeURIComponent(ref),
    author: 'Ada',
    include_divergence: 'true',
  };
  return values[name];
}

export function hostileRequests(document: Document, { owner, repo, pack, refs }: Asked): HostileRequest[] {
  const named = (prefix: string): string[] =>
    [...refs.keys()].filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length));
  const branches = picked(named('refs/heads/'));
  const tags = picked(named('refs/tags/')).slice(0, 1);
  const tip = refs.get('refs/heads/main') ?? [...refs.values()][0] ?? '';
  const revisions = [...new Set(['main', tip, ...branches, ...tags])];
  const paths = ['', ...pack.paths.slice(0, most.paths).map(encoded)];
  const all: Readonly<Record<string, readonly string[]>> = {
    owner: [owner],
    repo: [repo],
    ref: revisions.map(encodeURIComponent),
    sha: [...new Set([tip, ...[...refs.values()].slice(0, 3)])],
    branch: branches.map(encodeURIComponent),
    tag: tags.map(encodeURIComponent),
    path: paths,
    compare: revisions.flatMap((one) => [
      `${encodeURIComponent(one)}...main`,
      `main...${encodeURIComponent(one)}`,
      `first...${encodeURIComponent(one)}`,
    ]),
    archive: ['main.tar.gz', 'main.zip', `${tip}.tar.gz`],
    username: [owner],
    user: [owner],
  };
  const rest = operations(document)
    .filter(({ method }) => method === 'GET')
    .flatMap(({ id, path, queries }) => {
      let filled = [path];
      for (const name of new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, found = '']) => found)))
        filled = filled.flatMap((template) =>
          (
            all[name === 'rest' ? (/(\w+)\/\{rest\}/.exec(path)?.[1] ?? '') : name] ?? [
              '00000000-0000-4000-8000-0000000000ff',
            ]
          ).map((value) => template.replace(`{${name}}`, value)),
        );
      const asked = [
        { path: paths.at(-1) ?? '', ref: 'main' },
        ...branches.slice(-1).map((ref) => ({ path: paths[1] ?? '', ref })),
      ]
        .map((values) =>
          queries
            .flatMap((name) => {
              const value = queryValues(name, values);
              return value === undefined ? [] : [`${name}=${value}`];
            })
            .join('&'),
        )
        .filter((query) => query !== '');
      return filled.flatMap((target) =>
        ['', ...new Set(asked)].map((query): HostileRequest => ({
          route: `GET ${path.replace('/api/v1', '')}`,
          method: 'GET',
          path: query === '' ? target : `${target}?${query}`,
          streams: streaming.has(id),
        })),
      );
    });
  const git = `/${owner}/${repo}.git`;
  const wants = [...new Set(refs.values())].slice(0, 1000);
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
  const want = (deepen: string): string =>
    `${wants.map((oid, index) => line(`want ${oid}${index === 0 ? ' side-band-64k ofs-delta agent=h' : ''}\n`)).join('')}${deepen}0000${line('done\n')}`;
  const upload = { method: 'POST', path: `${git}/git-upload-pack`, streams: true } as const;
  const type = { 'content-type': 'application/x-git-upload-pack-request' };
  return [
    ...rest,
    ...['git-upload-pack', 'git-receive-pack'].map((service): HostileRequest => ({
      route: `info/refs ${service}`,
      method: 'GET',
      path: `${git}/info/refs?service=${service}`,
      streams: false,
    })),
    {
      route: 'ls-refs, v2',
      ...upload,
      headers: { ...type, 'git-protocol': 'version=2' },
      body: `${line('command=ls-refs\n')}0001${line('peel\n')}${line('symrefs\n')}0000`,
    },
    { route: 'clone', ...upload, headers: type, body: want('') },
    { route: 'clone, shallow', ...upload, headers: type, body: want(line('deepen 1\n')) },
  ];
}
