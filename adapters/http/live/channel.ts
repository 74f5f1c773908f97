// The channel descriptor: what a plugin says of one kind of live updates, which clients follow over a WebSocket.
import type Joi from 'joi';
import type { AccessRule, CallOf, GrantOf } from '#core/kernel/access';
import type { EventOf, EventType } from '#core/kernel/events';
import type { Meter } from '#core/kernel/rate';
import type { ScopeName } from '#core/kernel/scopes';
import { paramsOf, type PathParams } from '../route.ts';

/** What followers are told of one event. */
export interface ChannelMessage {
  /** Who hears it: those for whom `follow` answered the same. */
  readonly of: string;
  /** Such as `bell.rung`. */
  readonly type: string;
  /** Plain JSON that whoever may follow may read, at most 16 KiB of it. */
  readonly data: object;
}

/** One channel of live updates, as `channel` takes it. */
export interface ChannelSpec<P, A extends AccessRule, T extends EventType, Path extends string = string> {
  /** Unique among the channels of all plugins, camelCase: `bellLive`. */
  readonly id: string;
  readonly summary: string;
  /** Under `/ws/x/<plugin>`; under `/ws` for plugins that may put routes anywhere. As of a route otherwise. */
  readonly path: Path;
  /** Decided when a connection is opened, and again before every message and while it lasts. */
  readonly access: A;
  /** The row of the scope catalogue that a token must satisfy; null where any credential will do. */
  readonly scope: ScopeName | null;
  /** Charged when a connection is opened. Default `api.read`. */
  readonly meter?: Meter;
  /** Default: every parameter that the path names is text that is not empty, and `{id}` a uuid. */
  readonly params?: Joi.ObjectSchema<P>;
  /** The events that followers are told of. */
  readonly follows: readonly T[];
  /**
   * Names what the caller follows, such as its id.
   * @throws {NotFound} where it is not there.
   */
  follow(call: CallOf<A>, input: { readonly params: P; readonly granted: GrantOf<A> }): Promise<string> | string;
  /** What an event says, and to whom; undefined where it says nothing. Asked on every process, once for each event. */
  message(event: EventOf<T>): ChannelMessage | undefined;
}

/** A channel whose types have done their work, with its defaults. */
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
  /** Of a plugin from outside: its `follow` has its time. */
  readonly outside?: boolean;
}
