// Generates a closed-loop HTTP load in a worker thread: each of N connections sends its next request when the last is
// answered.
import http from 'node:http';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

export type LoadOptions = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
} & (
  | { readonly seconds: number }
  /** Request bodies, each posted once. */
  | { readonly bodies: readonly string[] }
);

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Rejects if any status is not 200, because a fast refusal is not a result. */
export function load(options: LoadOptions): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** The median time in milliseconds of sequential requests on one connection. */
export async function latency(
  url: string,
  headers: Readonly<Record<string, string>>,
  requests: number,
): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let index = 0; index < requests; index++) {
    const start = performance.now();
    await request(url, headers, agent);
    times.push(performance.now() - start);
  }
  agent.destroy();
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function request(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: http.Agent,
  body?: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = http.request(url, { method, headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume();
      response.once('end', resolve);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** The body of each request in order; undefined for a GET. */
function* sent(options: LoadOptions): Generator<string | undefined, void> {
  if ('bodies' in options) yield* options.bodies;
  else for (const end = performance.now() + options.seconds * 1000; performance.now() < end;) yield undefined;
}

async function run(options: LoadOptions): Promise<LoadResult> {
  const { url, headers, connections } = options;
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const start = performance.now();
  const shared = sent(options);
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const body of shared) {
        const before = performance.now();
        await request(url, headers, agent, body);
        times.push(performance.now() - before);
      }
    }),
  );
  const elapsed = (performance.now() - start) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { requestsPerSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99) };
}

if (!isMainThread) parentPort?.postMessage(await run(workerData as LoadOptions));
