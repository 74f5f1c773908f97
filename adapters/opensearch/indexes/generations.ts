// The indexes of the back end: `PREFIX-vN`, of which one has the alias `PREFIX` and answers.
//
// Indexes are written under a second alias with a random name, so that a write fails after the index was deleted.
// Otherwise OpenSearch would create an index without a mapping under the old name.
import { randomBytes } from 'node:crypto';
import { members, type Members } from '../client/answers.ts';
import type { OpenSearchNode } from '../client/node.ts';
import { Malformed, Refused } from '../client/refusal.ts';
import { newIndex, schemaVersion } from './schema.ts';

export interface Generation {
  /** Such as `hexforge-v3`. */
  readonly name: string;
  readonly number: number;
  /** The alias for writing, never used again; '' if it was removed. */
  readonly alias: string;
  readonly answers: boolean;
  readonly schema: unknown;
  /** Whether OpenSearch has blocked it for writing. */
  readonly blocked: boolean;
}

export interface Current {
  readonly answering: Generation;
  /** The one that a rebuild fills. */
  readonly rebuilding: Generation | undefined;
}

export interface Generations {
  /** Creates or repairs what is missing. */
  current(ms?: number): Promise<Current>;
  begin(): Promise<void>;
  finish(): Promise<void>;
}

/** Milliseconds of requests that change the state of the cluster. */
const changeMs = 20_000;
const number = /^\d{1,15}$/;

export function generations(node: OpenSearchNode, prefix: string, shards: number): Generations {
  const listed = async (ms: number): Promise<Generation[]> => {
    const { body } = await node.ask({
      method: 'GET',
      path: [`${prefix}-v*`],
      query: { filter_path: '*.aliases,*.mappings._meta,*.settings.index.blocks', expand_wildcards: 'open,hidden' },
      ms,
    });
    return Object.entries(members(body))
      .flatMap(([name, index]) => generationOf(prefix, name, members(index)) ?? [])
      .sort((a, b) => a.number - b.number);
  };
  const newAlias = (name: string): string => `${name}-${randomBytes(8).toString('hex')}`;
  const create = async (next: number, answers: boolean): Promise<void> => {
    const name = `${prefix}-v${next}`;
    try {
      await node.ask({
        method: 'PUT',
        path: [name],
        body: { ...newIndex(shards), aliases: { [newAlias(name)]: {}, ...(answers ? { [prefix]: {} } : {}) } },
        ms: changeMs,
      });
    } catch (error) {
      // Another process was faster.
      if (!(error instanceof Refused) || error.type !== 'resource_already_exists_exception') throw error;
    }
  };
  const change = async (...actions: readonly object[]): Promise<void> => {
    await node.ask({ method: 'POST', path: ['_aliases'], body: { actions }, ms: changeMs });
  };
  const choose = (all: readonly Generation[]): Current | undefined => {
    const answering = all.find(({ answers }) => answers);
    if (answering === undefined || all.some(({ alias }) => alias === '')) return undefined;
    return { answering, rebuilding: all.find((one) => one.number > answering.number && !one.answers) };
  };
  const repair = async (all: readonly Generation[]): Promise<void> => {
    const [first] = all;
    if (first === undefined) {
      await create(1, true);
      return;
    }
    await change(
      ...all.flatMap(({ name, alias }) => (alias === '' ? [{ add: { index: name, alias: newAlias(name) } }] : [])),
      // If the alias was removed, the oldest index answers, because newer ones may be incomplete.
      ...(all.some(({ answers }) => answers) ? [] : [{ add: { index: first.name, alias: prefix } }]),
    );
  };
  const current = async (ms = changeMs): Promise<Current> => {
    const all = await listed(ms);
    const chosen = choose(all);
    if (chosen !== undefined) return chosen;
    await repair(all);
    const repaired = choose(await listed(ms));
    if (repaired === undefined) throw new Malformed();
    return repaired;
  };
  return {
    current,
    async begin() {
      const { answering, rebuilding } = await current();
      if (rebuilding === undefined) await create(answering.number + 1, false);
    },
    async finish() {
      const { answering, rebuilding } = await current();
      if (rebuilding === undefined) return;
      await node.ask({ method: 'POST', path: [rebuilding.name, '_refresh'], ms: changeMs });
      // One change of the state of the cluster, so no query sees none or both.
      await change({ add: { index: rebuilding.name, alias: prefix } }, { remove_index: { index: answering.name } });
    },
  };
}

/** Undefined for an index of something else whose name begins in the same way. */
function generationOf(prefix: string, name: string, index: Members): Generation | undefined {
  const digits = name.slice(prefix.length + 2);
  const { _meta: meta } = members(index['mappings'] ?? {});
  const schema = members(meta ?? {})['hexforge_schema'];
  if (!number.test(digits) || schema === undefined) return undefined;
  const aliases = Object.keys(members(index['aliases'] ?? {}));
  const { index: settings } = members(index['settings'] ?? {});
  const { blocks } = members(settings ?? {});
  return {
    name,
    number: Number(digits),
    alias: aliases.find((one) => one.startsWith(`${name}-`)) ?? '',
    answers: aliases.includes(prefix),
    schema,
    blocked: Object.values(members(blocks ?? {})).includes('true'),
  };
}

/** Whether the index was made by a version with another mapping. */
export const isOutdated = ({ schema }: Generation): boolean => schema !== schemaVersion;
