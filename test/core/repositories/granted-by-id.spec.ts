// Access to a repository by its id: the same decision as for its path, about the same repository.
import t from 'tap';
import { accessDecision, changes, reads, scopeCatalogue, type Call, type User } from '#core/kernel/index';
import { grantedById, type Repository } from '#core/repositories/index';
import { repositoryOf } from '../forge.ts';

const [one, other] = [
  repositoryOf('00000000-0000-4000-8000-000000000001', { name: 'one' }),
  repositoryOf('00000000-0000-4000-8000-000000000002', { name: 'other' }),
];

/** @param paths repository name → the repository that has it when access is decided. */
function world(paths: Readonly<Record<string, Repository>>) {
  const charged: string[] = [];
  const access = accessDecision({
    scopes: scopeCatalogue([{ name: 'repo.read' }, { name: 'repo.write' }]),
    adminGrants: () => undefined,
    isPermission: () => true,
    resolvers: () => [
      {
        repository: async (_caller, { repo = '' }) => {
          const resource = paths[repo];
          return resource && { resource, readable: true, may: (permission) => permission === 'repo.read' };
        },
      },
    ],
  });
  const decide = grantedById({ access, repositories: { byId: async (id) => [one, other].find((it) => it.id === id) } });
  const call: Call<User> = {
    caller: {
      kind: 'user',
      id: 'u',
      username: 'lights[bot]',
      isAdmin: false,
      credential: { kind: 'bot', id: 'lights', scopes: 'all', via: 'bearer' },
    },
    requestId: 'r',
    ip: '',
    userAgent: '',
    signal: new AbortController().signal,
    now: new Date(),
    renew: async () => call,
    charge: async (meter) => void charged.push(meter),
  };
  return { decide, call, charged };
}
const reading = { access: reads('repository', 'repo.read'), scope: 'repo.read' } as const;
const writing = { access: changes('repository', 'repo.write'), scope: 'repo.write' } as const;

void t.test('a repository is found by its id, and each decision is charged as a read or a write', async (t) => {
  const { decide, call, charged } = world({ one });
  t.equal((await decide(call, reading, one.id)).resource, one);
  await t.rejects(decide(call, writing, one.id), { kind: 'forbidden', message: /./ });
  t.same(charged, ['api.read', 'api.write']);
});

void t.test('an id that no repository has is NotFound', async (t) => {
  const { decide, call } = world({ one });
  for (const id of ['', 'one', '00000000-0000-4000-8000-000000000003', '{00000000-0000-4000-8000-000000000001}'])
    await t.rejects(decide(call, reading, id), { kind: 'not_found', message: /./ }, id);
});

void t.test('another repository that has taken the name meanwhile is not returned', async (t) => {
  const { decide, call } = world({ one: other });
  await t.rejects(decide(call, reading, one.id), { kind: 'not_found', message: /./ });
});
