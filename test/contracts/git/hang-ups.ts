// Checks of clients that disconnect during a clone, a push or a blob: no process and no temporary object remains.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { zeroOid, type RefUpdate } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { bytesOf, client, commitFile, eventually, fresh, never, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

const accepting = async (updates: readonly RefUpdate[]): Promise<{ ref: string; refusal: undefined }[]> =>
  updates.map(({ ref }) => ({ ref, refusal: undefined }));
const line = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

async function gone(bench: Bench): Promise<void> {
  await eventually(
    async () => bench.server.open === 0 && (await bench.traces()).length === 0,
    async () => [bench.server.open, await bench.traces()],
  );
}

/** A repository with an incompressible file of that many megabytes. */
async function heavy(
  bench: Bench,
  megabytes: number,
): Promise<{ readonly id: string; readonly folder: string; readonly blob: string }> {
  const id = await fresh(bench);
  const folder = await client(bench, id, []);
  await commitFile(folder, 'big', randomBytes(megabytes * 1024 * 1024));
  return { id, folder, blob: await must(folder, ['rev-parse', 'main:big']) };
}

async function* whole(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body, 'latin1');
}

/** Yields the head and then never ends. */
async function* stalled(head: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head, 'latin1');
  await new Promise(() => undefined);
}

