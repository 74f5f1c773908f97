// Tests that each form that is refused shows why on its page, whether or not the error is about a field.
import t from 'tap';
import { HtmlPage } from '#adapters/http/descriptor/html';
import { Reply } from '#adapters/http/descriptor/route';
import type { Call, User } from '#core/kernel/caller';
import type { WebPage } from '#host/plugin/pages';
import { testHost, type TestHost } from '#host/sdk/testing';
import { fillInstance, fillRepository, parametersOf } from '#test/support/clients/filled';

const error = 'The content of the form is refused';
const detail = 'Another one is needed';

/** A call of the administrator, who may see every page. */
async function callOf(forge: TestHost): Promise<Call<User>> {
  const { id, username } = await forge.user('admin');
  const call: Call<User> = {
    caller: {
      kind: 'user',
      id,
      username,
      isAdmin: true,
      credential: { kind: 'session', id, scopes: 'all', via: 'cookie' },
    },
    requestId: 'refusals',
    ip: '127.0.0.1',
    userAgent: 'test',
    signal: new AbortController().signal,
    now: new Date(),
    renew: async () => call,
  };
  return call;
}

/** The plugins whose pages have no forms that depend on the state of a repository. */
const plugins = ['identity', 'oauth-server', 'administration', 'settings', 'limits', 'audit', 'web'];

type Run = (call: Call, input: object) => unknown;

void t.test('a refused form shows its error on its page', async (t) => {
  await using forge = await testHost([], { repositories: ['admin/site'], settings: { 'signup.enabled': true } });
  const { id: reader } = await forge.user('reader');
  const admin = forge.as('admin');
  const values = {
    ...(await fillRepository(admin, 'admin/site', 'A text')),
    ...(await fillInstance(admin, 'Maintainers')),
    owner: 'admin',
    repo: 'site',
    user: 'admin',
    'admin/users/uid': reader,
  };
  const call = await callOf(forge);
  const access = forge.port('AccessDecision');
  const pages: readonly WebPage[] = forge
    .port('PageRegistry')
    .pages()
    .filter(({ plugin }) => plugins.includes(plugin))
    .map(({ one }) => one);
  let forms = 0;
  for (const page of pages) {
    const params = parametersOf(page.path, values) ?? {};
    for (const form of page.forms) {
      forms += 1;
      const shown = await (page.run as unknown as Run)(call, {
        params,
        query: page.query === undefined ? {} : (page.query.validate({}).value as object),
        granted: await access.decide(call, page.access, undefined, params),
        url: page.path,
        cookies: {},
        header: () => undefined,
        refused: { form: form.id, error, detail, field: undefined, values: {} },
      });
      const body = shown instanceof Reply ? (shown.body as unknown) : shown;
      const texts = body instanceof HtmlPage ? [body.main.text, body.aside?.text ?? ''] : [];
      t.ok(
        texts.some((text) => text.includes(error) || text.includes(detail)),
        `${form.id} on ${page.id}`,
      );
    }
  }
  t.ok(forms > 25, `${String(forms)} forms`);
});
