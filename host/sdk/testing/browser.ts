// The browser of a test host: keeps cookies, follows redirects, fills in forms and sends what a browser sends.
import type { Answer, Client } from './client.ts';

/** The most redirects that are followed for one page, as in browsers. */
const mostRedirects = 20;

/** A page as a browser shows it. */
export interface Page extends Answer {
  /** The address after all redirects, from the root of the server, with its query. */
  readonly path: string;
  readonly html: string;
  readonly forms: readonly Form[];
}

/** A form of a page. */
export interface Form {
  readonly method: 'GET' | 'POST';
  /** From the root of the server. */
  readonly action: string;
  /** The values that are sent if nobody changes them, by the names of the fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** The named buttons, by their names. */
  readonly buttons: readonly { readonly name: string; readonly value: string }[];
}

interface StoredCookie {
  readonly value: string;
  readonly path: string;
}

/** Opens pages of one forge. Every browser has its own cookies. */
export class Browser {
  readonly #url: string;
  readonly #client: Client;
  readonly #begin: ((browser: Browser) => Promise<void>) | undefined;
  readonly #cookies = new Map<string, StoredCookie>();
  #began: Promise<void> | undefined;

  /** @param begin called before the first page, to sign in. */
  constructor(url: string, client: Client, begin?: (browser: Browser) => Promise<void>) {
    this.#url = url;
    this.#client = client;
    this.#begin = begin;
  }

  /** The stored cookies by name. */
  get cookies(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#cookies].map(([name, { value }]) => [name, value]));
  }

  /** Opens a page and follows its redirects. @param path from the root of the server, such as `/-/x/bell/`. */
  async open(path: string): Promise<Page> {
    return this.#follow('GET', new URL(path, this.#url));
  }

  /**
   * Sends a form of a page. @param values the fields that the user changes, and the button that the user presses.
   * @throws {Error} if the page has no such form.
   */
  async submit(page: Page, values: Readonly<Record<string, string>> = {}, index = 0): Promise<Page> {
    const form = page.forms[index];
    if (form === undefined)
      throw new Error(`the page ${page.path} has no form ${index + 1}, only ${page.forms.length}`);
    const url = new URL(form.action, this.#url);
    const fields = new URLSearchParams({ ...form.fields, ...values });
    if (form.method === 'POST') return this.#follow('POST', url, fields.toString());
    url.search = fields.toString();
    return this.#follow('GET', url);
  }

  /** Sends one request with the cookies, and stores those of the response. Redirects are not followed. */
  async request(
    method: string,
    url: URL,
    { body, headers = {} }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await this.#client.request(method, url, {
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        ...(method !== 'GET' && { origin: new URL(this.#url).origin }),
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.#store(line);
    return answer;
  }

  async #follow(first: 'GET' | 'POST', from: URL, form?: string): Promise<Page> {
    await (this.#began ??= this.#begin?.(this) ?? Promise.resolve());
    let [method, url, body] = [first, from, form];
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const answer = await this.request(method, url, {
        ...(body !== undefined && { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      });
      const { location } = answer.headers;
      const next = location === undefined ? undefined : new URL(location, url);
      if (answer.status < 300 || answer.status > 399 || next === undefined || next.origin !== new URL(this.#url).origin)
        return pageOf(answer, url);
      // RFC 9110, sections 15.4.2 to 15.4.9: only 307 and 308 keep the method.
      if (answer.status !== 307 && answer.status !== 308) [method, body] = ['GET', undefined];
      url = next;
    }
    throw new Error(`${from.pathname} was redirected more than ${mostRedirects} times`);
  }

  #store(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const attribute = (wanted: string): string | undefined =>
      attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const age = attribute('max-age');
    if (value === '' || (age !== undefined && Number(age) <= 0)) this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path: attribute('path') ?? '/' });
  }
}

function pageOf(answer: Answer, url: URL): Page {
  const html = typeof answer.body === 'string' ? answer.body : '';
  return { ...answer, path: `${url.pathname}${url.search}`, html, forms: formsIn(html, url) };
}

const formsIn = (html: string, url: URL): readonly Form[] =>
  html
    .split(/<form\b/i)
    .slice(1)
    .map((text): Form => {
      const [inner = ''] = text.split(/<\/form>/i, 1);
      const own = attributesOf(inner.slice(0, inner.indexOf('>')));
      const action = new URL(own['action'] ?? '', url);
      return {
        method: own['method']?.toLowerCase() === 'post' ? 'POST' : 'GET',
        action: `${action.pathname}${action.search}`,
        fields: fieldsOf(inner),
        buttons: elementsOf(inner, 'button').flatMap(({ name, value = '' }) =>
          name === undefined ? [] : { name, value },
        ),
      };
    });

type Attributes = Readonly<Record<string, string | undefined>>;

/** The values of inputs, text areas and selections that are sent without a change. */
function fieldsOf(form: string): Readonly<Record<string, string>> {
  const inputs = elementsOf(form, 'input').filter(({ type = 'text', checked }) =>
    ['checkbox', 'radio'].includes(type)
      ? checked !== undefined
      : !['submit', 'button', 'image', 'reset', 'file'].includes(type),
  );
  const areas = tagsOf(form, 'textarea').map(({ attributes, text }) => ({
    ...attributes,
    value: decoded(text.replace(/^\n/, '')),
  }));
  const selections = form
    .split(/<select\b/i)
    .slice(1)
    .map((text) => {
      const [inner = ''] = text.split(/<\/select>/i, 1);
      const options = elementsOf(inner, 'option');
      const chosen = options.find(({ selected }) => selected !== undefined) ?? options[0];
      return { ...attributesOf(inner.slice(0, inner.indexOf('>'))), value: chosen?.['value'] ?? '' };
    });
  return Object.fromEntries(
    [...inputs, ...areas, ...selections].flatMap(({ name, value, type }: Attributes) =>
      name === undefined ? [] : [[name, value ?? (type === 'checkbox' ? 'on' : '')]],
    ),
  );
}

/** The opening tags of this name, each with the text that follows it. */
const tagsOf = (html: string, name: string): readonly { readonly attributes: Attributes; readonly text: string }[] =>
  html.split('<').flatMap((piece) => {
    const end = piece.indexOf('>');
    const tag = piece.slice(0, Math.max(0, end));
    return tag.split(/[\s/]/, 1)[0]?.toLowerCase() === name
      ? { attributes: attributesOf(tag.slice(name.length)), text: piece.slice(end + 1) }
      : [];
  });

const elementsOf = (html: string, name: string): readonly Attributes[] =>
  tagsOf(html, name).map(({ attributes }) => attributes);

const attributesOf = (text: string): Attributes =>
  Object.fromEntries(
    [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      decoded(value),
    ]),
  );

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };
const decoded = (text: string): string =>
  text.replaceAll(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole);
