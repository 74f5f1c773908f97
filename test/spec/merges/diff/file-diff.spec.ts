// Tests of the diff of one file of a merge request.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';
import { oddBefore, oddChange, proposal, written } from '../proposal.ts';

const line = (op: string, content: string, oldNo: number, newNo: number, more: object = {}) => ({
  op,
  content,
  old_no: oldNo,
  new_no: newNo,
  ...more,
});
const hunk = (old: readonly [number, number], now: readonly [number, number], ...lines: readonly object[]) => ({
  old_start: old[0],
  old_lines: old[1],
  new_start: now[0],
  new_lines: now[1],
  lines,
});
const noNewline = { no_newline: true };

void t.test('GET /repos/{owner}/{repo}/merges/{number}/files/{path}', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  const { path } = await proposal(t, forge, alice, 'odd', oddBefore, oddChange);
  const file = (name: string) => forge.anonymous.get(`${path}/files/${name}`);

  await t.test('200 with the summary and the hunks, each line with its numbers', async (t) => {
    const { files } = (await forge.anonymous.get(`${path}/files`)).body as { files: { new_path: string }[] };
    const summary = (name: string) => files.find((one) => one.new_path === name);
    const context = (from: number, count: number, shift: number) =>
      Array.from({ length: count }, (_, index) =>
        line(' ', `line ${from + index}`, from + index, from + index + shift),
      );
    for (const [name, ...hunks] of [
      [
        'long',
        hunk([1, 3], [1, 4], line('+', 'line 0', 0, 1), ...context(1, 3, 1)),
        hunk(
          [18, 7],
          [19, 7],
          ...context(18, 3, 1),
          line('-', 'line 21', 21, 0),
          line('+', 'changed', 0, 22),
          ...context(22, 3, 1),
        ),
      ],
      ['crlf', hunk([1, 2], [1, 2], line(' ', 'one\r', 1, 1), line('-', 'two\r', 2, 0), line('+', 'three\r', 0, 2))],
      [
        'no newline',
        hunk(
          [1, 1],
          [1, 2],
          line('-', 'end', 1, 0, noNewline),
          line('+', 'end', 0, 1),
          line('+', 'now', 0, 2, noNewline),
        ),
      ],
      ['ünï/cödé "quoted"', hunk([1, 1], [1, 1], line('-', 'ä', 1, 0), line('+', 'ö', 0, 1))],
      ['latin', hunk([1, 2], [1, 2], line('-', 'c\uFFFD', 1, 0), line('+', 'c\uFFFD', 0, 1), line(' ', 'x', 2, 2))],
      ['deleted', hunk([1, 1], [0, 0], line('-', 'gone', 1, 0))],
      ['module', hunk([0, 0], [1, 1], line('+', `Subproject commit ${'1'.repeat(40)}`, 0, 1))],
      [
        'typed',
        hunk([1, 1], [0, 0], line('-', 'a file', 1, 0)),
        hunk([0, 0], [1, 1], line('+', 'long', 0, 1, noNewline)),
      ],
      ['executable'],
      ['added empty'],
    ] as const) {
      const { status, body } = await file(encodeURIComponent(name));
      t.equal(status, 200, name);
      t.same(body, { ...summary(name), hunks }, name);
    }
  });

  await t.test('a file is found by its new path first, then by its old one, with slashes encoded or not', async (t) => {
    const renamed = await file('elsewhere');
    t.match(renamed.body, { old_path: 'moved', new_path: 'elsewhere', is_rename: true });
    t.same((await file('moved')).body, renamed.body);
    t.same(
      (await file('ünï/cödé%20%22quoted%22')).body,
      (await file('%C3%BCn%C3%AF%2Fc%C3%B6d%C3%A9%20%22quoted%22')).body,
    );
    const swapped = await proposal(t, forge, alice, 'swapped', { a: 'one\ntwo\nthree\n' }, async (work) => {
      await work.git('mv', 'a', 'b');
      await work.commit('Swap', { a: 'other\n' });
    });
    t.match((await forge.anonymous.get(`${swapped.path}/files/a`)).body, { new_path: 'a', old_path: 'a' });
  });

  await t.test('a binary file or one that is too large is suppressed and has no hunks', async (t) => {
    t.match((await file('binary')).body, {
      is_binary: true,
      suppressed: true,
      suppressed_reason: 'binary_files_only',
      hunks: [],
    });
    const large = await proposal(t, forge, alice, 'large', { a: '' }, written({ a: 'x\n'.repeat(20_001), b: 'y\n' }));
    t.match((await forge.anonymous.get(`${large.path}/files/a`)).body, {
      additions: 20_001,
      suppressed: true,
      suppressed_reason: 'diff_too_large',
      hunks: [],
    });
    t.match((await forge.anonymous.get(`${large.path}/files/b`)).body, {
      suppressed: false,
      hunks: [{ new_lines: 1 }],
    });
  });

  await t.test('uses the requested algorithm', async (t) => {
    const [before, after] = ['a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n'];
    const { path: request } = await proposal(t, forge, alice, 'algorithms', { a: before }, written({ a: after }));
    const [one, other] = await Promise.all(
      ['myers', 'histogram'].map(
        async (name) => (await forge.anonymous.get(`${request}/files/a?algorithm=${name}`)).body,
      ),
    );
    t.notSame(one, other);
  });

  await t.test(
    '400 without a path, for invalid encoding and for a path that is too long; 404 for an unknown file',
    async (t) => {
      isError(t, await file(''), 400, 'validation_failed', 'no path');
      for (const bad of ['%', '%zz', 'a%2', '%ff%fe']) isError(t, await file(bad), 400, 'validation_failed', bad);
      isError(t, await file('x'.repeat(4097)), 400, 'validation_failed', 'too long');
      isError(t, await file('?algorithm=x'), 400, 'validation_failed', 'unknown algorithm');
      for (const absent of ['absent', 'lon', 'long/x', 'LONG', '%2F', '..%2Flong'])
        isError(t, await file(absent), 404, 'not_found', absent);
      isError(t, await forge.anonymous.get(`${path}9/files/long`), 404, 'not_found', 'unknown request');
      isError(
        t,
        await forge.as(`svc_${'x'.repeat(36)}`).get(`${path}/files/long`),
        401,
        'unauthorized',
        'an invalid token',
      );
      const other = await forge.pat(alice.client, ['issue:read']);
      isError(t, await other.get(`${path}/files/long`), 403, 'insufficient_scope', 'a token of another scope');
    },
  );
});
