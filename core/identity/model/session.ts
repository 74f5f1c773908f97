// A session: a family of refresh tokens, and the short-lived access tokens issued from them. All end together.
import type { Ids } from '#core/kernel/time';
import { randomBase62 } from './base62.ts';

/** A session, from sign-in until it ends or expires. */
export interface Session {
  /** The `sid` claim of its access tokens. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** Extended by each refresh. */
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

/** Lifetimes of access and refresh tokens, in seconds. */
export interface SessionLifetimes {
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
}

/** 43 characters of base62: 256 bits. */
export const mintRefreshToken = (ids: Ids): string => randomBase62(ids, 43);

/** Whether a string has the format of a refresh token. Other strings are rejected without a query. */
export const isRefreshToken = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);

/** Adds seconds to a time. */
export const secondsAfter = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
