// Renders Markdown and highlights code in a thread, with bounds on time, queue and memory, and keeps the results.
import { createHash } from 'node:crypto';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';
import { Lru } from '#core/kernel/limits/lru';
import {
  longest,
  type MarkdownPlace,
  type Rendered,
  type RenderedLines,
  type RenderedMarkdown,
  type Task,
} from './tasks.ts';
import { defaultTimes, HostileText, MarkupThread, type ThreadTimes } from './thread.ts';

export { cutAtReferences } from './references.ts';
export type { MarkdownPlace, MarkdownRepository, Reference, RenderedMarkdown } from './tasks.ts';

export interface RendererOptions {
  /** The caller key of the current work, by which the queue is shared. */
  readonly caller: () => string | undefined;
  /** Called with the reason if a text is shown unformatted. */
  readonly failed?: (reason: string) => void;
  readonly times?: Partial<ThreadTimes> & { readonly wait?: number };
}

/** Undefined results mean that the text must be shown unformatted. */
export interface Renderer {
  markdown(text: string, place: MarkdownPlace): Promise<RenderedMarkdown | undefined>;
  /** @param oid the object id of the text, under which the result is kept. */
  code(text: string, language: string, oid?: string): Promise<RenderedLines | undefined>;
  close(): Promise<void>;
}

/** Texts that wait, of all callers and of one. */
const queue = { all: 200, caller: 20 } as const;
/** Milliseconds of waiting after which a text is shown unformatted. */
const longestWait = 3000;
/** UTF-16 code units of kept results. */
const kept = 16 * 1024 * 1024;
/** Failed texts that are remembered, so that they do not occupy the thread again, and for how many milliseconds. */
const failures = { most: 1000, hostile: 60_000, late: 2000 } as const;

export function renderer({ caller, failed, times }: RendererOptions): Renderer {
  const thread = new MarkupThread({ ...defaultTimes, ...times });
  const turns = new FairLimiter({
    slots: 1,
    queue: queue.all,
    share: { slots: 1, queue: queue.caller },
    now: () => performance.now(),
    refusal: () => new Error('Too many texts wait'),
  });
  const results = new Lru<Rendered>(kept);
  const failedUntil = new Lru<number>(failures.most);
  const running = new Map<string, Promise<Rendered | undefined>>();

  const made = async (key: string, task: Task): Promise<Rendered | undefined> => {
    try {
      const release = await turns.acquire(caller(), AbortSignal.timeout(times?.wait ?? longestWait));
      try {
        const result = await thread.run(task);
        results.set(key, result, weightOf(result));
        return result;
      } finally {
        release();
      }
    } catch (error) {
      failedUntil.set(key, performance.now() + failures[error instanceof HostileText ? 'hostile' : 'late']);
      failed?.(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };

  const find = async (key: string, task: Task): Promise<Rendered | undefined> => {
    if (task.text.length > longest.text) return undefined;
    const known = results.get(key);
    if (known !== undefined) return known;
    if (performance.now() < (failedUntil.get(key) ?? 0)) return undefined;
    const begun = running.get(key) ?? made(key, task).finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  };

  return {
    markdown: (text, place) =>
      find(`markdown ${digest(JSON.stringify([place, text]))}`, { kind: 'markdown', text, place }) as Promise<
        RenderedMarkdown | undefined
      >,
    code: (text, language, oid) =>
      find(`code ${oid ?? digest(text)} ${String(text.length)} ${language}`, {
        kind: 'code',
        text,
        language,
      }) as Promise<RenderedLines | undefined>,
    close: () => thread.end(),
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

/** The length of all texts. A string that is an entry of a list takes some room besides. */
function weightOf(result: Rendered): number {
  const texts = 'segments' in result ? result.segments : result;
  return texts.reduce((sum, text) => sum + text.length + 16, 'segments' in result ? result.references.length * 32 : 0);
}
