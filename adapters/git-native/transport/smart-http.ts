// Git's smart HTTP (gitprotocol-http(5)): ref advertisements of both services, and upload-pack for clones and fetches,
// streamed.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { HexforgeError, Internal, Unavailable, ValidationFailed } from '#core/kernel/errors';
import { broughtRefs, mergeRefs, type GitService, type ServeRequest } from '#core/repositories/git/git-backend';
import { byteStream, prefixed, unread, withNext } from '../process/byte-stream.ts';
import { packingConfig, type GitConfig } from '../process/environment.ts';
import type { GitProcess, SpawnOptions } from '../process/git-process.ts';
import { transferTimes } from '../process/limits.ts';
import { Pace } from '../process/pace.ts';
import { CostlyQuestions } from '../process/too-costly.ts';
import { untilAborted } from '#adapters/git-common/waiting/until-aborted';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { FetchAnswer } from './fetch-answer.ts';
import type { TransferParts } from './large-transfers.ts';
import { flushPkt, pktLine } from '#adapters/git-common/transport/pkt-line';
import { RequestHeads, type RequestHead } from './request-heads.ts';
import { shortLines } from './short-lines.ts';
import { WithParts } from '../with-parts.ts';

/** An object that no visible ref leads to is not sent to a client that merely names its oid. */
export const uploadConfig: GitConfig = {
  ...packingConfig,
  'uploadpack.allowFilter': 'true',
  // The filters that partial clones use. Others are expensive for few bytes: patterns for each tree, or thousands of
  // filters at once.
  'uploadpackfilter.allow': 'false',
  'uploadpackfilter.blob:none.allow': 'true',
  'uploadpackfilter.blob:limit.allow': 'true',
  'uploadpackfilter.tree.allow': 'true',
  'uploadpackfilter.tree.maxDepth': '16',
  'uploadpack.allowAnySHA1InWant': 'false',
  'uploadpack.allowTipSHA1InWant': 'false',
  'uploadpack.allowReachableSHA1InWant': 'false',
  'uploadpack.hideRefs': broughtRefs,
};

/**
 * The refs of merge requests are not advertised for pushes, because there may be very many. The judge rejects pushes to
 * them.
 */
const unadvertised: GitConfig = { 'receive.hideRefs': mergeRefs };

/** Limits and checks of a push. */
export function receiveConfig(pushBytes: number): GitConfig {
  return {
    'receive.fsckObjects': 'true',
    // Many public histories contain these three defects.
    'receive.fsck.zeroPaddedFilemode': 'warn',
    'receive.fsck.missingSpaceBeforeDate': 'warn',
    'receive.fsck.badTimezone': 'warn',
    // The judge decides which branch may be deleted.
    'receive.denyDeleteCurrent': 'ignore',
    'receive.autogc': 'false',
    'receive.advertisePushOptions': 'false',
    'receive.advertiseAtomic': 'true',
    'receive.maxInputSize': String(pushBytes),
    // Every push stays a pack: two synced files and one folder instead of one of each per object.
    'receive.unpackLimit': '1',
  };
}

/** Only known values of the `Git-Protocol` header are passed to git. receive-pack does not support version 2. */
export function protocolVariable(service: GitService, header: string | undefined): Readonly<Record<string, string>> {
  const known = service === 'git-upload-pack' ? /^version=[012]$/ : /^version=[01]$/;
  return header !== undefined && known.test(header) ? { GIT_PROTOCOL: header } : {};
}

interface Serving {
  /** Bytes sent before the output of git. */
  readonly head?: Uint8Array;
  readonly began?: (process: GitProcess) => void;
  /** Called with the error that broke off an answer. */
  readonly brokeOff?: (error: unknown) => void;
}

export class SmartHttp extends WithParts<TransferParts> {
  readonly #costly = new CostlyQuestions();
  readonly #heads = new RequestHeads();

