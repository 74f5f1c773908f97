// Preloaded into a server by fault drills: keeps one byte in a file, `1` while the embedded database has an open
// transaction.
import { openSync, writeSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

const path = process.env.HEXFORGE_TEST_TRANSACTION_FILE;
if (isMainThread && path !== undefined) {
  const file = openSync(path, 'w');
  const tell = (state: '0' | '1'): number => writeSync(file, state, 0);
  const ending = new Set<unknown>();
  const watched = new WeakSet<Worker>();
  const post: Worker['postMessage'] = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function postMessage(
    this: Worker,
    message: { id?: unknown; sql?: unknown },
    ...rest: []
  ) {
    if (!watched.has(this)) {
      watched.add(this);
      this.on('message', ({ id }: { id?: unknown }) => {
        if (ending.delete(id)) tell('0');
      });
    }
    const sql = typeof message.sql === 'string' ? message.sql.toLowerCase() : '';
    if (sql.startsWith('begin')) tell('1');
    if (sql === 'commit' || sql === 'rollback') ending.add(message.id);
    post.call(this, message, ...rest);
  };
}
