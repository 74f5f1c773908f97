// The HTTP client of a test host: sends requests as one user, over a real connection.
import { request, type Agent, type IncomingHttpHeaders } from 'node:http';

/** The options of a request. */
export interface RequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged, instead of `json`. Its content type belongs in `headers`. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to a request, whatever its status. */
export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The parsed value if the body is JSON, otherwise a string; undefined if it is empty. */
  readonly body: unknown;
  /** The raw body. */
  readonly bytes: Uint8Array;
}

/** The headers that authenticate the user, made for the first request. */
type Credential = () => Promise<Readonly<Record<string, string>>>;

/**
 * Paths are relative to `/api/v1`, such as `/x/bell/rings`. A path that starts with `/api/` and a `URL` are used
 * unchanged.
 */
export class Client {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #credential: Credential;

  constructor(url: string, agent: Agent, credential: Credential = async () => ({})) {
    this.#url = url;
    this.#agent = agent;
    this.#credential = credential;
  }

  async request(method: string, path: string | URL, options: RequestOptions = {}): Promise<Answer> {
    const url =
      typeof path === 'string' ? new URL(path.startsWith('/api/') ? path : `/api/v1${path}`, this.#url) : path;
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const headers = {
      ...(await this.#credential()),
      ...(options.json !== undefined && { 'content-type': 'application/json' }),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...options.headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const bytes = Buffer.concat(chunks);
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, bytes, body: bodyOf(bytes, received['content-type'] ?? '') });
        });
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  get(path: string | URL, options?: RequestOptions): Promise<Answer> {
    return this.request('GET', path, options);
  }

  post(path: string | URL, options?: RequestOptions): Promise<Answer> {
    return this.request('POST', path, options);
  }

  put(path: string | URL, options?: RequestOptions): Promise<Answer> {
    return this.request('PUT', path, options);
  }

  patch(path: string | URL, options?: RequestOptions): Promise<Answer> {
    return this.request('PATCH', path, options);
  }

  delete(path: string | URL, options?: RequestOptions): Promise<Answer> {
    return this.request('DELETE', path, options);
  }
}

function bodyOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString();
  return /^application\/(?:[\w.+-]+\+)?json\b/.test(type) ? (JSON.parse(text) as unknown) : text;
}
