// The HTTP client of the suites: plain fetch that checks every answer against the OpenAPI document.
import type { Contract } from './openapi.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body of a JSON answer, else undefined. */
  readonly body: unknown;
  readonly text: string;
  /** The raw body. */
  readonly bytes: Uint8Array;
}

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged; `headers` must contain the content type. */
  readonly raw?: string | Uint8Array;
}

export class Client {
  readonly #url: string;
  readonly #contract: Contract;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, contract: Contract, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#contract = contract;
    this.#headers = headers;
  }

  /** The same client with additional headers. */
  with(headers: Readonly<Record<string, string>>): Client {
    return new Client(this.#url, this.#contract, { ...this.#headers, ...headers });
  }

  /** `path` is relative to the server's root: `/api/v1/repos`. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers: Record<string, string> = { ...this.#headers, ...options.headers };
    const init: RequestInit = { method, headers, redirect: 'manual' };
    if (options.raw !== undefined) init.body = typeof options.raw === 'string' ? options.raw : Buffer.from(options.raw);
    else if (options.body !== undefined) {
      init.body = JSON.stringify(options.body);
      headers['content-type'] ??= 'application/json';
    }
    const response = await fetch(new URL(path, this.#url), init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const isJson = /^application\/(?:[\w.+-]+\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
      text,
      bytes,
    };
    this.#contract.hold(method, path, answer);
    return answer;
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('GET', path, options);
  }

  post(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('POST', path, options);
  }

  put(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('PUT', path, options);
  }

  patch(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('PATCH', path, options);
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('DELETE', path, options);
  }
}
