// Every read request for one repository: the routes of the OpenAPI document with parameters from the repository, and
// git's services.
import { operations, type Document } from '#test/support/clients/openapi';
import { fillingOf, type Places, type Pushed } from './hostile-paths.ts';

export interface HostileRequest {
  /** The name of the route, which is the same for every repository. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes as latin1 characters, or ASCII text. */
  readonly body?: string;
  /** Whether the answer is a file or a pack, whose length depends on its content. */
  readonly streams: boolean;
}

const streaming = new Set(['repositoryRaw', 'repositoryArchive']);

/** The value of each query parameter. */
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
    algorithm: 'histogram',
    strategy: 'rebase',
    q: 'word',
    facets: 'true',
  };
  return values[name];
}

export function hostileRequests(document: Document, pushed: Pushed, places?: Places): HostileRequest[] {
  const { owner, repo, refs } = pushed;
  const { branches, paths, filled } = fillingOf(pushed, places);
  const asked = [
    { path: paths.at(-1) ?? '', ref: 'main' },
    ...branches.slice(-1).map((ref) => ({ path: paths[1] ?? '', ref })),
  ];
  const rest = operations(document)
    .filter(({ method }) => method === 'GET')
    .flatMap(({ id, path, queries }) => {
      const questions = asked
        .map((values) =>
          queries
            .flatMap((name) => {
              const value = queryValues(name, values);
              return value === undefined ? [] : [`${name}=${value}`];
            })
            .join('&'),
        )
        .filter((query) => query !== '');
      return filled(path).flatMap((target) =>
        ['', ...new Set(questions)].map((query): HostileRequest => ({
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
