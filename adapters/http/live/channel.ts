// The channel descriptor: a plugin's declaration of one kind of live updates, which clients follow over a WebSocket.
import type Joi from 'joi';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access/access';
import type { EventOf, EventType } from '#core/kernel/storage/events';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/access/scopes';
import { paramsOf, type PathParams } from '../descriptor/route.ts';

/** The message that followers receive for one event. */
export interface ChannelMessage {
  /** The followers that receive it: those for whom `follow` returned the same value. */
  readonly of: string;
  /** Such as `bell.rung`. */
  readonly type: string;
  /** Plain JSON, at most 16 KiB, that every caller with access to the channel may read. */
  readonly data: object;
}

/** One channel of live updates, as `channel` takes it. */
export interface ChannelSpec<P, A extends AccessRule, T extends EventType, Path extends string = string> {
  /** Unique among the channels of all plugins, camelCase: `bellLive`. */
  readonly id: string;
  readonly summary: string;
  /** Below `/ws/x/<plugin>`, or below `/ws` for plugins that may put routes anywhere. Same syntax as a route's path. */
  readonly path: Path;
  /** Decided when a connection is opened, before every message, and periodically. */
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null if every credential is accepted. */
  readonly scope: ScopeName | null;
  /** Charged when a connection is opened. Default `api.read`. */
  readonly meter?: Meter;
  /** Default: every path parameter is a non-empty text, and `{id}` a uuid. */
  readonly params?: Joi.ObjectSchema<P>;
  /** The events that followers receive. */
  readonly follows: readonly T[];
  /**
   * Names the resource that the caller follows, such as its id.
   * @throws {NotFound} if it does not exist.
   */
  follow(call: CallOf<A>, input: { readonly params: P; readonly granted: GrantOf<A> }): Promise<string> | string;
  /**
   * The message for an event and its followers, or undefined for no message. Called once per event on every process.
   */
  message(event: EventOf<T>): ChannelMessage | undefined;
}

/** A channel with its defaults and without its type parameters. */
export type LiveChannel = Omit<
  ChannelSpec<unknown, AccessRule, EventType>,
  'meter' | 'params' | 'follow' | 'message'
> & {
  readonly meter: Meter;
  readonly params?: Joi.ObjectSchema;
  follow(call: never, input: never): unknown;
  message(event: EventOf): ChannelMessage | undefined;
};

/**
 * Declares one channel of live updates.
 *
 * @example
 *   channels: () => [
 *     channel({
 *       id: 'bellLive',
 *       summary: 'Rings of the bells of a repository',
 *       path: '/{owner}/{repo}/bells',
 *       access: reads('repository', 'repo.read'),
 *       scope: 'repo.read',
 *       follows: ['repository.starred'],
 *       follow: (_call, { granted }) => granted.resource.id,
 *       message: ({ payload }) => ({ of: payload.repository_id, type: 'bell.rung', data: {} }),
 *     }),
 *   ],
 */
export function channel<
  const A extends AccessRule,
  const Path extends string,
  const T extends EventType,
  P = PathParams<Path>,
>(spec: ChannelSpec<P, A, T, Path>): LiveChannel {
  const params = spec.params ?? paramsOf(String(spec.path));
  return {
    ...spec,
    meter: spec.meter ?? 'api.read',
    ...(params !== undefined && { params }),
  } as unknown as LiveChannel;
}

export interface OwnedChannel {
  readonly plugin: string;
  /** With the whole path, from `/ws/`. */
  readonly channel: LiveChannel;
  /** Whether the plugin is from outside: its `follow` has a time limit then. */
  readonly outside?: boolean;
}
