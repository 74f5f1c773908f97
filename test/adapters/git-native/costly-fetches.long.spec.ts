// Small fetch requests that are expensive to answer: the work of git is bounded, and the client gets a reason.
import { Buffer } from 'node:buffer';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { gitNative, type GitLimits, type GitNative } from '#adapters/git-native/index';
import { FetchAnswer } from '#adapters/git-native/transport/fetch-answer';
import { bytesOf, never } from '#test/contracts/git/provider';
import { must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { quiet } from './provider.ts';
import { pack } from './push/small-packs.ts';

const [id, other] = ['0f000000-0000-4000-8000-000000000000', '0f000000-0000-4000-8000-000000000001'] as const;
const megabyte = 1024 ** 2;
const line = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const oid = '1'.repeat(40);

const asking = (...args: readonly string[]): string =>
  `${line('command=fetch\n')}0001${args.map((arg) => line(`${arg}\n`)).join('')}0000`;

interface World {
  readonly native: GitNative;
  readonly directory: string;
  readonly errors: readonly string[];
  fetch(body: string): Promise<string>;
}

/**
 * @param bytes a pack that is put into the repository
 * @param gitLines a script that replaces the installed git
 */
async function world(
  t: Test,
  limits: Partial<GitLimits>,
  { bytes, gitLines }: { readonly bytes?: Buffer; readonly gitLines?: readonly string[] } = {},
): Promise<World> {
  const folder = await temporaryFolder(t);
  const gitPath = join(folder, 'git');
  writeFileSync(gitPath, ['#!/bin/sh', ...(gitLines ?? ['exec git "$@"'])].join('\n'));
  chmodSync(gitPath, 0o755);
  const errors: string[] = [];
  const log = { ...quiet, error: (_: unknown, text: string) => void errors.push(text) };
  const native = gitNative({ root: join(folder, 'root'), log, gitPath, limits });
  t.teardown(() => native.close());
  await native.create(id, { defaultBranch: 'main' });
  const directory = join(folder, 'root', '0f', `${id}.git`);
  if (bytes !== undefined) await must(directory, ['index-pack', '--stdin'], { input: bytes });
  const request = { service: 'git-upload-pack', protocol: 'version=2', signal: never } as const;
  const fetch = async (body: string): Promise<string> => {
    const stream = async function* stream(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(body, 'latin1');
    };
    return (await bytesOf(await native.uploadPack(id, { ...request, body: stream() }))).toString('latin1');
  };
  return { native, directory, errors, fetch };
}

void t.test('a request that git cannot parse is ValidationFailed and is not logged', async (t) => {
  const { fetch, errors } = await world(t, {});
  for (const body of [
    ...['junk', 'combine:combine:', 'combine:tree:0+a{b', 'tree:x', 'object:type=q', 'sparse:path=x'].map((filter) =>
      asking(`filter ${filter}`, 'done'),
    ),
    asking('filter tree:0', 'filter tree:1'),
    asking('rubbish'),
    asking('have rubbish'),
    ...['deepen x', 'deepen-since x', 'deepen-not x', 'shallow x'].map((argument) => asking(argument)),
    `${line('command=x\n')}0000`,
    `${line('command=fetch\n')}${line('command=ls-refs\n')}0000`,
    `${line('command=fetch\n')}${line('nonsense=1\n')}0001${line('done\n')}0000`,
    `${line('command=fetch\n')}${line('object-format=sha256\n')}0001${line('done\n')}0000`,
    `${line('agent=x\n')}0000`,
    '0003',
  ])
    await t.rejects(fetch(body), { name: 'ValidationFailed' }, body.slice(0, 100));
  t.strictSame(errors, []);
});

void t.test('a line longer than a ref name may be is rejected at any position before git parses it', async (t) => {
  const { fetch, errors } = await world(t, {});
  const long = `filter combine:${'combine:'.repeat(2000)}tree:1`;
  const refused = { name: 'ValidationFailed', message: 'The request has a line that is too long' };
  await t.rejects(fetch(asking(`want ${oid}`, long)), refused);
  // Beyond the part of the body that is buffered.
  const many = Array.from({ length: 6000 }, () => `have ${oid}`);
  await t.rejects(fetch(asking(...many, long)), refused);
  t.match(await fetch(asking(`filter combine:${'combine:'.repeat(900)}tree:1`)), "filter 'combine'");
  t.strictSame(errors, []);
});

void t.test(
  'a fetch for which git needs too much memory is stopped with a reason and rejected when repeated',
  async (t) => {
    const { bytes, large } = pack(3200);
    const { fetch } = await world(t, { transferMemoryBytes: 64 * megabyte }, { bytes });
    const body = asking('no-progress', `want ${large}`, 'done');
    const refused = /git answer was stopped: it needs too much memory/;
    t.match(await fetch(body).catch((error: unknown) => String(error)), refused);
    await t.rejects(fetch(body), { name: 'TooCostly', message: refused });
  },
);

void t.test('the memory limit for clones applies to forks', async (t) => {
  const { bytes, large } = pack(3200);
  const { native, directory } = await world(t, { transferMemoryBytes: 64 * megabyte }, { bytes });
  const tree = await must(directory, ['mktree'], { input: `100644 blob ${large}\ta\n` });
  const someone = 'x <x@x> 0 +0000';
  const input = `tree ${tree}\nauthor ${someone}\ncommitter ${someone}\n\nx`;
  const commit = await must(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input });
  await must(directory, ['update-ref', 'refs/heads/main', commit]);
  await t.rejects(native.fork(id, other, { defaultBranch: 'main', signal: never }), {
    name: 'TooCostly',
    message: /needs too much memory/,
  });
});

