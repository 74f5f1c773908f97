// Packs that are damaged, or made to cause harm: each is refused with a reason.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { hashOf } from '#adapters/git-wasm/objects/loose-objects';
import { ObjectCaches, ObjectStore } from '#adapters/git-wasm/objects/object-store';
import { baseDistance, entryHeader, packHead, typeCodes, type ObjectType } from '#adapters/git-wasm/packs/formats';
import { indexPack, type Indexed } from '#adapters/git-wasm/packing/index-pack';

const folder = await mkdtemp(join(tmpdir(), 'hexforge-wasm-packs-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const store = new ObjectStore([join(folder, 'objects')], new ObjectCaches());

const entry = (type: ObjectType, content: Buffer | string): Buffer =>
  Buffer.concat([entryHeader(typeCodes[type], Buffer.byteLength(content)), deflateSync(content)]);

const packOf = (count: number, ...entries: readonly Buffer[]): Buffer => {
  const body = Buffer.concat([packHead(count), ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
};

let made = 0;
async function indexed(pack: Buffer, tips: readonly string[] = []): Promise<Indexed> {
  const path = join(folder, `${(made += 1)}.pack`);
  await writeFile(path, pack);
  return indexPack(path, path.replace('.pack', '.idx'), store, tips);
}

const refuses = (t: Test, pack: Buffer, reason: RegExp, tips?: readonly string[]): Promise<unknown> =>
  t.rejects(indexed(pack, tips), { code: 'pack_refused', message: reason }, String(reason));

const blob = 'a file\n';
const treeOf = (...entries: readonly (readonly [mode: string, name: string, oid?: string])[]): Buffer =>
  Buffer.concat(
    entries.map(([mode, name, oid = hashOf('blob', Buffer.from(blob))]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
    ),
  );
const commitOf = (tree: Buffer): string =>
  `tree ${hashOf('tree', tree)}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`;

void t.test('a pack that is whole is taken in', async (t) => {
  const tree = treeOf(['100644', 'file']);
  const commit = commitOf(tree);
  const tip = hashOf('commit', Buffer.from(commit));
  t.equal(
    (await indexed(packOf(3, entry('blob', blob), entry('tree', tree), entry('commit', commit)), [tip])).objects,
    3,
  );
});

void t.test('dangerous and malformed objects are refused with their fault', async (t) => {
  const withTree = (tree: Buffer): Buffer => packOf(2, entry('blob', blob), entry('tree', tree));
  for (const [name, fault] of [
    ['.git', /hasDotgit/],
    ['.GIT', /hasDotgit/],
    ['.git ', /hasDotgit/],
    ['.git::$INDEX_ALLOCATION', /hasDotgit/],
    ['git~1', /hasDotgit/],
    ['.g\u200cit', /hasDotgit/],
    ['..', /hasDotdot/],
    ['.', /hasDot:/],
    ['a/b', /fullPathname/],
    ['', /emptyName/],
  ] as const)
    await refuses(t, withTree(treeOf(['100644', name])), fault);
  await refuses(t, withTree(treeOf(['100644', 'b'], ['100644', 'a'])), /treeNotSorted/);
  await refuses(t, withTree(treeOf(['100644', 'a'], ['100644', 'a'])), /treeNotSorted|duplicateEntries/);
  await refuses(t, withTree(treeOf(['123456', 'a'])), /badFilemode/);
  await refuses(t, withTree(treeOf(['100644', 'a', '0'.repeat(40)])), /nullSha1/);
  await refuses(t, withTree(treeOf(['120000', '.gitmodules'])), /gitmodulesSymlink/);
  await refuses(t, packOf(1, entry('tree', Buffer.from('100644 a\0short'))), /badTree/);
  await refuses(t, packOf(1, entry('commit', 'tree nonsense\n\n')), /badTreeSha1/);
  await refuses(t, packOf(1, entry('commit', `tree ${'a'.repeat(40)}\n\n`)), /missingAuthor/);
  await refuses(t, packOf(1, entry('tag', 'object nonsense\n')), /badObjectSha1/);
  const modules = '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n';
  const oid = hashOf('blob', Buffer.from(modules));
  await refuses(
    t,
    packOf(2, entry('blob', modules), entry('tree', treeOf(['100644', '.gitmodules', oid]))),
    /gitmodulesUrl/,
  );
});

void t.test('objects that refer to missing ones are refused', async (t) => {
  await refuses(t, packOf(1, entry('tree', treeOf(['100644', 'file']))), /missing necessary objects/);
  await refuses(t, packOf(1, entry('blob', blob)), /missing necessary objects/, ['b'.repeat(40)]);
});

void t.test('packs that claim more than they hold are refused', async (t) => {
  await refuses(t, packOf(2, entry('blob', blob)), /early EOF|inflate/);
  await refuses(t, packOf(0xffffffff), /objects; this server takes at most/);
  await refuses(t, packOf(1, entry('blob', blob), entry('blob', 'junk')), /junk at the end/);
  const large = Buffer.concat([entryHeader(typeCodes.blob, 2 ** 40), deflateSync(blob)]);
  await refuses(t, packOf(1, large), /this server takes at most/);
  const longer = Buffer.concat([entryHeader(typeCodes.blob, 3), deflateSync(Buffer.alloc(10_000_000))]);
  await refuses(t, packOf(1, longer), /inflate/);
  const itself = Buffer.concat([entryHeader(6, 5), baseDistance(0), deflateSync(Buffer.from('\x01\x01\x01a\x01'))]);
  await refuses(t, packOf(1, itself), /unresolved|delta|unknown/);
  const nowhere = Buffer.concat([
    entryHeader(7, 5),
    Buffer.alloc(20, 1),
    deflateSync(Buffer.from('\x01\x01\x01a\x01')),
  ]);
  await refuses(t, packOf(1, nowhere), /unresolved/);
});

void t.test('a pack with any damaged byte is refused', async (t) => {
  const tree = treeOf(['100644', 'file']);
  const whole = packOf(3, entry('blob', blob), entry('tree', tree), entry('commit', commitOf(tree)));
  let refused = 0;
  for (let at = 0; at < whole.length - 20; at += 1)
    for (const bit of [1, 16, 128]) {
      const body = Buffer.from(whole.subarray(0, -20));
      body[at] = (body[at] ?? 0) ^ bit;
      // With a checksum that fits, so that the entries themselves are read.
      const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
      const tip = hashOf('commit', Buffer.from(commitOf(tree)));
      await indexed(pack, [tip]).then(
        // The version, unused bits and the like make no difference to the objects.
        ({ objects }) => t.equal(objects, 3),
        (error: { readonly code?: string; readonly message: string }) => {
          refused += 1;
          if (error.code !== 'pack_refused') t.fail(`byte ${at}, bit ${bit}: ${error.message}`);
        },
      );
    }
  t.ok(refused > 2 * whole.length, `${refused} of ${3 * whole.length} damaged packs are refused`);
});