export const hangUpChecks: readonly Check<Bench>[] = [
  {
    name: 'a clone, a blob and an advertisement whose reader stops leave no process',
    async run(bench) {
      const { id, folder, blob } = await heavy(bench, 4);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const tip = await must(folder, ['rev-parse', 'main']);
      const wanted = `${line(`want ${tip} side-band-64k\n`)}0000${line('done\n')}`;
      const streams = [
        () =>
          bench.backend.uploadPack(id, {
            service: 'git-upload-pack',
            protocol: undefined,
            signal: never,
            body: whole(wanted),
          }),
        async () => (await bench.backend.blob(id, blob)).bytes,
        () => bench.backend.advertise(id, { service: 'git-upload-pack', protocol: undefined, signal: never }),
      ];
      for (const open of streams) {
        const reader = (await open())[Symbol.asyncIterator]();
        assert.equal((await reader.next()).done, false);
        await reader.return?.();
        await gone(bench);
      }
    },
  },
  {
    name: 'a stream that is never read is released when its request is aborted',
    async run(bench) {
      const { id, folder, blob } = await heavy(bench, 4);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const tip = await must(folder, ['rev-parse', 'main']);
      const request = new AbortController();
      await bench.backend.uploadPack(id, {
        service: 'git-upload-pack',
        protocol: undefined,
        signal: request.signal,
        body: whole(`${line(`want ${tip} side-band-64k\n`)}0000${line('done\n')}`),
      });
      await bench.backend.blob(id, blob, request.signal);
      assert.notDeepEqual(await bench.traces(), []);
      request.abort(new Error('gone'));
      await gone(bench);
      const unread = (await bench.backend.blob(id, blob)).bytes[Symbol.asyncIterator]();
      await unread.return?.();
      await gone(bench);
    },
  },
  {
    name: 'a client killed during a clone leaves no process and no temporary object',
    async run(bench) {
      const { id, folder } = await heavy(bench, 8);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const kill = new AbortController();
      let answers = 0;
      bench.server.onAnswer = (action) => {
        // The first answer is the list of refs, the second the pack.
        if (action === 'git-upload-pack' && (answers += 1) === 2) kill.abort();
      };
      assert.equal(
        (await git(bench.folder, ['clone', '-q', bench.server.url(id), `${id}-cut`], { signal: kill.signal })).code,
        null,
      );
      bench.server.onAnswer = () => undefined;
      await gone(bench);
    },
  },
  {
    name: 'clients killed during a push leave nothing, and the repository is unchanged',
    async run(bench) {
      const { id, folder } = await heavy(bench, 16);
      for (let round = 0; round < 3; round += 1) {
        const kill = new AbortController();
        bench.server.onAnnounced = async () => kill.abort();
        assert.equal((await git(folder, ['push', '-q', 'origin', 'main'], { signal: kill.signal })).code, null);
        bench.server.onAnnounced = async () => undefined;
        await gone(bench);
        assert.deepEqual(await bench.backend.refs(id, 'all'), []);
      }
      await must(folder, ['push', '-q', 'origin', 'main']);
      assert.equal(await bench.backend.resolveCommit(id, 'main'), await must(folder, ['rev-parse', 'main']));
    },
  },
  {
    name: 'a push whose request ends before its pack leaves nothing, and its answer ends with the abort error',
    async run(bench) {
      const id = await fresh(bench);
      for (const how of ['signal', 'return'] as const) {
        const request = new AbortController();
        const answer = await bench.backend.receivePack(id, {
          service: 'git-receive-pack',
          protocol: undefined,
          signal: request.signal,
          judge: accepting,
          body: stalled(
            `${line(`${zeroOid} ${'a'.repeat(40)} refs/heads/main\0report-status side-band-64k`)}0000PACK\0\0\0\u0002\0\0\0\u0001`,
          ),
          announced: async () => undefined,
          landed: () => Promise.reject(new Error('nothing landed')),
        });
        const reader = answer[Symbol.asyncIterator]();
        await eventually(
          async () => (await bench.traces()).some((trace) => trace.includes('incoming')),
          () => bench.traces(),
        );
        if (how === 'return') await reader.return?.();
        else {
          request.abort(new Error('gone'));
          await assert.rejects(async () => {
            while ((await reader.next()).done !== true) continue;
          }, /gone/);
        }
        assert.deepEqual(await bench.traces(), [], how);
      }
    },
  },
  {
    name: 'a client that disconnects while its push is judged moves no ref',
    async run(bench) {
      const id = await fresh(bench);
      const folder = await client(bench, id);
      const kill = new AbortController();
      let answered = (): void => undefined;
      bench.server.judge = async (updates) => {
        kill.abort();
        await new Promise<void>((resolve) => {
          answered = resolve;
        });
        return await accepting(updates);
      };
      bench.server.landed.length = 0;
      await git(folder, ['push', '-q', 'origin', 'main'], { signal: kill.signal });
      await gone(bench);
      answered();
      bench.server.judge = accepting;
      assert.deepEqual(await bench.backend.refs(id, 'all'), []);
      assert.deepEqual(bench.server.landed, []);
    },
  },
  {
    name: 'a client that disconnects after its push was judged has pushed, and `landed` is called',
    async run(bench) {
      const id = await fresh(bench);
      const folder = await client(bench, id);
      const tip = await must(folder, ['rev-parse', 'main']);
      const name = await must(folder, ['pack-objects', '-q', '--revs', `${folder}/.git/sent`], { input: 'main\n' });
      const { readFile } = await import('node:fs/promises');
      const pack = await readFile(`${folder}/.git/sent-${name}.pack`);
      const request = new AbortController();
      const landed: (readonly RefUpdate[])[] = [];
      const answer = await bench.backend.receivePack(id, {
        service: 'git-receive-pack',
        protocol: undefined,
        signal: request.signal,
        judge: accepting,
        body: (async function* body() {
          yield Buffer.from(`${line(`${zeroOid} ${tip} refs/heads/main\0report-status`)}0000`);
          yield pack;
        })(),
        announced: async () => undefined,
        landed: async (updates) => {
          request.abort(new Error('gone'));
          landed.push(updates);
        },
      });
      await assert.rejects(bytesOf(answer), /gone/);
      assert.deepEqual(landed, [[{ ref: 'refs/heads/main', old: zeroOid, new: tip }]]);
      assert.equal(await bench.backend.resolveCommit(id, 'main'), tip);
      await gone(bench);
    },
  },
  {
    name: 'reads continue while many clones are unread',
    async run(bench) {
      const { id, folder } = await heavy(bench, 4);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const tip = await must(folder, ['rev-parse', 'main']);
      const request = new AbortController();
      const clones = Array.from({ length: 12 }, () =>
        bench.backend.uploadPack(id, {
          service: 'git-upload-pack',
          protocol: undefined,
          signal: request.signal,
          body: whole(`${line(`want ${tip} side-band-64k\n`)}0000${line('done\n')}`),
        }),
      );
      await Promise.all(clones);
      assert.equal((await bench.backend.entry(id, tip, 'big'))?.size, 4 * 1024 * 1024);
      assert.equal((await bench.backend.refs(id, 'all')).length, 1);
      assert.equal((await bench.backend.lastCommits(id, tip, '')).size, 1);
      request.abort(new Error('gone'));
      await gone(bench);
    },
  },
  {
    name: 'clients with unfinished requests do not block clones and pushes of others',
    async run(bench) {
      const { id, folder } = await heavy(bench, 1);
      await must(folder, ['push', '-q', 'origin', 'main']);
      const tip = await must(folder, ['rev-parse', 'main']);
      const idle = new AbortController();
      const common = { protocol: undefined, signal: idle.signal } as const;
      // More requests than there are slots, on any machine.
      const requests = Array.from({ length: 8 * availableParallelism() + 16 }, (_, index) =>
        index % 2 === 0
          ? bench.backend.uploadPack(id, {
              ...common,
              service: 'git-upload-pack',
              body: stalled(line(`want ${tip} side-band-64k\n`)),
            })
          : bench.backend.receivePack(id, {
              ...common,
              service: 'git-receive-pack',
              judge: accepting,
              body: stalled(`${line(`${zeroOid} ${tip} refs/heads/idle\0report-status`)}0000`),
              announced: async () => undefined,
              landed: () => Promise.reject(new Error('nothing landed')),
            }),
      );
      const outcomes = Promise.allSettled(requests);
      await must(bench.folder, ['clone', '-q', bench.server.url(id), `${id}-clone`]);
      await commitFile(folder, 'more', 'more');
      await must(folder, ['push', '-q', 'origin', 'main']);
      idle.abort(new Error('gone'));
      await outcomes;
      await gone(bench);
    },
  },
];
