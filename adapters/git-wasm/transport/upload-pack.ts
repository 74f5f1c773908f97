// Serves clones and fetches over smart HTTP: gitprotocol-http(5), versions 0, 1 and 2.
import { Unavailable, Unprocessable } from '#core/kernel/errors';
import { broughtRefs, type Oid, type Ref, type ServeRequest } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { release, spooledBytes, spoolOf, type Spooled } from '../storage/spool.ts';
import { untilAborted } from '#adapters/git-common/waiting/until-aborted';
import { untilIdle } from '../waiting/until-idle.ts';
import { hiddenRefs, type Refs } from '../refs/refs.ts';
import type { FetchRequest } from './fetch-tasks.ts';
import { flushPkt, pktLine } from '#adapters/git-common/transport/pkt-line';
import {
  commandOf,
  fetchOf,
  fetchOfArguments,
  readRequest,
  RefusedRequest,
  type Command,
  type Fetch,
} from './requests.ts';

const delimiter = Buffer.from('0001');
/** Bytes of a side-band packet after its header. */
const band = 65_515;
const agent = 'agent=hexforge-git-wasm';
const capabilities = [
  'multi_ack',
  'multi_ack_detailed',
  'side-band',
  'side-band-64k',
  'ofs-delta',
  'shallow',
  'deepen-relative',
  'no-progress',
  'include-tag',
  'filter',
];

/** Refs that clients may see. */
export const isServed = (name: string): boolean =>
  !name.startsWith(`${hiddenRefs}/`) && !name.startsWith(`${broughtRefs}/`);

interface Served {
  readonly refs: readonly Ref[];
  /** The branch that `HEAD` points to, and its commit. */
  readonly head: { readonly branch: string; readonly oid: Oid | undefined } | undefined;
}

export class UploadPack {
  readonly #parts: Foundation & { readonly refs: Refs };

  constructor(parts: Foundation & { readonly refs: Refs }) {
    this.#parts = parts;
  }

  /** The advertisement of version 2 is that of capabilities. */
  async advertise(location: RepositoryLocation, protocol: string | undefined): Promise<Buffer> {
    if (protocol === 'version=2')
      return Buffer.concat([
        ...['version 2', agent, 'ls-refs=unborn', 'fetch=shallow filter', 'object-format=sha1'].map((line) =>
          pktLine(`${line}\n`),
        ),
        flushPkt,
      ]);
    const { refs, head } = await this.#served(location);
    const peeled = await this.#parts.refs.peeled(location, refs);
    const symref = head === undefined ? '' : ` symref=HEAD:${head.branch}`;
    const chosen = `${capabilities.join(' ')}${head?.oid === undefined ? '' : symref} object-format=sha1 ${agent}`;
    const named = [
      ...(head?.oid === undefined ? [] : [`${head.oid} HEAD`]),
      ...refs.flatMap(({ name, oid }) => {
        const target = peeled.get(oid);
        return [`${oid} ${name}`, ...(target === undefined || target === oid ? [] : [`${target} ${name}^{}`])];
      }),
    ];
    const lines = named.length === 0 ? [`${'0'.repeat(40)} capabilities^{}`] : named;
    return Buffer.concat([
      ...(protocol === 'version=1' ? [pktLine('version 1\n')] : []),
      ...lines.map((line, index) => pktLine(index === 0 ? `${line}\0${chosen}\n` : `${line}\n`)),
      flushPkt,
    ]);
  }

