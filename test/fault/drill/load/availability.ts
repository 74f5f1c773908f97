// The longest time without an answer, measured by a small request that is repeated during the whole round.
import type { Client } from './client.ts';
import { pause } from '../scenario.ts';

const everyMs = 50;
const patienceMs = 2000;

export class Availability {
  /** The longest time without an answer, in milliseconds. */
  longest = 0;
  /** Set while the server is stopped on purpose; this time is not counted. */
  resting = false;
  #client: Client | undefined;
  #running: Promise<void> | undefined;

  /** Watches one forge until the next call. */
  watch(client: Client): void {
    this.#client = client;
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#client = undefined;
    await this.#running;
    this.#running = undefined;
  }

  async #run(): Promise<void> {
    let last = performance.now();
    for (let client = this.#client; client !== undefined; client = this.#client) {
      const answered = await fetch(`${client.url()}/api/v1/auth/me`, {
        headers: { authorization: `Bearer ${client.token}` },
        signal: AbortSignal.timeout(patienceMs),
      })
        .then(async (response) => (await response.text()) !== '' && response.status === 200)
        .catch(() => false);
      const now = performance.now();
      if (answered) this.longest = Math.max(this.longest, now - last);
      if (answered || this.resting) last = now;
      await pause(everyMs);
    }
    this.longest = Math.max(this.longest, performance.now() - last);
  }
}
