// Checks of pushes by the stock git client: which refs move, which are refused and why, and which hooks are called.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { zeroOid, type RefUpdate } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { bytesOf, client, commitFile, fresh, never, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

const accepting = async (updates: readonly RefUpdate[]): Promise<{ ref: string; refusal: undefined }[]> =>
  updates.map(({ ref }) => ({ ref, refusal: undefined }));

/** Runs with empty records and its own judge. */
async function pushing(
  bench: Bench,
  run: (parts: {
    readonly id: string;
    readonly folder: string;
    readonly push: (...args: string[]) => ReturnType<typeof git>;
  }) => Promise<void>,
  contents: readonly string[] = ['one', 'two'],
): Promise<void> {
  const { server } = bench;
  const id = await fresh(bench);
  const folder = await client(bench, id, contents);
  server.announced.length = 0;
  server.landed.length = 0;
  server.failure = undefined;
  try {
    await run({ id, folder, push: (...args) => git(folder, ['push', 'origin', ...args]) });
  } finally {
    server.judge = accepting;
  }
}

const line = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
/** A pkt-line of bytes, one per character. */
const rawLine = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const one = 'a'.repeat(40);

async function* sent(...chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
}

export const pushChecks: readonly Check<Bench>[] = [
  {
    name: 'a push is announced before and reported after, with the values of each ref',
    run: (bench) =>
      pushing(bench, async ({ id, folder, push }) => {
        const tip = await must(folder, ['rev-parse', 'main']);
        const older = await must(folder, ['rev-parse', 'main~1']);
        let seen: readonly unknown[] = [];
        bench.server.judge = async (updates) => {
          seen = [[...bench.server.announced], await bench.backend.readRefs(id, ['refs/heads/main'])];
          return await accepting(updates);
        };
        assert.equal((await push('main')).code, 0);
        const created = [{ ref: 'refs/heads/main', old: zeroOid, new: tip }];
        assert.deepEqual(seen, [[created], [zeroOid]]);
        assert.deepEqual(bench.server.landed, [created]);
        assert.equal((await push('-f', 'main~1:main', 'main:refs/tags/t')).code, 0);
        assert.deepEqual(
          bench.server.landed[1]?.toSorted((a, b) => a.ref.localeCompare(b.ref)),
          [
            { ref: 'refs/heads/main', old: tip, new: older },
            { ref: 'refs/tags/t', old: zeroOid, new: tip },
          ],
        );
        assert.equal((await push(':main')).code, 0);
        assert.deepEqual(bench.server.landed[2], [{ ref: 'refs/heads/main', old: older, new: zeroOid }]);
        assert.deepEqual(await bench.backend.readRefs(id, ['refs/heads/main', 'refs/tags/t']), [zeroOid, tip]);
      }),
  },
  {
    name: 'the client receives ok only after `landed` has resolved',
    run: (bench) =>
      pushing(bench, async ({ id, folder }) => {
        const update = { ref: 'refs/heads/main', old: zeroOid, new: await must(folder, ['rev-parse', 'main']) };
        const pack = await packOf(folder, update.new);
        let told = false;
        const answer = await bench.backend.receivePack(id, {
          service: 'git-receive-pack',
          protocol: undefined,
          signal: never,
          judge: accepting,
          body: (async function* body() {
            yield Buffer.from(`${line(`${update.old} ${update.new} ${update.ref}\0report-status side-band-64k`)}0000`);
            yield pack;
          })(),
          announced: async () => undefined,
          landed: async () => {
            await new Promise((resolve) => setImmediate(resolve));
            told = true;
          },
        });
        let text = '';
        for await (const chunk of answer) {
          text += Buffer.from(chunk).toString('latin1');
          assert.ok(told || !text.includes('ok refs/heads/main'), 'the report was sent before `landed`');
        }
        assert.match(text, /unpack ok[\s\S]*ok refs\/heads\/main[\s\S]*0000$/);
      }),
  },
  {
    name: '`landed` is called for every way in which the client lists its report capabilities',
    run: (bench) =>
      pushing(bench, async ({ folder }) => {
        const tip = await must(folder, ['rev-parse', 'main']);
        const pack = await packOf(folder, tip);
        for (const [first, second] of [
          ['report-status', ' side-band-64k'],
          ['report-status side-band-64k=1', ''],
          ['report-status\tside-band-64k\t', ''],
        ]) {
          const id = await fresh(bench);
          const landed: RefUpdate[] = [];
          const [one, two] = ['one', 'two'].map((name) => ({ ref: `refs/heads/${name}`, old: zeroOid, new: tip }));
          const answer = await bench.backend.receivePack(id, {
            service: 'git-receive-pack',
            protocol: undefined,
            signal: never,
            judge: accepting,
            body: (async function* body() {
              yield Buffer.from(line(`${zeroOid} ${tip} refs/heads/one\0${first}`));
              yield Buffer.from(`${line(`${zeroOid} ${tip} refs/heads/two\0${second}`)}0000`);
              yield pack;
            })(),
            announced: async () => undefined,
            landed: async (updates) => void landed.push(...updates),
          });
          assert.match((await bytesOf(answer)).toString('latin1'), /ok refs\/heads\/one[\s\S]*ok refs\/heads\/two/);
          assert.deepEqual(landed, [one, two]);
        }
      }),
  },
  {
    name: 'if `landed` fails the client still receives ok, because the refs have moved',
    run: (bench) =>
      pushing(bench, async ({ id, folder }) => {
        const tip = await must(folder, ['rev-parse', 'main']);
        const pack = await packOf(folder, tip);
        const answer = await bench.backend.receivePack(id, {
          service: 'git-receive-pack',
          protocol: undefined,
          signal: never,
          judge: accepting,
          body: (async function* body() {
            yield Buffer.from(`${line(`${zeroOid} ${tip} refs/heads/main\0report-status`)}0000`);
            yield pack;
          })(),
          announced: async () => undefined,
          landed: () => Promise.reject(new Error('the database is down')),
        });
        assert.match((await bytesOf(answer)).toString('latin1'), /unpack ok[\s\S]*ok refs\/heads\/main/);
        assert.equal(await bench.backend.resolveCommit(id, 'main'), tip);
      }),
  },
  {
    name: 'a refused ref shows its reason and does not move, the others do',
    run: (bench) =>
      pushing(bench, async ({ id, push }) => {
        bench.server.judge = async (updates) =>
          updates.map(({ ref }) => ({
            ref,
            refusal:
              ref === 'refs/heads/locked' ? 'the branch "locked" takes no pushes;\n\u001b[31mask its owner' : undefined,
          }));
        const { code, stderr } = await push('main', 'main:locked', 'main:open');
        assert.equal(code, 1);
        assert.match(stderr, /remote: the branch "locked" takes no pushes; \[31mask its owner/);
        assert.match(stderr, /\[remote rejected\] main -> locked/);
        assert.deepEqual(
          (await bench.backend.refs(id, 'all')).map(({ name }) => name),
          ['refs/heads/main', 'refs/heads/open'],
        );
        assert.deepEqual(
          bench.server.landed.map((updates) => updates.map(({ ref }) => ref)),
          [['refs/heads/main', 'refs/heads/open']],
        );
      }),
  },
  {
    name: 'each refused ref gets its own reason, also if its name contains shell syntax',
    run: (bench) =>
      pushing(bench, async ({ id, push }) => {
        const names = [
          'a',
          'a/b',
          'a/b/c',
          '-n',
          '$(id)',
          '\'"`',
          'é',
          'x=y',
          '%s',
          'ok',
          'a&&b',
          '#',
          'l'.repeat(249),
        ];
        const refused = new Set(names.map((name) => `refs/heads/r/${name}`));
        bench.server.judge = async (updates) =>
          updates.map(({ ref }) => ({ ref, refusal: refused.has(ref) ? `not "${ref}"` : undefined }));
        const { code, stderr } = await push(
          ...names.flatMap((name) => [`main:refs/heads/r/${name}`, `main:refs/heads/k${name.replaceAll('/', '-')}`]),
        );
        assert.equal(code, 1);
        for (const name of names) assert.ok(stderr.includes(`not "refs/heads/r/${name}"`), `${name}: ${stderr}`);
        assert.deepEqual(
          (await bench.backend.refs(id, 'all')).map(({ name }) => name).sort(),
          names.map((name) => `refs/heads/k${name.replaceAll('/', '-')}`).sort(),
        );
      }),
  },
  {
    name: 'the judge is called with every ref of a push, for any ending of the names',
    run: (bench) =>
      pushing(bench, async ({ push }) => {
        const refs = Array.from({ length: 60 }, (_, index) => `refs/heads/${index}END`);
        const asked: string[] = [];
        bench.server.judge = async (updates) => {
          asked.push(...updates.map(({ ref }) => ref));
          return await accepting(updates);
        };
        const { code, stderr } = await push(...refs.map((ref) => `main:${ref}`));
        assert.equal(code, 0, stderr);
        assert.deepEqual(asked.sort(), refs.sort());
      }),
  },
  {
    name: 'with --atomic one refused ref refuses all',
    run: (bench) =>
      pushing(bench, async ({ id, push }) => {
        const told: boolean[] = [];
        bench.server.judge = async (updates, { atomic }) => {
          told.push(atomic);
          return updates.map(({ ref }) => ({ ref, refusal: ref === 'refs/heads/locked' ? 'locked it is' : undefined }));
        };
        const { code, stderr } = await push('--atomic', 'main', 'main:locked');
        assert.deepEqual(told, [true], 'the judge is given `atomic`');
        assert.equal(code, 1);
        assert.match(stderr, /locked it is/);
        assert.deepEqual(await bench.backend.refs(id, 'all'), []);
        assert.deepEqual(bench.server.landed, []);
      }),
  },
  {
    name: 'a push that is refused entirely leaves no object behind',
    run: (bench) =>
      pushing(bench, async ({ id, folder, push }) => {
        bench.server.judge = async (updates) => updates.map(({ ref }) => ({ ref, refusal: 'not today' }));
        const { code, stderr } = await push('main', 'main:other');
        assert.equal(code, 1);
        assert.equal(stderr.split('not today').length, 2, stderr);
        assert.equal(await bench.backend.entry(id, await must(folder, ['rev-parse', 'main']), ''), undefined);
        assert.deepEqual(await bench.traces(), []);
      }),
  },
  {
    name: 'a ref without a verdict is refused, and all refs are refused if the judge throws',
    run: (bench) =>
      pushing(bench, async ({ id, push }) => {
        bench.server.judge = async () => [{ ref: 'refs/heads/main', refusal: undefined }];
        assert.equal((await push('main', 'main:forgotten')).code, 1);
        assert.deepEqual(
          (await bench.backend.refs(id, 'all')).map(({ name }) => name),
          ['refs/heads/main'],
        );
        bench.server.judge = () => Promise.reject(new Error('secret detail'));
        const { code, stderr } = await push('main:failing');
        assert.equal(code, 1);
        assert.doesNotMatch(stderr, /secret detail/);
        assert.deepEqual(
          (await bench.backend.refs(id, 'all')).map(({ name }) => name),
          ['refs/heads/main'],
        );
      }),
  },
  {
    name: 'the judge can test for fast-forward while the objects are still in quarantine',
    run: (bench) =>
      pushing(bench, async ({ id, folder, push }) => {
        assert.equal((await push('main~1:refs/heads/main')).code, 0);
        const before = await bench.backend.size(id);
        const asked: boolean[] = [];
        const sizes: number[] = [];
        bench.server.judge = async (updates, objects) => {
          sizes.push(await objects.size());
          return await Promise.all(
            updates.map(async ({ ref, ...update }) => {
              const forward = update.old === zeroOid || (await objects.isAncestor(update.old, update.new));
              asked.push(forward);
              return { ref, refusal: forward ? undefined : 'force pushes are refused' };
            }),
          );
        };
        assert.equal((await push('main')).code, 0);
        assert.ok(before > 0 && (await bench.backend.size(id)) > before);
        await must(folder, ['checkout', '-q', '--orphan', 'apart']);
        await commitFile(folder, 'file', 'apart');
        const { code, stderr } = await push('-f', 'apart:main');
        assert.equal(code, 1);
        assert.match(stderr, /force pushes are refused/);
        assert.deepEqual(asked, [true, false]);
        // Roughly a commit, a tree and a blob, deflated.
        assert.ok(sizes.length === 2 && sizes.every((size) => size > 50 && size < 5000), sizes.join());
      }),
  },
  {
    name: 'refs of the forge itself can be neither pushed nor listed',
    run: (bench) =>
      pushing(bench, async ({ id, push }) => {
        const { code, stderr } = await push('main:refs/hexforge/x');
        assert.equal(code, 1);
        assert.match(stderr, /hidden ref/);
        assert.deepEqual(await bench.backend.refs(id, 'all'), []);
        assert.deepEqual(bench.server.landed, []);
      }),
  },
  {
    name: 'a push over 20 MB is accepted with progress output, and the blob can be read in chunks',
    run: (bench) =>
      pushing(bench, async ({ id, folder, push }) => {
        const content = randomBytes(20 * 1024 * 1024);
        await commitFile(folder, 'big.bin', content);
        const { code, stderr } = await push('--progress', 'main');
        assert.equal(code, 0, stderr);
        const entry = await bench.backend.entry(id, await must(folder, ['rev-parse', 'main']), 'big.bin');
        const blob = await bench.backend.blob(id, entry?.oid ?? '');
        assert.equal(blob.size, content.length);
        assert.ok((await bytesOf(blob.bytes)).equals(content));
        await must(bench.folder, ['clone', '-q', bench.server.url(id), `${id}-big`]);
        assert.equal(await must(`${bench.folder}/${id}-big`, ['hash-object', 'big.bin']), entry?.oid);
      }),
  },
  {
    name: 'of two concurrent pushes to one branch one moves it, and the other client gets an error',
    run: (bench) =>
      pushing(bench, async ({ id, folder, push }) => {
        await push('main');
        const other = `${bench.folder}/${id}-other`;
        await must(bench.folder, ['clone', '-q', bench.server.url(id), other]);
        const tips = [await commitFile(folder, 'a', 'a'), await commitFile(other, 'b', 'b')];
        bench.server.landed.length = 0;
        let waiting: (() => void)[] = [];
        bench.server.judge = async (updates) => {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            if (waiting.length === 2) {
              for (const resume of waiting) resume();
              waiting = [];
            }
          });
          return await accepting(updates);
        };
        const results = await Promise.all([push('main'), git(other, ['push', 'origin', 'main'])]);
        assert.deepEqual(new Set(results.map(({ code }) => code)), new Set([0, 1]));
        assert.equal(bench.server.landed.length, 1);
        assert.equal(await bench.backend.resolveCommit(id, 'main'), tips[results.findIndex(({ code }) => code === 0)]);
      }),
  },
  {
    name: 'deleting a ref that does not exist does not call `landed`',
    run: (bench) =>
      pushing(bench, async ({ id, push }) => {
        await push('main');
        const landed: unknown[] = [];
        const answer = await bench.backend.receivePack(id, {
          service: 'git-receive-pack',
          protocol: undefined,
          signal: never,
          judge: accepting,
          body: sent(`${line(`${one} ${zeroOid} refs/heads/absent\0report-status delete-refs`)}0000`),
          announced: async () => undefined,
          landed: async (updates) => void landed.push(updates),
        });
        await bytesOf(answer);
        assert.deepEqual(landed, []);
      }),
  },
  {
    name: 'broken objects and names that are dangerous in file systems are refused; small faults of old histories are accepted',
    run: (bench) =>
      pushing(bench, async ({ folder, push }) => {
        const blob = await must(folder, ['hash-object', '-w', '--stdin'], { input: 'x' });
        const commitOf = async (tree: string): Promise<string> => await must(folder, ['commit-tree', '-m', 'x', tree]);
        const evil = await must(folder, ['mktree'], { input: `100644 blob ${blob}\t.git\n` });
        await must(folder, ['update-ref', 'refs/heads/evil', await commitOf(evil)]);
        const { code, stderr } = await push('evil');
        assert.equal(code, 1);
        assert.match(stderr, /hasDotgit/);
        const old = await must(folder, ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'], {
          input: `tree ${await must(folder, ['rev-parse', 'main^{tree}'])}\nauthor A <a@b> 1 +051800\ncommitter A <a@b> 1 +0000\n\nx\n`,
        });
        await must(folder, ['update-ref', 'refs/heads/old', old]);
        assert.equal((await push('old')).code, 0);
      }),
  },
  {
    name: 'the empty request by which a client probes for access gets an empty answer, and no hook is called',
    run: (bench) =>
      pushing(bench, async ({ id }) => {
        const told = (): Promise<void> => Promise.reject(new Error('told of nothing'));
        const request = {
          service: 'git-receive-pack',
          protocol: undefined,
          signal: never,
          judge: accepting,
          announced: told,
          landed: told,
        } as const;
        assert.equal(
          (await bytesOf(await bench.backend.receivePack(id, { ...request, body: sent('0000') }))).length,
          0,
        );
      }),
  },
  {
    name: 'a body that is not a push is refused before any hook is called',
    run: (bench) =>
      pushing(bench, async ({ id }) => {
        const told = (): Promise<void> => Promise.reject(new Error('told of nothing'));
        const bodies = [
          '',
          '00',
          'zzzz',
          '0003',
          'ffff',
          line('hello'),
          `${line('hello')}0000`,
          `${line(`${one} ${zeroOid} refs/heads/x\0report-status`)}`,
          `${line(`${one} ${zeroOid}`)}0000`,
          `${line(`${zeroOid} ${one} refs/heads/x\n${zeroOid} ${one} refs/heads/y\0report-status`)}0000`,
          `${line(`${zeroOid} ${one} refs/heads/../../x\0report-status`)}0000`,
          `${line(`${zeroOid} ${one} HEAD\0report-status`)}0000`,
          // The same ref twice, or a name that is not UTF-8: the rules would judge another ref than the one that moves.
          `${line(`${one} ${'b'.repeat(40)} refs/heads/x\0report-status`)}${line(`${'b'.repeat(40)} ${zeroOid} refs/heads/x`)}0000`,
          `${line(`${zeroOid} ${one} refs/heads/x\0report-status`)}${line(`${zeroOid} ${one} refs/heads/x`)}0000`,
          `${rawLine(`${zeroOid} ${one} refs/heads/\xff\0report-status`)}0000`,
          `${rawLine(`${zeroOid} ${one} refs/tags/a\xc3\0report-status`)}0000`,
          `${line('push-cert\0report-status')}0000`,
          `${line(`${zeroOid} ${one} refs/heads/x`)}0000`,
          '0001',
          '0002',
        ];
        for (const body of bodies) {
          const request = {
            service: 'git-receive-pack',
            protocol: undefined,
            signal: never,
            judge: accepting,
            announced: told,
            landed: told,
            body: sent(body.slice(0, 3), body.slice(3)),
          } as const;
          await assert.rejects(
            bench.backend.receivePack(id, request),
            { name: 'ValidationFailed' },
            JSON.stringify(body.slice(0, 80)),
          );
        }
        const endless = async function* endless(): AsyncGenerator<Uint8Array> {
          for (;;)
            yield Buffer.from(line(`${zeroOid} ${one} refs/heads/${'x'.repeat(200)}\0report-status`).repeat(1000));
        };
        await assert.rejects(
          bench.backend.receivePack(id, {
            service: 'git-receive-pack',
            protocol: undefined,
            signal: never,
            judge: accepting,
            announced: told,
            landed: told,
            body: endless(),
          }),
          { name: 'PayloadTooLarge' },
        );
      }),
  },
  {
    name: 'a truncated pack or a body without a pack moves nothing and is reported as a refusal',
    run: (bench) =>
      pushing(bench, async ({ id, folder }) => {
        const tip = await must(folder, ['rev-parse', 'main']);
        const pack = await packOf(folder, tip);
        for (const bytes of [pack.subarray(0, pack.length / 2), Buffer.from('PACKgarbage'), Buffer.alloc(0)]) {
          const landed: unknown[] = [];
          const answer = await bench.backend.receivePack(id, {
            service: 'git-receive-pack',
            protocol: undefined,
            signal: never,
            judge: accepting,
            body: (async function* body() {
              yield Buffer.from(`${line(`${zeroOid} ${tip} refs/heads/main\0report-status side-band-64k`)}0000`);
              yield bytes;
            })(),
            announced: async () => undefined,
            landed: async (updates) => void landed.push(updates),
          });
          const text = (await bytesOf(answer).catch((error: unknown) => Buffer.from(String(error)))).toString('latin1');
          assert.doesNotMatch(text, /ok refs/, text);
          assert.deepEqual(landed, []);
        }
        assert.deepEqual(await bench.backend.refs(id, 'all'), []);
        assert.deepEqual(await bench.traces(), []);
      }),
  },
  {
    name: 'if `announced` rejects, the push stops before any object is read',
    run: (bench) =>
      pushing(bench, async ({ id }) => {
        let read = 0;
        const body = async function* body(): AsyncGenerator<Uint8Array> {
          yield Buffer.from(`${line(`${zeroOid} ${one} refs/heads/main\0report-status`)}0000`);
          read += 1;
          yield Buffer.from('PACK');
        };
        const request = {
          service: 'git-receive-pack',
          protocol: undefined,
          signal: never,
          judge: accepting,
          body: body(),
          announced: () => Promise.reject(new Error('not now')),
          landed: async () => undefined,
        } as const;
        await assert.rejects(bench.backend.receivePack(id, request), /not now/);
        assert.equal(read, 0);
      }),
  },
];

/** The pack of everything that a commit reaches. */
async function packOf(folder: string, tip: string): Promise<Buffer> {
  const name = await must(folder, ['pack-objects', '-q', '--revs', `${folder}/.git/sent`], { input: `${tip}\n` });
  const { readFile } = await import('node:fs/promises');
  return await readFile(`${folder}/.git/sent-${name}.pack`);
}
