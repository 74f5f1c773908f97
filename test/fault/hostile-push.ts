// Pushing what may well be refused: the branch that is read first, then the rest, one by one where it fails whole.
import { stock, type PackWriter } from './pack-writer.ts';

const basis = ['refs/heads/main', 'refs/heads/first'];
/** Refs that are worth a push each. */
const few = 40;
/** Patiences of one push: stock git itself works for minutes to push ten thousand refs over HTTP. */
const pushPatience = 20;
const broken = /HTTP 5\d\d|unexpected disconnect|hung up/;
/** A refusal before git has spoken is told by its status. */
const refused = /HTTP 4\d\d/;

/** @returns what broke; a clean refusal is none. */
export async function pushAll(
  source: string,
  remote: string,
  { refs }: PackWriter,
  patienceMs: number,
): Promise<string[]> {
  const faults: string[] = [];
  const push = async (refspecs: readonly string[]): Promise<boolean> => {
    const signal = AbortSignal.timeout(pushPatience * patienceMs);
    const { code, stderr } = await stock(['-C', source, 'push', '--quiet', remote, ...refspecs], undefined, signal);
    if (code === null) faults.push(`a push did not end in ${(pushPatience * patienceMs) / 1000} s`);
    else if (broken.test(stderr) && !refused.test(stderr)) faults.push(`a push broke: ${stderr.slice(0, 300)}`);
    return code === 0;
  };
  await push(basis.filter((ref) => refs.has(ref)).map((ref) => `${ref}:${ref}`));
  if (await push(['refs/*:refs/*'])) return faults;
  const rest = [...refs.keys()].filter((ref) => !basis.includes(ref));
  if (rest.length <= few) for (const ref of rest) await push([`${ref}:${ref}`]);
  return faults;
}

/** What the server has of it. */
export async function refsOf(remote: string): Promise<Map<string, string>> {
  const { stdout } = await stock(['ls-remote', '--refs', remote]);
  return new Map(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(41), line.slice(0, 40)] as const),
  );
}
