// A worker thread: runs the tasks of the adapter, one after another, with the repositories it keeps open.
import { parentPort } from 'node:worker_threads';
import { archiveTasks } from '../archives/archive-tasks.ts';
import { diffTasks } from '../diffs/diff-tasks.ts';
import { historyTasks } from '../history/history-tasks.ts';
import { mergeTasks } from '../merging/merge-tasks.ts';
import { objectTasks } from '../objects/object-tasks.ts';
import { pushTasks } from '../push/push-tasks.ts';
import { sent } from '../threads/errors.ts';
import type { Tasks } from '../threads/registry.ts';
import type { TaskRequest } from '../threads/request.ts';
import { fetchTasks } from '../transport/fetch-tasks.ts';
import { upkeepTasks } from '../upkeep/upkeep-tasks.ts';
import { Stores, withContext } from './stores.ts';

const tasks: Tasks = {
  ...objectTasks,
  ...historyTasks,
  ...diffTasks,
  ...mergeTasks,
  ...pushTasks,
  ...fetchTasks,
  ...archiveTasks,
  ...upkeepTasks,
};

const stores = new Stores();

function run(request: TaskRequest): unknown {
  const task = tasks[request.task as keyof typeof tasks] as (...given: readonly unknown[]) => unknown;
  return withContext(stores, request, (context) => task(context, request.args));
}

parentPort?.on('message', (request: TaskRequest | { readonly forget: string }) => {
  if ('forget' in request) return stores.forget(request.forget);
  const { id } = request;
  try {
    const value = run(request);
    const moved =
      value instanceof Uint8Array && value.byteLength > 64 * 1024 && isOwn(value) ? [value.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ id, value }, moved);
  } catch (error) {
    parentPort?.postMessage({ id, error: sent(error) });
  }
});

/** Whether nothing else is in the memory of these bytes. */
const isOwn = (bytes: Uint8Array): boolean => bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
