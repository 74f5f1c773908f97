// Sends a browser to the next step of a sign-in by redirect.
import type { BrowserStep } from '#core/kernel/access/sign-in-flows';
import { reply, type Reply } from './route.ts';

/** The URL of the request may have a code, so it is neither cached nor sent to other pages. */
const guarded = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

/**
 * A redirect with the cookies of a step.
 * @param status 302 for the way to the provider, 303 for the way back.
 */
export const sendTo = ({ location, cookies }: BrowserStep, status: 302 | 303): Reply<undefined> =>
  reply(undefined, { status, headers: { ...guarded, location }, cookies });