  async advertise(
    location: RepositoryLocation,
    request: { readonly service: GitService; readonly protocol: string | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>> {
    const { service, signal } = request;
    const variables = protocolVariable(service, request.protocol);
    const config =
      service === 'git-upload-pack' ? uploadConfig : { ...receiveConfig(this.parts.limits.pushBytes), ...unadvertised };
    // gitprotocol-http(5): version 2 has no service header.
    const head =
      variables['GIT_PROTOCOL'] === 'version=2'
        ? undefined
        : Buffer.concat([pktLine(`# service=${service}\n`), flushPkt]);
    return await this.#serve(
      location,
      [service.slice('git-'.length), '--stateless-rpc', '--http-backend-info-refs', location.directory],
      { config, environment: variables, signal, input: '' },
      { ...(head !== undefined && { head }) },
    );
  }

  async uploadPack(location: RepositoryLocation, request: ServeRequest): Promise<AsyncIterable<Uint8Array>> {
    const options = {
      config: uploadConfig,
      environment: protocolVariable('git-upload-pack', request.protocol),
      signal: request.signal,
    };
    const body = shortLines(untilAborted(request.body[Symbol.asyncIterator](), request.signal));
    // Read before a slot is taken, so that a client that does not send its request does not keep others from cloning.
    const head = await this.#heads.read(body);
    try {
      const question = this.#question(location, request, head.chunks);
      return await this.#costly.ask(question, () => this.#fetch(location, options, { body, head, question }));
    } finally {
      head.release();
    }
  }

  async #fetch(
    location: RepositoryLocation,
    options: SpawnOptions & { readonly signal: AbortSignal },
    request: { readonly body: AsyncIterator<Uint8Array>; readonly head: RequestHead; readonly question: string },
  ): Promise<AsyncIterable<Uint8Array>> {
    const { body, head, question } = request;
    let broken: unknown;
    const large = await this.parts.largeTransfer(location, options.signal);
    try {
      return await this.#serve(location, ['upload-pack', '--stateless-rpc', location.directory], options, {
        began: (process) => {
          void process.ended.then(large);
          const pace = new Pace(this.parts.limits.leastRate, () => void process.stop(slowRequest));
          feed(process, body, { head: head.chunks, pace }).catch((error: unknown) => {
            broken = error;
            void process.stop('the request broke off');
          });
        },
        brokeOff: (error) => this.#costly.remember(question, error),
      });
    } catch (error) {
      large();
      throw broken instanceof ValidationFailed ? broken : error;
    }
  }

  /**
   * Identifies the same request of the same caller: whether it is ended for its memory depends on the caller's other
   * requests.
   */
  #question(location: RepositoryLocation, { protocol = '' }: ServeRequest, chunks: readonly Uint8Array[]): string {
    const hash = createHash('sha256');
    for (const chunk of chunks) hash.update(chunk);
    return [location.id, this.parts.caller?.() ?? '', protocol, hash.digest('hex')].join(' ');
  }

  async #serve(
    location: RepositoryLocation,
    args: readonly string[],
    options: SpawnOptions,
    { head, began, brokeOff = () => undefined }: Serving,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { limits, processes, transfers, log } = this.parts;
    // Advertisements take one too, so that a slow reader of a long one does not keep the slot of a short read.
    // The process has no directory, so that `stopIn` does not find it: if the repository is removed, admitted clients
    // are served to the end from files that are open. Clients hang on a pack that is cut off.
    const start = () => processes.start(args, { ...options, ...transferTimes(limits), budget: 'transfers' });
    const process = await transfers.start(start, options.signal);
    began?.(process);
    const answer = new FetchAnswer();
    const { leastRate } = limits;
    const stream = byteStream(process, { leastRate, moves: (bytes) => answer.follow(bytes) });
    // Waits for the first bytes, so that a failure can still be returned as an error.
    const first = await stream.next().catch((error: unknown) => {
      throw process.stopped === slowRequest ? new Unavailable(`The clone was given up: ${slowRequest}`) : error;
    });
    const { code } = first.done === true ? await process.ended : { code: 0 };
    if (code !== 0) {
      if (isNonsense(process.stderr))
        throw new ValidationFailed('The body is not what a git client sends', {
          detail: "body: it must be a request of git's protocol",
        });
      log.error({ repository: location.id, git: args[0], stderr: process.stderr }, 'git could not serve a repository');
      throw new Internal(`git ${args[0] ?? ''} failed in repository "${location.id}"`, { detail: process.stderr });
    }
    const told = endingInWords(stream, (error) => {
      brokeOff(error);
      // No message for a client that does not read, or whose request was aborted.
      return process.stopped === unread || options.signal?.aborted === true
        ? undefined
        : answer.ending(error instanceof HexforgeError ? error.message : 'the answer broke off');
    });
    return prefixed([...(head === undefined ? [] : [head]), ...(first.done === true ? [] : [first.value])], told);
  }
}

