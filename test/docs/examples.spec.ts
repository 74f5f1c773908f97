// Examples of docs/ that are one file each work as the pages say.
import t from 'tap';
import { testHost } from 'hexforge/testing';
import badges from '../../docs/examples/badges.ts';

for (const database of ['memory', 'embedded'] as const)
  void t.test(`badges are credentials of their account within their scope, on ${database}`, async (t) => {
    await using forge = await testHost(badges, { database, repositories: ['alice/site'] });
    const issued = await forge.as('alice').post('/x/badges');
    t.equal(issued.status, 201);
    const { token } = issued.body as { readonly token: string };
    const by = async (method: string, path: string, json?: unknown) =>
      (
        await forge.anonymous.request(method, path, {
          headers: { authorization: `Bearer ${token}` },
          ...(json !== undefined && { json }),
        })
      ).status;
    t.equal(await by('GET', '/repos/alice/site'), 200);
    t.equal(await by('PATCH', '/repos/alice/site', { description: 'x' }), 403, 'it has its scope and no more');
    t.equal(await by('POST', '/x/badges'), 403, 'a token issues no token');
    await forge.advance(3_600_000);
    t.equal(await by('GET', '/repos/alice/site'), 401);
  });
