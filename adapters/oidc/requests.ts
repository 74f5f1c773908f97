// Requests to providers: with limits of time and size, without redirects, and over https.
import type { FetchBody } from 'openid-client';
import { endpointMisfit } from './addresses.ts';
import { Fault } from './faults.ts';

/** Bytes of an answer after decompression. Parsing the worst JSON of this size takes less than 50 ms. */
export const mostBytes = 256 * 1024;

export interface RequestOptions {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: FetchBody;
}

export interface RequestLimits {
  /** Whether the provider is on the loopback interface, where http is allowed. */
  readonly loopback: boolean;
  /** Aborts the request, also while the answer arrives. */
  readonly signal: AbortSignal;
}

/** Statuses whose answers have no body (Fetch, "null body status"). */
const withoutBody = new Set([204, 205, 304]);

/**
 * The answer to a request, completely received. Of its headers only the content type remains.
 * @throws {Fault} `unavailable`, also for redirects and the statuses 429 and 5xx.
 */
export async function request(url: string, options: RequestOptions, limits: RequestLimits): Promise<Response> {
  const misfit = endpointMisfit(url, limits.loopback);
  if (misfit !== undefined) throw new Fault('unavailable', `one of its addresses ${misfit}`);
  const { host } = new URL(url);
  const { method = 'GET', headers = {} } = options;
  const body = (options.body ?? null) as BodyInit | null;
  try {
    const answer = await fetch(url, { method, headers, body, redirect: 'manual', signal: limits.signal });
    const { status } = answer;
    if ((status >= 300 && status < 400) || status === 429 || status >= 500) {
      await answer.body?.cancel();
      throw new Fault('unavailable', `${host} answered with status ${status}`);
    }
    const bytes = await received(answer);
    if (bytes === undefined) throw new Fault('unavailable', `${host} answered with more than ${mostBytes} bytes`);
    const type = answer.headers.get('content-type');
    return new Response(withoutBody.has(status) ? null : bytes, {
      status,
      headers: type === null ? {} : { 'content-type': type },
    });
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('unavailable', `${host} ${limits.signal.aborted ? 'did not answer in time' : failed(error)}`);
  }
}

/** Undefined if there are too many bytes. */
async function received({ body }: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let bytes = new Uint8Array(16_384);
  let size = 0;
  // Ending the loop early cancels the stream.
  for await (const piece of body ?? []) {
    const end = size + piece.byteLength;
    if (end > mostBytes) return undefined;
    // A hostile answer may arrive byte by byte, so the pieces are not kept.
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * bytes.length));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(piece, size);
    size = end;
  }
  return bytes.subarray(0, size);
}

function failed(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? `cannot be reached (${cause.code})` : 'cannot be reached';
}

/** @throws {Fault} of this kind, if the answer is not a JSON object. */
export async function jsonObject(answer: Response, kind: Fault['kind']): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await answer.json().catch(() => undefined);
  if (!isObject(value)) throw new Fault(kind, 'an answer is not a JSON object');
  return value;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
