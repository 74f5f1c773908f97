// Makes routes of contributed pages and forms. Without a frame, they do not exist.
import Joi from 'joi';
import { HtmlPage, html, keptView, type KeptTexts } from '#adapters/http/descriptor/html';
import { paramsOf, reply, Reply, type Route } from '#adapters/http/descriptor/route';
import { compile } from '#adapters/http/descriptor/validation';
import type { AccessDecision } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import { failure } from '#adapters/http/descriptor/errors';
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';
import type { PageForm, PageInput, RefusedForm, WebPage } from '../plugin/pages.ts';

const common = { mount: 'root', result: 'html', cookies: true, requires: ['PageFrame'] } as const;
const anyForm = Joi.object().unknown();
const formMaxBytes = 1024 * 1024;
const nothing = new HtmlPage({ title: '', main: html`` });

type Input = PageInput<unknown, unknown, unknown>;
type Run = (call: Call, input: unknown) => unknown;

/** @param page with its whole path, like its forms. */
export function pageRoutes(page: WebPage, access: () => AccessDecision): readonly Route[] {
  const { forms, place: _place, run, params, ...rest } = page;
  const show = (call: Call, input: Input): unknown => (run as Run)(call, input);
  return [
    {
      ...common,
      ...rest,
      ...paramsFor(page.path, params),
      method: 'GET',
      success: 200,
      run: (call: Call, input: Omit<Input, 'refused'>) => show(call, { ...shown(input), refused: undefined }),
    },
    ...forms.map((form) => formRoute(form, { page, show, access })),
  ];
}

/** A schema of all parameters in the whole path; `own` is that of the page's own parameters. */
function paramsFor(path: string, own?: Joi.ObjectSchema): { readonly params?: Joi.ObjectSchema } {
  const all = paramsOf(path);
  if (own === undefined) return all === undefined ? {} : { params: all };
  const names = [...path.matchAll(/\{(\w+)/g)].map(([, name = '']) => name);
  const missing = names.filter((name) => !Object.hasOwn(own.describe().keys ?? {}, name));
  return { params: own.append(Object.fromEntries(missing.map((name) => [name, Joi.string().required()]))) };
}

/** The schema of the page, if the path of the form has all of its parameters. */
const paramsOfPage = (path: string, { params }: WebPage): Joi.ObjectSchema | undefined =>
  Object.keys(params?.describe().keys ?? {}).every((name) => path.includes(`{${name}`)) ? params : undefined;

/** The members of a route's input that pages know. Some are getters, so they are not copied as a whole. */
const shown = (input: Omit<Input, 'refused'>): Omit<Input, 'refused'> => ({
  params: input.params,
  query: input.query,
  granted: input.granted as never,
  url: input.url,
  cookies: input.cookies,
  header: input.header,
});

interface ShownOn {
  readonly page: WebPage;
  readonly show: (call: Call, input: Input) => unknown;
  readonly access: () => AccessDecision;
}

function formRoute(form: PageForm, { page, show, access }: ShownOn): Route {
  const { place: _place, body: schema, maxBytes = formMaxBytes, secrets = [], run, ...rest } = form;
  const check = compile(schema, 'form');
  return {
    ...common,
    ...rest,
    ...paramsFor(form.path, paramsOfPage(form.path, page)),
    ...(page.query !== undefined && { query: page.query }),
    method: 'POST',
    form: true,
    // The schema of the form is checked below, where what was typed is still known.
    body: anyForm,
    maxBytes,
    kept: (sent: Sent) => keptOf(textsOf(sent), schema, secrets),
    success: 200,
    async run(call: Call, input: Omit<Input, 'refused'> & { readonly body: Sent }) {
      try {
        const next = await (run as Run)(call, { ...shown(input), body: check(input.body) });
        const { body, options } = next instanceof Reply ? next : { body: next, options: {} };
        if (body instanceof HtmlPage) return reply(body, options);
        return reply(nothing, {
          ...options,
          status: 303,
          headers: { ...options.headers, location: String(body) },
        });
      } catch (error) {
        if (!isShown(error)) throw error;
        const { message, detail } = error;
        const refused: RefusedForm = {
          form: form.id,
          error: message,
          detail,
          field: /^(?:Field )?"([\w.-]+)"/.exec(detail ?? '')?.[1],
          values: textsOf(input.body),
        };
        const { headers, status } = failure(error, call);
        const again = await shownAgain(refused).catch((other: unknown) => {
          throw isShown(other) ? error : other;
        });
        return reply(told(again.body as HtmlPage, refused, keptOf(refused.values, schema, secrets)), {
          ...again.options,
          headers: { ...headers, ...again.options.headers },
          status: ofContent.has(error.kind) ? refusedStatus : status,
        });
      }

      async function shownAgain(refused: RefusedForm): Promise<Reply<unknown>> {
        const of = input.params as Readonly<Record<string, string>>;
        const granted = await access().decide(call, page.access, page.scope ?? undefined, of);
        const again = await show(call, { ...shown(input), granted: granted as never, refused });
        return again instanceof Reply ? again : reply(again);
      }
    },
  } as Route;
}

const refusedStatus = 422;

/** The kinds of errors that are about the content of a form. */
const ofContent: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['validation_failed', 'conflict', 'unprocessable']);

