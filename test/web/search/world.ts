// A forge with indexed files and definitions, for the specs of the search pages.
import { setTimeout as pause } from 'node:timers/promises';
import type { TestHost } from '#host/sdk/testing';
import { folded, type SymbolDefinition } from 'hexforge/search';

/** Follows all changes so far in the index, also those that the forge itself has begun to follow. */
export async function indexed(forge: TestHost): Promise<void> {
  for (let runs = 0; runs < 200; runs += 1) {
    await forge.drained();
    await forge.runJob('search', 'compare');
    await forge.runJob('search', 'index');
    const state = await forge.port('SearchIndexing')?.state();
    if (state?.waiting === 0) return;
    await pause(50);
  }
  throw new Error('the index does not follow');
}

/** Writes files to the default branch of a repository, one commit each. */
export async function files(
  forge: TestHost,
  repository: string,
  contents: Readonly<Record<string, string>>,
): Promise<void> {
  const owner = forge.as(repository.split('/')[0] ?? '');
  for (const [path, content] of Object.entries(contents)) {
    const { status, body } = await owner.put(
      `/repos/${repository}/contents/${path.split('/').map(encodeURIComponent).join('/')}`,
      { json: { message: `Write ${path}`, content: Buffer.from(content).toString('base64'), branch: 'main' } },
    );
    if (status >= 300) throw new Error(`PUT ${path} answered ${status}: ${JSON.stringify(body)}`);
  }
}

/** The members of a definition that a test chooses. */
export type Defined = Pick<SymbolDefinition, 'name' | 'line'> & Partial<SymbolDefinition>;

/** Stores a file with these definitions in the index, whatever the readers of languages find in it. */
export async function defines(
  forge: TestHost,
  repositoryId: string,
  path: string,
  symbols: readonly Defined[],
  language = 'typescript',
): Promise<void> {
  const source = { section: 'code', repositoryId };
  for (const index of (await forge.port('SearchBackend')?.indexes()) ?? [])
    await index.write(
      source,
      {
        files: [
          {
            path,
            oid: '0'.repeat(40),
            language,
            size: 10,
            text: folded(symbols.map(({ name }) => name).join('\n')),
            symbols: symbols.map((symbol) => ({ kind: 'function', signature: `function ${symbol.name}()`, ...symbol })),
          },
        ],
      },
      (await index.state(source)) ?? '{}',
    );
}

export const idOf = async (forge: TestHost, path: string): Promise<string> =>
  ((await forge.as(path.split('/')[0] ?? '').get(`/repos/${path}`)).body as { readonly id: string }).id;
