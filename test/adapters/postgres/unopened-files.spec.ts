// The file system of the embedded database when a file cannot be created or opened: nothing is left, so PostgreSQL can
// retry.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { forgetUnopened } from '#adapters/postgres/embedded/durable-fs';

/** Emscripten's order: the name is registered, then the file is created. */
function emscripten(folder: string) {
  const known = new Set<string>();
  const failing = { make: false, open: false };
  const node_ops = {
    mknod: (_parent: unknown, name: string): unknown => {
      known.add(name);
      if (failing.make) throw new Error('EMFILE');
      writeFileSync(join(folder, name), '');
      return name;
    },
  };
  const streams = new Set<number>();
  const stream_ops = {
    open: () => {
      if (failing.open) throw new Error('EMFILE');
    },
  };
  const names = {
    filesystems: {
      NODEFS: {
        node_ops,
        stream_ops,
        realPath: (node: unknown) => join(folder, String(node)),
        tryFSOperation: (call: () => void) => call(),
      },
    },
    lookupNode: (_parent: unknown, name: string) => name,
    destroyNode: (node: unknown) => void known.delete(String(node)),
    closeStream: (fd: number) => void streams.delete(fd),
  };
  forgetUnopened(names);
  const { mknod } = names.filesystems.NODEFS.node_ops;
  const opened: (stream: { readonly node: unknown; readonly fd: number }) => void =
    names.filesystems.NODEFS.stream_ops.open;
  let fd = 0;
  const open = (node: unknown): void => {
    streams.add((fd += 1));
    opened({ node, fd });
  };
  return { known, streams, failing, mknod: (name: string) => mknod({}, name), open };
}

void t.test('a file that could not be created or opened leaves no name, and an existing one is kept', async (t) => {
  const folder = t.testdir();
  const { known, streams, failing, mknod, open } = emscripten(folder);
  failing.make = true;
  t.throws(() => mknod('one'), /EMFILE/);
  t.strictSame([...known], []);
  failing.make = false;
  failing.open = true;
  const node = mknod('one');
  t.throws(() => open(node), /EMFILE/);
  t.strictSame([...known], []);
  t.notOk(existsSync(join(folder, 'one')));
  failing.open = false;
  const there = mknod('one');
  open(there);
  failing.open = true;
  t.throws(() => open(there), /EMFILE/);
  t.strictSame([...known], ['one']);
  t.ok(existsSync(join(folder, 'one')));
  t.strictSame([...streams], [2], 'a file that was not opened has no descriptor');
});
