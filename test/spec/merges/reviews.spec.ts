// Tests of reviews: submitting one, being requested as a reviewer, and every status.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { branch, commit, expect, repos, workshop } from './workshop.ts';

interface ReviewJson {
  readonly id: string;
  readonly mr_id: string;
  readonly state: string;
}

void t.test('reviews', async (t) => {
  const { forge, alice, bob, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const carol = await forge.createUser('carol');
  const dave = await forge.createUser('dave');
  const invite = async (username: string, role: string): Promise<void> => {
    expect(await alice.client.put(`${code}/collaborators/${username}`, { body: { role } }), 204);
  };
  await invite('bob', 'write');
  await invite('carol', 'write');
  let branches = 0;
  /** A request with its own branch. */
  const fresh = async (body: object = {}, client = bob.client) => {
    const source = `fresh-${(branches += 1)}`;
    await branch(alice.client, code, source);
    return open(code, { source_branch: source, ...body }, client);
  };
  const at = (number: number): string => `${code}/merges/${number}/reviews`;
  const submit = async (number: number, body: object, client: Client = carol.client): Promise<ReviewJson> =>
    expect(await client.post(at(number), { body }), 201).body as ReviewJson;
  const reviewers = async (number: number): Promise<readonly string[]> => {
    const { reviewers: all } = await fetch(code, number);
    type Reviewers = readonly { readonly user: { readonly username: string }; readonly state: string }[];
    return (all as Reviewers).map(({ user, state }) => `${user.username} ${state}`);
  };

  await t.test('POST answers 201 with id, mr_id and state; the request lists the reviewer', async (t) => {
    const { id, number } = await fresh();
    t.strictSame(await reviewers(number), []);
    const review = await submit(number, { state: 'approved' });
    t.strictSame(review, { id: review.id, mr_id: id, state: 'approved' });
    t.match(review.id, /^[0-9a-f-]{36}$/);
    const { reviewers: shown } = await fetch(code, number);
    t.strictSame(shown, [
      { user: { id: carol.id, username: 'carol', display_name: '', avatar_url: '' }, state: 'approved' },
    ]);
  });

  await t.test('each caller has one review: a second one replaces it', async (t) => {
    const { number } = await fresh();
    const first = await submit(number, { state: 'changes_requested', body: 'Not <so>' });
    const second = await submit(number, { state: 'approved', body: '' });
    t.strictSame(second, { ...first, state: 'approved' });
    await submit(number, { state: 'approved' }, alice.client);
    await submit(number, { state: 'changes_requested' });
    t.strictSame(await reviewers(number), ['alice approved', 'carol changes_requested']);
  });

  await t.test('many concurrent reviews of one caller end as one', async (t) => {
    const { number } = await fresh();
    const states = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 'approved' : 'changes_requested'));
    const made = await Promise.all(states.map((state) => submit(number, { state })));
    t.equal(new Set(made.map(({ id }) => id)).size, 1);
    t.equal((await reviewers(number)).length, 1);
  });

  await t.test('the author may review too', async (t) => {
    const { number } = await fresh();
    await submit(number, { state: 'approved' }, bob.client);
    t.strictSame(await reviewers(number), ['bob approved']);
  });

  await t.test(
    'a requested reviewer is pending until they submit, and again when they are requested again',
    async (t) => {
      const { number } = await fresh({ reviewer_ids: [carol.id, dave.id] });
      t.strictSame(await reviewers(number), ['carol pending', 'dave pending']);
      await submit(number, { state: 'approved' });
      t.strictSame(await reviewers(number), ['carol approved', 'dave pending']);
      const ask = async (...ids: readonly string[]): Promise<void> => {
        expect(await bob.client.patch(`${code}/merges/${number}`, { body: { reviewer_ids: ids } }), 200);
      };
      await ask(alice.id);
      t.strictSame(
        await reviewers(number),
        ['alice pending', 'carol approved'],
        'a submitted review remains, a request for one is removed',
      );
      await ask(carol.id);
      t.strictSame(await reviewers(number), ['carol pending']);
      await submit(number, { state: 'changes_requested' });
      t.strictSame(await reviewers(number), ['carol changes_requested']);
    },
  );

  await t.test('reviews survive pushes', async (t) => {
    const request = await fresh();
    const { number } = request;
    await submit(number, { state: 'approved' });
    await commit(alice.client, code, String(request['source_branch']), 'later.txt');
    await settled();
    t.strictSame(await reviewers(number), ['carol approved']);
  });

  await t.test('only an open request can be reviewed: 409 not_open', async (t) => {
    const { number } = await fresh();
    await submit(number, { state: 'changes_requested' });
    const set = async (state: string): Promise<void> => {
      expect(await bob.client.patch(`${code}/merges/${number}`, { body: { state } }), 200);
    };
    await set('closed');
    isError(t, await carol.client.post(at(number), { body: { state: 'approved' } }), 409, 'not_open', 'closed');
    t.strictSame(await reviewers(number), ['carol changes_requested']);
    await set('open');
    await submit(number, { state: 'approved' });
    t.strictSame(await reviewers(number), ['carol approved']);
  });

  await t.test('400 for a missing or invalid state, and for a body that is not a text or too long', async (t) => {
    const { number } = await fresh();
    for (const [body, code] of [
      [{}, 'validation_failed'],
      [{ state: 'pending' }, 'validation_failed'],
      [{ state: 'Approved' }, 'validation_failed'],
      [{ state: null }, 'validation_failed'],
      [{ state: 'approved', body: 7 }, 'validation_failed'],
      [{ state: 'approved', body: null }, 'validation_failed'],
      [{ state: 'approved', body: 'x'.repeat(65_537) }, 'validation_failed'],
      [{ state: 'approved', body: '<'.repeat(65_536) }, 'validation_failed'],
      [{ state: 'approved', commit_sha: 'x' }, 'unknown_field'],
    ] as const)
      isError(t, await carol.client.post(at(number), { body }), 400, code, JSON.stringify(body).slice(0, 60));
    const malformed = await carol.client.post(`${code}/merges/x/reviews`, { body: { state: 'approved' } });
    isError(t, malformed, 400, 'validation_failed', 'a malformed number');
    t.strictSame(await reviewers(number), []);
    await submit(number, { state: 'approved', body: 'x'.repeat(65_536) });
  });

  await t.test('needs write access: 401, 403, 404', async (t) => {
    const { number } = await fresh();
    const body = { state: 'approved' };
    isError(t, await forge.anonymous.post(at(number), { body }), 401, 'unauthorized', 'anonymous');
    for (const role of [undefined, 'read', 'triage']) {
      if (role !== undefined) await invite('dave', role);
      isError(t, await dave.client.post(at(number), { body }), 403, 'forbidden', role ?? 'none');
    }
    for (const path of [at(0), at(9999), `${repos}/alice/none/merges/1/reviews`])
      isError(t, await carol.client.post(path, { body }), 404, 'not_found', path);
    const secret = await repository('secret', 'private');
    const hidden = await open(secret);
    const path = `${secret}/merges/${hidden.number}/reviews`;
    isError(t, await carol.client.post(path, { body }), 404, 'not_found', 'a private repository');
    t.strictSame(await reviewers(number), []);
  });

  await t.test('a reviewer, also a requested one, cannot be deleted: 409 with the reason', async (t) => {
    const eve = await forge.createUser('eve');
    await fresh({ reviewer_ids: [eve.id] });
    const refusal = await (await forge.administrator()).delete(`/api/v1/admin/users/${eve.id}`);
    t.equal(refusal.status, 409, refusal.text);
    t.match(refusal.text, /reviews/);
  });
});
