// A client that keeps the cookies of each origin, as browsers do, and follows no redirect by itself.
import type { Contract } from './openapi.ts';

export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #forge: { readonly url: string; readonly contract: Contract } | undefined;

  /** @param forge its answers are checked against its OpenAPI document, unless a page was asked for. */
  constructor(forge?: { readonly url: string; readonly contract: Contract }) {
    this.#forge = forge;
  }

  /** The value of a cookie of the origin of a URL. */
  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).origin)?.get(name);
  }

  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send(url, { headers });
  }

  async send(url: string, { headers, ...rest }: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const sent = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      ...rest,
      headers: { ...(sent !== '' && { cookie: sent }), ...headers },
    });
    this.keep(url, answer.headers.getSetCookie());
    if (this.#forge?.url === origin && !(headers?.['accept'] ?? '').includes('text/html'))
      await this.#hold(this.#forge.contract, rest.method ?? 'GET', url, answer.clone());
    return answer;
  }

  async #hold(contract: Contract, method: string, url: string, answer: Response): Promise<void> {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    contract.hold(method, new URL(url).pathname, { status: answer.status, headers: answer.headers, body, text, bytes });
  }

  /** Keeps the cookies of an answer that another client received. */
  keep(url: string, lines: readonly string[]): void {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  }

  /** Follows redirects until a URL begins with `until`, which is not requested. @returns that URL. */
  async follow(url: string, until: string): Promise<string> {
    let next = url;
    for (let count = 0; count < 20 && !next.startsWith(until); count += 1) {
      const answer = await this.get(next);
      await answer.body?.cancel();
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${next} answers ${answer.status} and leads nowhere`);
      next = new URL(location, next).href;
    }
    return next;
  }
}