void t.test('keep-alive packets do not count as progress: the idle limit ends the fetch', async (t) => {
  for (const waiting of [line('\u0001'), line('\u0002Counting objects: 1'), '0000']) {
    const { fetch } = await world(
      t,
      { idleSeconds: 0.5, transferSeconds: 10 },
      { gitLines: [`printf '${line('packfile\n')}'`, `while :; do printf '${waiting}'; sleep 0.05; done`] },
    );
    t.match(await fetch(asking()), '\u0003git was stopped before its answer was whole: no byte moved');
  }
});

void t.test('an answer that makes progress is served past the idle limit', async (t) => {
  const { fetch } = await world(
    t,
    { idleSeconds: 0.5 },
    {
      gitLines: [
        `printf '${line('packfile\n')}'`,
        `for i in 1 2 3 4 5 6 7 8; do printf '${line('\u0001x')}'; sleep 0.15; done`,
      ],
    },
  );
  t.equal(await fetch(asking()), line('packfile\n') + line('\u0001x').repeat(8));
});

void t.test('an answer is parsed in pieces of any size', (t) => {
  const moves = (text: string, size: number): readonly boolean[] => {
    const answer = new FetchAnswer();
    const bytes = Buffer.from(text, 'latin1');
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      answer.follow(bytes.subarray(index * size, (index + 1) * size)),
    );
  };
  for (const size of [1, 3, 1000]) {
    t.ok(moves(line('NAK\n'), size).includes(true), 'negotiation');
    t.ok(moves(line('\u0001PACK'), size).includes(true), 'a pack');
    t.ok(moves('PACK....', size).includes(true), 'a bare pack');
    t.notOk(moves(`${line('\u0001')}${line('\u0002Counting')}0000`, size).includes(true), 'progress');
  }
  t.end();
});

void t.test('an answer can end with a reason except within a packet or a bare pack', (t) => {
  const ending = (text: string): string | undefined => {
    const answer = new FetchAnswer();
    answer.follow(Buffer.from(text, 'latin1'));
    return answer.ending('why')?.toString('latin1');
  };
  t.equal(ending(line('NAK\n')), line('ERR why\n'));
  for (const begun of [line('packfile\n'), line('\u0002Counting'), line('\u0001PACK')])
    t.equal(ending(begun), line('\u0003why\n'));
  for (const within of ['00', line('\u0001PACK').slice(0, -1), `${line('NAK\n')}PACK....`])
    t.equal(ending(within), undefined);
  t.end();
});
