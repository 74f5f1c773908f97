// A push made by the server itself: one ref and a pack, sent to receive-pack as a client would send them, so that the
// same checks apply as to any push.
import type { RefUpdate } from '#core/repositories/git/git-backend';
import type { PushHooks } from '#core/repositories/git/git-history';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { flushPkt, lineOf, pktLine, PktLineParser } from '#adapters/git-common/transport/pkt-line';
import type { ReceivePack } from './receive-pack.ts';

/**
 * @returns why the ref did not move, in git's words; undefined if it moved.
 * @throws {HexforgeError} if the reason is a fault of the server.
 */
export async function ownPush(
  receivePack: ReceivePack,
  location: RepositoryLocation,
  update: RefUpdate,
  pack: AsyncIterable<Uint8Array>,
  hooks: PushHooks,
): Promise<string | undefined> {
  const broken: unknown[] = [];
  const answer = await receivePack.receive(location, {
    ...hooks,
    service: 'git-receive-pack',
    protocol: undefined,
    body: pushBody(update, pack, (error) => broken.push(error)),
  });
  const refusal = await refusalIn(answer, update.ref);
  if (refusal !== undefined && broken.length > 0) throw broken[0];
  // In this case git's message does not describe the change.
  if (refusal !== undefined && answer.fault !== undefined) throw answer.fault;
  return refusal;
}

/** The request body, as in gitprotocol-pack(5), "Reference Update Request". */
async function* pushBody(
  { ref, old, new: next }: RefUpdate,
  pack: AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([pktLine(`${old} ${next} ${ref}\0report-status\n`), flushPkt]);
  try {
    yield* pack;
  } catch (error) {
    failed(error);
    throw error;
  }
}

/** The reason in the report why the ref did not move; undefined if it moved. */
async function refusalIn(answer: AsyncIterable<Uint8Array>, ref: string): Promise<string | undefined> {
  const parser = new PktLineParser();
  let unpacked: string | undefined;
  let refusal: string | undefined = 'git said nothing of it';
  for await (const chunk of answer) {
    for (const found of parser.parse(chunk)) {
      const line = found.kind === 'data' ? lineOf(found) : '';
      if (line.startsWith('unpack ') && line !== 'unpack ok') unpacked = line.slice('unpack '.length);
      if (line === `ok ${ref}`) refusal = undefined;
      if (line.startsWith(`ng ${ref} `)) refusal = line.slice(`ng ${ref} `.length);
    }
  }
  return refusal === undefined ? undefined : (unpacked ?? refusal);
}
