// A session: a family of refresh tokens and the short-lived access tokens issued from them, all ended together.
import type { Ids } from '#core/kernel/time';
import { randomBase62 } from './base62.ts';

/** A session: what a sign-in began, until it ends or expires. */
export interface Session {
  /** The `sid` of its access tokens. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** Moved forward by each refresh. */
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

/** How long each half lives, in seconds. */
export interface SessionLifetimes {
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
}

/** 43 characters of base62: 256 bits. */
export const mintRefreshToken = (ids: Ids): string => randomBase62(ids, 43);

/** Whether a string has the form of a refresh token: what has not is not looked up. */
export const isRefreshToken = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);

/** An instant so many seconds after another. */
export const secondsAfter = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
