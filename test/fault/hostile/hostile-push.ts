// Pushes refs that may be rejected: first the branch for reading, then the rest together, or one by one if that fails.
import { stock, type PackWriter } from './pack-writer.ts';

const basis = ['refs/heads/main', 'refs/heads/first'];
/** The maximum number of refs that are pushed one by one. */
const few = 40;
/**
 * The time limit of one push, in multiples of `patienceMs`: stock git needs minutes to push ten thousand refs over
 * HTTP.
 */
const pushPatience = 20;
const broken = /HTTP 5\d\d|unexpected disconnect|hung up/;
/** A push that is rejected before git runs has only a status. */
const refused = /HTTP 4\d\d/;

/** @returns the failures; a clean rejection is not a failure. */
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

/** The refs that the server has. */
export async function refsOf(remote: string): Promise<Map<string, string>> {
  const { stdout } = await stock(['ls-remote', '--refs', remote]);
  return new Map(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(41), line.slice(0, 40)] as const),
  );
}