  async serve(location: RepositoryLocation, request: ServeRequest): Promise<AsyncIterable<Uint8Array>> {
    const { protocol, signal } = request;
    const arriving = untilIdle(request.body[Symbol.asyncIterator](), this.#parts.limits.idleSeconds, tooSlow);
    const body = untilAborted(arriving, signal);
    const lines = await readRequest(body);
    try {
      if (protocol !== 'version=2') return await this.#fetch(location, fetchOf(lines), signal);
      const command = commandOf(lines);
      return command === undefined ? once(Buffer.alloc(0)) : await this.#command(location, command, signal);
    } catch (error) {
      if (error instanceof RefusedRequest || (error instanceof Unprocessable && error.code === 'not_our_ref'))
        return once(pktLine(`ERR upload-pack: ${error.message}\n`));
      throw error;
    }
  }

  async #served(location: RepositoryLocation): Promise<Served> {
    const refs = (await this.#parts.refs.stored(location)).filter(({ name }) => isServed(name));
    const branch = await this.#parts.refs.headBranch(location);
    const head = branch === undefined ? undefined : { branch, oid: refs.find(({ name }) => name === branch)?.oid };
    return { refs, head };
  }

  async #command(
    location: RepositoryLocation,
    { name, args }: Command,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    if (name === 'ls-refs') return once(await this.#lsRefs(location, args));
    if (name !== 'fetch') throw new RefusedRequest(`unknown command '${name.slice(0, 40)}'`);
    const fetch = fetchOfArguments(args);
    if (fetch.wants.length === 0) throw new RefusedRequest('a fetch wants nothing');
    const sections: Buffer[] = [];
    if (!fetch.isDone) {
      const { common, isReady } = await this.#negotiate(location, fetch, signal);
      if (fetch.haves.length > 0) {
        sections.push(pktLine('acknowledgments\n'), ...common.map((oid) => pktLine(`ACK ${oid}\n`)));
        if (common.length === 0) sections.push(pktLine('NAK\n'));
        if (!isReady) return once(Buffer.concat([...sections, flushPkt]));
        sections.push(pktLine('ready\n'), delimiter);
      }
    }
    const info = await this.#shallowLines(location, fetch, signal);
    if (info.length > 0) sections.push(pktLine('shallow-info\n'), ...info, delimiter);
    const pack = await this.#pack(location, fetch, signal);
    return answer(Buffer.concat([...sections, pktLine('packfile\n')]), pack, band, { signal, ...this.#parts.limits });
  }

  async #lsRefs(location: RepositoryLocation, args: readonly string[]): Promise<Buffer> {
    const prefixes = args
      .filter((line) => line.startsWith('ref-prefix '))
      .map((line) => line.slice('ref-prefix '.length));
    const isAsked = (name: string): boolean =>
      prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
    const { refs, head } = await this.#served(location);
    const asked = refs.filter(({ name }) => isAsked(name));
    const peeled = args.includes('peel') ? await this.#parts.refs.peeled(location, asked) : new Map<Oid, Oid>();
    const lines: string[] = [];
    if (head !== undefined && isAsked('HEAD')) {
      const target = args.includes('symrefs') ? ` symref-target:${head.branch}` : '';
      if (head.oid !== undefined) lines.push(`${head.oid} HEAD${target}`);
      else if (args.includes('unborn')) lines.push(`unborn HEAD${target}`);
    }
    for (const { name, oid } of asked) {
      const target = peeled.get(oid);
      lines.push(`${oid} ${name}${target === undefined || target === oid ? '' : ` peeled:${target}`}`);
    }
    return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), flushPkt]);
  }

  /** Versions 0 and 1. */
  async #fetch(location: RepositoryLocation, fetch: Fetch, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    if (fetch.wants.length === 0) return once(Buffer.alloc(0));
    const advertised = new Set((await this.#served(location)).refs.map(({ oid }) => oid));
    for (const oid of fetch.wants) if (!advertised.has(oid)) throw new RefusedRequest(`not our ref ${oid}`);
    const { common, isReady } = await this.#negotiate(location, fetch, signal);
    const detailed = fetch.capabilities.has('multi_ack_detailed');
    const several = detailed || fetch.capabilities.has('multi_ack');
    const sections =
      fetch.depth === undefined ? [] : [...(await this.#shallowLines(location, fetch, signal)), flushPkt];
    const last = common.at(-1);
    if (several) sections.push(...common.map((oid) => pktLine(`ACK ${oid} ${detailed ? 'common' : 'continue'}\n`)));
    if (!fetch.isDone) {
      // Only the depth was asked for.
      if (fetch.haves.length === 0 && fetch.depth !== undefined) return once(Buffer.concat(sections));
      if (several && isReady && last !== undefined)
        sections.push(pktLine(`ACK ${last} ${detailed ? 'ready' : 'continue'}\n`));
      if (!several && last !== undefined) sections.push(pktLine(`ACK ${last}\n`));
      else sections.push(pktLine('NAK\n'));
      return once(Buffer.concat(sections));
    }
    sections.push(pktLine(last === undefined ? 'NAK\n' : `ACK ${last}\n`));
    const pack = await this.#pack(location, fetch, signal);
    const size = fetch.capabilities.has('side-band-64k') ? band : fetch.capabilities.has('side-band') ? 995 : 0;
    return answer(Buffer.concat(sections), pack, size, { signal, ...this.#parts.limits });
  }

  async #negotiate(location: RepositoryLocation, { wants, haves }: Fetch, signal: AbortSignal) {
    if (haves.length === 0) return { common: [], isReady: false };
    return await this.#parts.threads.run('negotiate', location, { wants, haves }, { kind: 'transfer', signal });
  }

  async #shallowLines(location: RepositoryLocation, fetch: Fetch, signal: AbortSignal): Promise<readonly Buffer[]> {
    if (fetch.depth === undefined) return [];
    const request = this.#requestOf(fetch, []);
    const { shallow, unshallow } = await this.#parts.threads.run('shallowInfo', location, request, {
      kind: 'transfer',
      signal,
    });
    return [
      ...shallow.map((oid) => pktLine(`shallow ${oid}\n`)),
      ...unshallow.map((oid) => pktLine(`unshallow ${oid}\n`)),
    ];
  }

  #requestOf({ wants, haves, shallow, depth, filter }: Fetch, tags: FetchRequest['tags']): FetchRequest {
    return { wants, haves, shallow, depth, filter, tags };
  }

  async #pack(location: RepositoryLocation, fetch: Fetch, signal: AbortSignal): Promise<Spooled> {
    const tags: (readonly [Oid, Oid])[] = [];
    if (fetch.capabilities.has('include-tag')) {
      const served = (await this.#served(location)).refs.filter(({ name }) => name.startsWith('refs/tags/'));
      const peeled = await this.#parts.refs.peeled(location, served);
      for (const { oid } of served) {
        const target = peeled.get(oid);
        if (target !== undefined && target !== oid) tags.push([oid, target]);
      }
    }
    const request = { ...this.#requestOf(fetch, tags), folder: spoolOf(this.#parts.root) };
    return await this.#parts.threads.run('fetchPack', location, request, { kind: 'transfer', signal }, release);
  }
}

