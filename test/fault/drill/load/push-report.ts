// Parses the output of the stock git client to the outcome of a push per ref.
import type { Ran } from '../../churn-git.ts';

/** `unreached`: nothing was sent that could have moved a ref. `open`: the outcome is unknown. */
type Told =
  | { readonly outcome: 'done' | 'open' | 'unreached' }
  | { readonly outcome: 'refused'; readonly words: string };

/** The outcome of one ref in the output of `git push --porcelain`. */
export function toldOf({ code, stdout, stderr }: Ran, ref: string): Told {
  const [flag, , summary = ''] =
    stdout
      .split('\n')
      .find((line) => line.split('\t')[1]?.endsWith(`:${ref}`))
      ?.split('\t') ?? [];
  const broken = /hung up|unexpected disconnect|early EOF|RPC failed;.* curl (?!22 )|no end after/.test(stderr);
  // When a connection breaks, git prints the status of an earlier answer; its first request has no credential and gets
  // 401.
  const [, status] = /requested URL returned error: (?!401)(\d+)/.exec(stderr) ?? [];
  if (flag === '!') {
    const [, words = summary] = /\[remote rejected\] \((.*)\)/.exec(summary) ?? [];
    if (summary.includes('[remote rejected]')) {
      // The report has no cause, but the line before it may have one.
      const [, unpacking = ''] = /remote unpack failed: (.*)/.exec(stderr) ?? [];
      const all = words === 'unpacker error' ? `${words}: ${unpacking}` : words;
      return { outcome: 'refused', words: all.slice(0, 100) };
    }
    // Rejected by the client itself before anything was sent.
    if (summary.includes('[rejected]')) return { outcome: 'unreached' };
    return status === undefined ? { outcome: 'open' } : { outcome: 'refused', words: `HTTP ${status}` };
  }
  // Without `--verbose`, unchanged refs are not listed.
  if (code === 0 || (flag !== undefined && !broken)) return { outcome: 'done' };
  if (status !== undefined) return { outcome: 'refused', words: `HTTP ${status}` };
  if (/^fatal: repository '.*' not found/m.test(stderr)) return { outcome: 'refused', words: 'HTTP 404' };
  // The request for the refs failed.
  return { outcome: /^fatal: (unable to access|Authentication failed)/m.test(stderr) ? 'unreached' : 'open' };
}
