// A browser without scripts: cookies, redirects, forms, and the policies of the page with the form.
import type { Answer, Client } from '../clients/client.ts';

interface Cookie {
  readonly value: string;
  readonly path: string;
}

interface Form {
  readonly action: URL;
  /** The values that are already filled in. */
  readonly fields: Readonly<Record<string, string>>;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');

/** Attributes of a tag. An attribute without a value has the empty value. */
const attributes = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tag.matchAll(/\s([a-z_-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, decoded(value)]),
  );

const tags = (html: string, name: string): readonly Readonly<Record<string, string>>[] =>
  [...html.matchAll(/<([a-z]+)((?:\s[^>]*)?)>/g)]
    .filter(([, found]) => found === name)
    .map(([, , rest = '']) => attributes(rest));

/** The visible text, without tags. */
export const readable = (html: string): string =>
  decoded(
    html
      .slice(html.indexOf('<main>'))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

/** The sources of one directive of a content security policy. */
export const policyOf = (answer: Answer, directive: string): readonly string[] | undefined =>
  (answer.headers.get('content-security-policy') ?? '')
    .split('; ')
    .map((line) => line.split(' '))
    .find(([name]) => name === directive)
    ?.slice(1);

export class Browser {
  readonly #client: Client;
  readonly #origin: string;
  readonly #cookies = new Map<string, Cookie>();
  /** The current URL: a page of the instance, or the external URL that it was redirected to. */
  location: URL;
  /** The answer of the current page; undefined outside the instance. */
  #answer: Answer | undefined;
  /** The statuses of the requests since the last navigation began. */
  way: number[] = [];

  constructor(client: Client, url: string) {
    this.#client = client;
    this.#origin = new URL(url).origin;
    this.location = new URL(url);
  }

  get page(): Answer {
    if (this.#answer === undefined) throw new Error(`the browser has left for ${this.location.href}`);
    return this.#answer;
  }

  get text(): string {
    return readable(this.page.text);
  }

  get hasLeft(): boolean {
    return this.location.origin !== this.#origin;
  }

  get links(): readonly string[] {
    return tags(this.page.text, 'a').map(({ href = '' }) => href);
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)?.value;
  }

  /** Follows a link from another site, unless the headers say otherwise. */
  async open(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<this> {
    this.way = [];
    await this.#go('GET', new URL(url, this.#origin), { 'sec-fetch-site': 'cross-site', ...headers });
    return this;
  }

  /** Fills in the form of the page and submits it; `fields` can include a button. */
  async submit(
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<this> {
    const { text, headers: policies } = this.page;
    const policy =
      tags(text, 'meta').find(({ name }) => name === 'referrer')?.['content'] ?? policies.get('referrer-policy');
    const form = this.form();
    this.way = [];
    await this.#go(
      'POST',
      form.action,
      {
        // Fetch standard, "append a request Origin header".
        origin: policy === 'no-referrer' ? 'null' : this.#origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      {
        raw: new URLSearchParams({ ...form.fields, ...fields }).toString(),
        allowed: policyOf(this.page, 'form-action'),
      },
    );
    return this;
  }

  form(): Form {
    const [form] = tags(this.page.text, 'form');
    if (form?.['method'] !== 'post') throw new Error(`the page has no form: ${this.text}`);
    const checked = tags(this.page.text, 'input').filter(
      ({ type, checked }) => type === 'hidden' || checked !== undefined,
    );
    return {
      action: new URL(form['action'] ?? '', this.location),
      fields: Object.fromEntries(checked.map(({ name = '', value = 'on' }) => [name, value])),
    };
  }

  async #go(
    method: 'GET' | 'POST',
    url: URL,
    headers: Readonly<Record<string, string>>,
    form: { readonly raw?: string; readonly allowed?: readonly string[] | undefined } = {},
  ): Promise<void> {
    const { raw, allowed } = form;
    if (allowed !== undefined && !this.#isAllowed(url, allowed))
      throw new Error(`form-action ${allowed.join(' ')} does not let a form lead to ${url.origin}`);
    if (this.way.length > 10) throw new Error(`going round in circles at ${url.href}`);
    this.location = url;
    this.#answer = undefined;
    if (this.hasLeft) return;
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => path === '/' || url.pathname === path || url.pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await this.#client.request(method, url.pathname + url.search, {
      ...(raw !== undefined && { raw }),
      headers: { 'sec-fetch-dest': 'document', ...headers, ...(cookie !== '' && { cookie }) },
    });
    this.way.push(answer.status);
    this.#keep(answer);
    const { origin: _origin, 'content-type': _type, ...same } = headers;
    const to = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    // Some browsers apply the form-action policy also to redirects after a form (CSP 3, form-action, note on
    // redirects).
    if (to !== null) return this.#go('GET', new URL(to, url), same, allowed === undefined ? {} : { allowed });
    const [, next] = /^0; url=(.*)$/.exec(answer.headers.get('refresh') ?? '') ?? [];
    if (next !== undefined) return this.#go('GET', new URL(next, url), { 'sec-fetch-site': 'same-origin' });
    this.#answer = answer;
  }

  #isAllowed(url: URL, sources: readonly string[]): boolean {
    return sources.some((source) =>
      source === "'self'" ? url.origin === this.#origin : source === url.origin || source === url.protocol,
    );
  }

  #keep(answer: Answer): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...rest] = line.split('; ');
      const equals = pair.indexOf('=');
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
      const path = rest.find((part) => part.startsWith('Path='))?.slice(5) ?? '/';
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
  }
}
