// A closed-loop HTTP load from a thread of its own: N connections, each sending its next request when the last is
// answered.
import http from 'node:http';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Rejects when any answer is not 200: a fast refusal is no result. */
export function load(options: LoadOptions): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** The median time of one request after another on one connection, in milliseconds. */
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

function request(url: string, headers: Readonly<Record<string, string>>, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = http.get(url, { headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume();
      response.once('end', resolve);
    });
    outgoing.once('error', reject);
  });
}

async function run({ url, headers, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        const before = performance.now();
        await request(url, headers, agent);
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
