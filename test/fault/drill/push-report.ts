// What the stock git client says became of a push, ref by ref.
import type { Ran } from '../churn-git.ts';

/** `unreached`: nothing was sent that could have moved a ref. `open`: nobody knows. */
type Told =
  | { readonly outcome: 'done' | 'open' | 'unreached' }
  | { readonly outcome: 'refused'; readonly words: string };

/** What `git push --porcelain` says became of one ref. */
export function toldOf({ code, stdout, stderr }: Ran, ref: string): Told {
  const [flag, , summary = ''] =
    stdout
      .split('\n')
      .find((line) => line.split('\t')[1]?.endsWith(`:${ref}`))
      ?.split('\t') ?? [];
  const broken = /hung up|unexpected disconnect|early EOF|RPC failed;.* curl (?!22 )|no end after/.test(stderr);
  // Where a connection broke, git names the status of the answer before: its first question is without a credential.
  const [, status] = /requested URL returned error: (?!401)(\d+)/.exec(stderr) ?? [];
  if (flag === '!') {
    const [, words = summary] = /\[remote rejected\] \((.*)\)/.exec(summary) ?? [];
    if (summary.includes('[remote rejected]')) {
      // The word of the report alone tells no cause; the line before may.
      const [, unpacking = ''] = /remote unpack failed: (.*)/.exec(stderr) ?? [];
      const all = words === 'unpacker error' ? `${words}: ${unpacking}` : words;
      return { outcome: 'refused', words: all.slice(0, 100) };
    }
    // By the client itself, before anything was sent.
    if (summary.includes('[rejected]')) return { outcome: 'unreached' };
    return status === undefined ? { outcome: 'open' } : { outcome: 'refused', words: `HTTP ${status}` };
  }
  // Without `--verbose`, refs that stood there already are not named.
  if (code === 0 || (flag !== undefined && !broken)) return { outcome: 'done' };
  if (status !== undefined) return { outcome: 'refused', words: `HTTP ${status}` };
  if (/^fatal: repository '.*' not found/m.test(stderr)) return { outcome: 'refused', words: 'HTTP 404' };
  // Asking for the refs already failed.
  return { outcome: /^fatal: (unable to access|Authentication failed)/m.test(stderr) ? 'unreached' : 'open' };
}