/** Other kinds with which a form is shown again. */
const otherKinds: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'bad_gateway',
  'forbidden',
  'insufficient_scope',
  'not_found',
  'rate_limited',
]);

/** Whether the page of the form is shown again, if the caller may still see it. */
const isShown = (error: unknown): error is HexforgeError =>
  error instanceof HexforgeError && (ofContent.has(error.kind) || otherKinds.has(error.kind));

/** The page; the refusal, and long texts that it does not fill in again, are above its content. */
function told(page: HtmlPage, { error, detail }: RefusedForm, kept: KeptTexts): HtmlPage {
  const content = `${page.main.text}${page.aside?.text ?? ''}`;
  const has = (text: string | undefined): boolean => text !== undefined && content.includes(html`${text}`.text);
  const lost = kept.filter(([, text]) => !has(text));
  // A control that is marked has its own message beside it, in other words than the detail.
  const isTold = has(error) || has(detail) || content.includes('aria-invalid="true"');
  if (isTold && lost.length === 0) return page;
  return new HtmlPage({
    ...page,
    main: html`${!isTold && html`<p class="alert" role="alert"><b>${error}</b> ${detail}</p>`}
    ${lost.length > 0 && keptView(lost)} ${page.main}`,
  });
}

/** The bound of a member whose texts are easily typed again, and the most characters of such a text without a bound. */
const [shortBound, shortText] = [2000, 100];

/** The texts of the members that may be long, or are long and have no bound, with their names as titles. */
function keptOf(values: RefusedForm['values'], schema: Joi.ObjectSchema, secrets: readonly string[]): KeptTexts {
  const keys: Readonly<Record<string, Joi.Description>> = schema.describe().keys ?? {};
  return Object.entries(values).flatMap(([name, text]) => {
    const { type, flags = {}, rules = [] } = keys[name] ?? {};
    if (type !== 'string' || 'only' in flags || typeof text !== 'string' || secrets.includes(name)) return [];
    const bound = rules.find((rule: { name: string }) => rule.name === 'max')?.args.limit;
    const isLong = bound === undefined ? text.length > shortText || text.includes('\n') : bound > shortBound;
    if (!isLong) return [];
    return [[`${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`, text] as const];
  });
}

type Sent = Readonly<Record<string, unknown>>;

/** Characters of a text that is filled in again; as many as a file that is edited may have. */
const longestRefilled = 512 * 1024;

/** The members that a page fills in again: not files, and no text that is too long for any field. */
const textsOf = (body: Sent): RefusedForm['values'] =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const texts = [value].flat();
      if (!texts.every((text): text is string => typeof text === 'string' && text.length <= longestRefilled)) return [];
      // Browsers send line breaks as CRLF, and a page shows a CR as a replaced character.
      const lines = texts.map((text) => text.replaceAll(/\r\n?/g, '\n'));
      return [[name, Array.isArray(value) ? lines : (lines[0] ?? '')]];
    }),
  );
