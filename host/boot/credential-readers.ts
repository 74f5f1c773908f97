// Wraps the credential readers of external plugins: limits their time, validates their answers, and takes the account's
// rights from the forge instead of the plugin.
import Joi from 'joi';
import { maybe, oneOf, shape, uuid, word } from '#adapters/http/descriptor/shape';
import { silentMessages } from '#adapters/http/descriptor/validation';
import type { AccountStanding, CredentialReader } from '#core/kernel/access/credentials';
import { Unavailable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { Provided } from './container.ts';
import { within } from '../problems/deadline.ts';
import { reasonOf } from '../problems/thrown.ts';

type Answer = NonNullable<Awaited<ReturnType<CredentialReader['read']>>>;

/** The time limit in milliseconds. A reader is called for every request that carries such a token. */
const timeLimit = 10_000;

const longest = 1024;
const name = () => word().max(longest);
const answerShape = shape({
  id: uuid(),
  credential: shape({
    kind: oneOf('session', 'pat', 'oauth', 'password'),
    id: name(),
    scopes: Joi.alternatives(Joi.valid('all'), Joi.array().items(name()).max(longest)),
    audience: maybe(name()),
  }),
});

export interface ReaderParts {
  readonly readers: () => readonly CredentialReader[];
  /** The same readers, each with its plugin. */
  readonly provided: () => readonly Provided<CredentialReader>[];
  readonly isOutside: (plugin: string) => boolean;
  /** Undefined if no plugin keeps accounts; then no token of an external plugin is accepted. */
  readonly standing: () => AccountStanding | undefined;
  readonly log: Log;
}

/** The wrapped readers, cached until the providers change, because they are read for every request. */
export function credentialReaders(parts: ReaderParts): () => readonly CredentialReader[] {
  let of: readonly CredentialReader[] | undefined;
  let held: readonly CredentialReader[] = [];
  return () => {
    const now = parts.readers();
    if (now !== of) {
      of = now;
      held = parts
        .provided()
        .map(({ plugin, provided }) => (parts.isOutside(plugin) ? heldReader(plugin, provided, parts) : provided));
    }
    return held;
  };
}

function heldReader(plugin: string, reader: CredentialReader, { standing, log }: ReaderParts): CredentialReader {
  /** @throws {Unavailable} naming the reader's plugin, rather than the plugin of the requested route. */
  const ask = async (work: () => Promise<unknown>): Promise<Answer | undefined> => {
    try {
      const answer = await within(timeLimit, 'its reading of a token', work);
      return answer === undefined ? undefined : userOf(answer);
    } catch (error) {
      log.warn({ plugin, reason: reasonOf(error) }, 'a credential reader gave no valid answer');
      throw new Unavailable(`The credential reader of plugin "${plugin}" is not available`, {
        detail: 'Try again later, or ask an administrator of this instance',
      });
    }
  };
  const believed = async (work: () => Promise<unknown>): Promise<Answer | undefined> => {
    const answer = await ask(work);
    const account = answer && (await standing()?.of(answer.id));
    if (answer === undefined || account === undefined) return undefined;
    const { unchanged } = answer;
    return {
      ...account,
      credential: answer.credential,
      ...(unchanged !== undefined && { unchanged: (now: Date) => believed(async () => unchanged(now)) }),
    };
  };
  return { prefix: reader.prefix, read: (token, now) => believed(async () => reader.read(token, now)) };
}

/** Validates an answer. @throws {Error} with the fault, but without a value of the answer. */
function userOf(answer: unknown): Answer {
  const { error, value } = answerShape.validate(answer, {
    convert: false,
    stripUnknown: true,
    messages: silentMessages,
  });
  const unchanged: unknown = Reflect.get(Object(answer), 'unchanged');
  const fault =
    error?.message ??
    (unchanged === undefined || typeof unchanged === 'function' ? undefined : '"unchanged" must be a function');
  if (fault !== undefined)
    throw new Error(`What it answered is nobody: ${fault}. It is { id, credential }, or undefined`);
  return { ...value, ...(unchanged !== undefined && { unchanged }) } as unknown as Answer;
}
