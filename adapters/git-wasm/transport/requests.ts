// Parses the requests of upload-pack: gitprotocol-pack(5) for versions 0 and 1, gitprotocol-v2(5).
import { ValidationFailed } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import type { ObjectFilter } from '../history/reachable.ts';
import { isOid } from '#adapters/git-common/names';
import type { Depth } from './fetch-tasks.ts';
import { lineOf, PktLineParser, type PktLine } from '#adapters/git-common/transport/pkt-line';

/** Bytes of a request: enough for a hundred thousand `have` lines. */
const longestRequest = 8 * 1024 ** 2;
/** git counts depths in 31 bits; this one means the whole history. */
const wholeHistory = 0x7fffffff;
const deepestFilter = 16;
const units = ['', 'k', 'm', 'g'];

export class RefusedRequest extends Error {}

/** Reads the whole body. @throws {ValidationFailed} */
export async function readRequest(body: AsyncIterator<Uint8Array>): Promise<readonly PktLine[]> {
  const parser = new PktLineParser();
  const lines: PktLine[] = [];
  let bytes = 0;
  for (let chunk = await body.next(); chunk.done !== true; chunk = await body.next()) {
    bytes += chunk.value.length;
    if (bytes > longestRequest) throw malformed('it is too long');
    lines.push(...parser.parse(Buffer.from(chunk.value)));
  }
  if (parser.rest.length > 0) throw malformed('it ends within a packet');
  if (lines.length === 0) throw malformed('it is empty');
  return lines;
}

export interface Fetch {
  readonly wants: Oid[];
  readonly haves: Oid[];
  readonly shallow: Oid[];
  readonly capabilities: Set<string>;
  depth?: Depth;
  filter?: ObjectFilter;
  isDone: boolean;
}

const emptyFetch = (): Fetch => ({ wants: [], haves: [], shallow: [], capabilities: new Set(), isDone: false });

function take(fetch: Fetch, line: string): boolean {
  const space = line.indexOf(' ');
  const [word, rest] = space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
  const oid = rest.slice(0, 40);
  const isNamed = isOid(oid) && (rest.length === 40 || rest[40] === ' ');
  switch (word) {
    case 'want':
      if (!isNamed) return false;
      fetch.wants.push(oid);
      for (const each of rest.slice(41).split(' ')) if (each !== '') fetch.capabilities.add(each);
      return true;
    case 'have':
      if (isNamed) fetch.haves.push(oid);
      return isNamed;
    case 'shallow':
      if (isNamed) fetch.shallow.push(oid);
      return isNamed;
    case 'deepen': {
      const depth = /^\d{1,10}$/.test(rest) ? Number(rest) : 0;
      if (depth < 1) throw malformed('it has a depth that is no number');
      fetch.depth = { deepen: Math.min(depth, wholeHistory), isRelative: false };
      return true;
    }
    case 'deepen-since':
    case 'deepen-not':
      throw new RefusedRequest(`${word} is not supported by git-wasm (unsupported_by_git_wasm); use --depth`);
    case 'filter':
      fetch.filter = filterOf(rest);
      return true;
    case 'done':
      fetch.isDone = true;
      return true;
    default:
      return false;
  }
}

/** The filters that partial clones use. @throws {RefusedRequest} for others. */
function filterOf(text: string): ObjectFilter {
  if (text === 'blob:none') return { blobBytes: 0 };
  const [, bytes, unit = ''] = /^blob:limit=(\d{1,12})([kmg]?)$/.exec(text) ?? [];
  if (bytes !== undefined) return { blobBytes: Number(bytes) * 1024 ** units.indexOf(unit) };
  const depth = /^tree:(\d{1,9})$/.exec(text)?.[1];
  if (depth !== undefined && Number(depth) <= deepestFilter) return { treeDepth: Number(depth) };
  throw new RefusedRequest(`filter '${text.slice(0, 100)}' not supported`);
}

/** A request of version 0 or 1. */
export function fetchOf(lines: readonly PktLine[]): Fetch {
  const fetch = emptyFetch();
  for (const line of lines) {
    if (line.kind !== 'data') continue;
    const text = lineOf(line);
    if (!take(fetch, text)) throw malformed(`"${text.slice(0, 60)}"`);
  }
  relative(fetch);
  return fetch;
}

/** A command of version 2 with its arguments. */
export interface Command {
  readonly name: string;
  readonly args: readonly string[];
}

export function commandOf(lines: readonly PktLine[]): Command | undefined {
  const data = lines.filter(({ kind }) => kind === 'data' || kind === 'delimiter');
  if (data.length === 0) return undefined;
  const split = data.findIndex(({ kind }) => kind === 'delimiter');
  const head = data.slice(0, split < 0 ? data.length : split).map(lineOf);
  const name = head.find((line) => line.startsWith('command='))?.slice('command='.length);
  if (name === undefined) throw malformed('no command');
  for (const line of head)
    if (line.startsWith('object-format=') && line !== 'object-format=sha1') throw malformed('an unknown object format');
  const args = split < 0 ? [] : data.slice(split + 1).map(lineOf);
  return { name, args };
}

export function fetchOfArguments(args: readonly string[]): Fetch {
  const fetch = emptyFetch();
  for (const line of args) if (!take(fetch, line)) fetch.capabilities.add(line);
  relative(fetch);
  return fetch;
}

function relative(fetch: Fetch): void {
  if (fetch.depth !== undefined && fetch.capabilities.has('deepen-relative'))
    fetch.depth = { ...fetch.depth, isRelative: true };
}

const malformed = (what: string): ValidationFailed =>
  new ValidationFailed('The body is not what a git client sends', { detail: `body: ${what}` });
