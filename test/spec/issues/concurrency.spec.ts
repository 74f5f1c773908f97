// Tests of concurrent requests to issues: numbers without gaps, and sets that are replaced as a whole.
import t from 'tap';
import { onDatabase } from '#test/support/marks';
import { expect, nobody, repos, tracker, types } from './tracker.ts';

void onDatabase(t).test('concurrent requests', async (t) => {
  const { alice, bob, repository, open } = await tracker(t);
  const numbersOf = async (issues: string) =>
    (
      expect(await alice.client.get(`${issues}?per_page=100`), 200).body as {
        readonly items: readonly { readonly number: number }[];
      }
    ).items.map(({ number }) => number);

  await t.test(
    'of 75 concurrent issues 25 are refused after their number was assigned: the others have 1 to 50',
    async (t) => {
      const issues = await repository('numbers');
      const answers = await Promise.all(
        Array.from({ length: 75 }, (_, index) =>
          alice.client.post(issues, {
            body: {
              title: `Issue ${index}`,
              issue_type_id: types.task,
              // Labels are looked up after the issue was written.
              ...(index % 3 === 0 && { label_ids: [nobody] }),
            },
          }),
        ),
      );
      t.strictSame(
        answers.map(({ status }) => status),
        answers.map((_, index) => (index % 3 === 0 ? 400 : 201)),
      );
      t.strictSame(
        await numbersOf(issues),
        Array.from({ length: 50 }, (_, index) => 50 - index),
      );
      t.equal((await alice.client.delete(`${issues}/50`)).status, 204);
      t.equal((await open(issues)).number, 51, 'the number of a deleted issue is not reused');
    },
  );

  await t.test('20 replacements of labels and assignees end in one of the sets that were sent', async (t) => {
    const issues = await repository('sets');
    const { number } = await open(issues);
    const labels: string[] = [];
    for (let index = 0; index < 6; index++)
      labels.push(
        (
          expect(
            await alice.client.post(`${repos}/alice/sets/labels`, { body: { name: `l${index}`, color: '00ff00' } }),
            201,
          ).body as { readonly id: string }
        ).id,
      );
    const sent = Array.from({ length: 20 }, (_, index) => ({
      label_ids: labels.filter((_label, bit) => ((index + 1) >> bit) % 2 === 1),
      assignee_ids: [alice.id, bob.id].filter((_id, bit) => (index >> bit) % 2 === 1),
    }));
    const answers = await Promise.all(sent.map((body) => alice.client.patch(`${issues}/${number}`, { body })));
    t.same(
      answers.filter(({ status }) => status !== 200),
      [],
    );
    const ids = (things: unknown) => (things as readonly { readonly id: string }[]).map(({ id }) => id).sort();
    const { labels: left, assignees } = (await alice.client.get(`${issues}/${number}`)).body as Record<string, unknown>;
    const found = JSON.stringify([ids(left), ids(assignees)]);
    t.ok(
      sent.some((body) => JSON.stringify([body.label_ids.toSorted(), body.assignee_ids.toSorted()]) === found),
      found,
    );
  });

  await t.test('of two concurrent links that would form a blocking cycle exactly one is made', async (t) => {
    const issues = await repository('circle');
    for (let round = 0; round < 5; round++) {
      const [one, two] = [(await open(issues)).number, (await open(issues)).number];
      const post = (number: number, target_number: number) =>
        alice.client.post(`${issues}/${number}/links`, { body: { type: 'blocks', target_number } });
      const answers = await Promise.all([post(one, two), post(two, one)]);
      t.strictSame(answers.map(({ status }) => status).sort(), [201, 422]);
    }
  });

  await t.test('20 concurrent comments are all stored and counted', async (t) => {
    const issues = await repository('talk');
    const { number } = await open(issues);
    const at = `${issues}/${number}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bob.client.post(`${at}/comments`, { body: { body: `${index}` } })),
    );
    t.ok(answers.every(({ status }) => status === 201));
    t.equal((expect(await bob.client.get(`${at}/comments`), 200).body as readonly object[]).length, 20);
    t.match((await bob.client.get(at)).body, { comments_count: 20 });
  });

  await t.test('of two concurrent moves that would form a cycle exactly one is made', async (t) => {
    const issues = await repository('cycle');
    for (let round = 0; round < 5; round++) {
      const [one, two] = [(await open(issues)).number, (await open(issues)).number];
      const put = (number: number, parent_number: number) =>
        alice.client.put(`${issues}/${number}/parent`, { body: { parent_number } });
      const answers = await Promise.all([put(one, two), put(two, one)]);
      t.strictSame(answers.map(({ status }) => status).sort(), [204, 422]);
    }
  });

  await t.test('deleting a repository while its issues are changed does not deadlock', async (t) => {
    for (let round = 0; round < 5; round++) {
      const issues = await repository('doomed');
      const made = async (what: string, body: object) =>
        (expect(await alice.client.post(`${repos}/alice/doomed/${what}`, { body }), 201).body as { id: string }).id;
      const marks = {
        label_ids: [await made('labels', { name: 'l', color: '00ff00' })],
        milestone_id: await made('milestones', { title: 'm' }),
      };
      const { number } = await open(issues);
      const change = (index: number) => [
        alice.client.post(issues, { body: { title: 'x', issue_type_id: types.task, ...marks } }),
        alice.client.patch(`${issues}/${number}`, { body: { title: `${index}`, ...marks } }),
        alice.client.post(`${issues}/${number}/comments`, { body: { body: 'x' } }),
      ];
      const before = Array.from({ length: 5 }, (_, index) => change(index)).flat();
      const deletion = alice.client.delete(`${repos}/alice/doomed`, { body: { confirmation: 'alice/doomed' } });
      const after = Array.from({ length: 5 }, (_, index) => change(10 + index)).flat();
      t.equal((await deletion).status, 204);
      const answers = await Promise.all([...before, ...after]);
      t.same(
        answers.filter(({ status }) => status >= 500),
        [],
      );
    }
  });
});
