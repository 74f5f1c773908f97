// The thread that renders texts: it loads the libraries, and answers one task after another.
import { parentPort } from 'node:worker_threads';
import { highlighted, loaded, plainLines } from './highlight.ts';
import { renderedMarkdown } from './markdown.ts';
import type { Message, Rendered, Request, Task } from './tasks.ts';

async function rendered(task: Task): Promise<Rendered> {
  if (task.kind === 'markdown') return renderedMarkdown(task.text, task.place);
  await loaded(task.language);
  return highlighted(task.text, task.language) ?? plainLines(task.text);
}

const answer = (message: Message): void => parentPort?.postMessage(message);

parentPort?.on('message', ({ id, task }: Request) => {
  rendered(task).then(
    (result) => answer({ id, result }),
    (error: unknown) => answer({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});

// The first text must not wait for the compiler.
const place = { breaks: false, file: true, ids: '', origin: 'http://localhost' };
await renderedMarkdown(
  '# A *title* with `code` @name\n\n- [x] [a](b) <b>c</b>\n\n| a |\n|---|\n| b |\n\n```js\n1\n```',
  place,
);
answer('ready');
