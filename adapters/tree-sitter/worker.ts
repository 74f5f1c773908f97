// The worker that reads symbols: it loads grammars when they are first needed, and answers one text after another.
import { parentPort } from 'node:worker_threads';
import { Extraction, LateText, MissingGrammar } from './extraction.ts';
import { limits, type Answer, type Message, type Request } from './messages.ts';

const extraction = await Extraction.start();

async function answer({ id, grammar, text }: Request): Promise<Answer> {
  try {
    const definitions = await extraction.definitions(grammar, text);
    return { id, definitions, full: extraction.memory > limits.kept };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof LateText) return { id, definitions: [], late: true, full: extraction.memory > limits.kept };
    return { id, definitions: [], ...(error instanceof MissingGrammar ? { missing: reason } : { failed: reason }) };
  }
}

const send = (message: Message): void => parentPort?.postMessage(message);

/** One text at a time: loading a grammar waits. */
let last = Promise.resolve();
parentPort?.on('message', (request: Request) => {
  last = last.then(async () => send(await answer(request)));
});
send('ready');