/**
 * The messages of git for a request that violates the protocol, ends early, or has a filter or other argument that git
 * cannot parse.
 */
const nonsense: readonly RegExp[] = [
  /^(?:protocol error|the remote end hung up unexpectedly|unexpected line|expected )/i,
  /^(?:no command requested|multiple filter-specs|sparse:path filters|ambiguous deepen-not)/i,
  /^invalid (?:command|deepen|filter-spec|shallow line)/i,
  /^(?:unknown (?:capability|object format)|mismatched object format)/i,
  /^must escape char in sub-filter-spec/i,
  /^command '[^']*' requested after/i,
  /^'[^']*' for 'object:type=/i,
];

/** Whether the first line of standard error is such a message. */
function isNonsense(stderr: string): boolean {
  const said = /^fatal: (?:git upload-pack: )?([^\n]*)/.exec(stderr)?.[1];
  return said !== undefined && nonsense.some((each) => each.test(said));
}

/** A stream that ends with an error message instead of a failure, if one can still be sent. */
function endingInWords(
  stream: AsyncIterableIterator<Uint8Array>,
  ending: (error: unknown) => Uint8Array | undefined,
): AsyncIterableIterator<Uint8Array> {
  let ended = false;
  return withNext(stream, async () => {
    if (ended) return { done: true, value: undefined };
    try {
      return await stream.next();
    } catch (error) {
      const value = ending(error);
      if (value === undefined) throw error;
      ended = true;
      return { done: false, value };
    }
  });
}

/** The message for a client that keeps a slot but sends too slowly. */
export const slowRequest = 'the request came too slowly';

/**
 * Writes a request's body to a process. After the process has stopped reading, the rest is read and dropped, so that
 * its answer can be sent.
 */
export async function feed(
  process: GitProcess,
  body: AsyncIterator<Uint8Array>,
  { head, pace }: { readonly head: readonly Uint8Array[]; readonly pace: Pace },
): Promise<void> {
  const next = async (): Promise<Uint8Array | undefined> => {
    pace.waits();
    try {
      const { done, value } = await body.next();
      pace.moved(done === true ? 0 : value.length);
      return done === true ? undefined : value;
    } finally {
      pace.end();
    }
  };
  void process.ended.then(() => pace.end());
  for (const chunk of head) await offer(process, chunk);
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    if (process.stopped === slowRequest) return;
    process.touch();
    await offer(process, chunk);
  }
  process.stdin.end();
}

async function offer(process: GitProcess, chunk: Uint8Array): Promise<void> {
  const { stdin } = process;
  if (!stdin.writable || stdin.write(chunk)) return;
  const over = new AbortController();
  const { signal } = over;
  // Either event may occur; aborting the signal removes the listener of the other one.
  await Promise.race([once(stdin, 'drain', { signal }), once(stdin, 'close', { signal })]).catch(() => undefined);
  over.abort();
}
