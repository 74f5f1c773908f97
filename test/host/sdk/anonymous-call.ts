// A call without a credential, for providers that are tested outside of a request.
import { anonymous, type Call } from '#core/kernel/caller';

export const anonymousCall = (now: Date): Call => ({
  caller: anonymous,
  requestId: 'r',
  ip: '127.0.0.1',
  userAgent: '',
  signal: new AbortController().signal,
  now,
  renew: () => Promise.reject(new Error('unused')),
});
