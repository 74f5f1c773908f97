// A real OpenSearch for the specs of the adapter, and back ends on it.
import type { Test } from 'tap';
import { openSearch } from '#adapters/opensearch/index';
import type { Log } from '#core/kernel/services/log';
import { noOpenSearch, startOpenSearch, type OpenSearchNode } from '../../../tools/peers/opensearch.ts';

/** Tests that need a node. On a machine without Java they state why they are skipped; in CI they always run. */
export function onOpenSearch(t: Test): Pick<Test, 'test'> {
  const reason = noOpenSearch();
  if (reason === undefined) return t;
  return { test: ((name: string) => t.test(name, { skip: reason }, () => undefined)) as unknown as Test['test'] };
}

/** Starts a node that is removed at the end of the test. */
export async function startedNode(t: Test): Promise<OpenSearchNode> {
  const node = await startOpenSearch();
  t.teardown(() => node.remove());
  return node;
}

type Options = Parameters<typeof openSearch>[0];

/** A log that keeps its lines. */
export function keepingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (members: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(members)}`);
  };
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}

/** Opens a back end that is closed at the end of the test. */
export async function opened(
  t: Test,
  url: string,
  options: Partial<Options> = {},
): Promise<ReturnType<typeof openSearch> & { readonly lines: readonly string[] }> {
  const { log, lines } = keepingLog();
  const made = openSearch({ url, prefix: 'hexforge', shards: 1, timeout: 3000, log, ...options });
  t.teardown(() => made.close());
  await made.open();
  return { ...made, lines };
}