const tooSlow = (): Unavailable => new Unavailable('The clone was given up: the request came too slowly');

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/**
 * The head, then the pack: in side-band packets of this size, or unframed if the size is 0. The file is closed also if
 * it is never read.
 */
function answer(
  head: Buffer,
  pack: Spooled,
  size: number,
  { signal, idleSeconds }: { readonly signal: AbortSignal; readonly idleSeconds: number },
): AsyncIterableIterator<Uint8Array> {
  const bytes = spooledBytes(pack, { signal, idleSeconds });
  let state: 'head' | 'pack' | 'end' = 'head';
  const framed = (chunk: Uint8Array): Buffer => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < chunk.length; at += size) {
      const piece = chunk.subarray(at, at + size);
      pieces.push(
        Buffer.from(`${(piece.length + 5).toString(16).padStart(4, '0')}\u0001`, 'latin1'),
        Buffer.from(piece),
      );
    }
    return Buffer.concat(pieces);
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (state === 'head') {
        state = 'pack';
        return { done: false, value: head };
      }
      if (state === 'end') return { done: true, value: undefined };
      const chunk = await bytes.next();
      if (chunk.done !== true) return size === 0 ? chunk : { done: false, value: framed(chunk.value) };
      state = 'end';
      return size === 0 ? { done: true, value: undefined } : { done: false, value: flushPkt };
    },
    async return() {
      state = 'end';
      await bytes.return?.();
      return { done: true, value: undefined };
    },
  };
}
