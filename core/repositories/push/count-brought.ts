// After a pruning: forgets the bytes of merge requests whose objects are gone, and measures those of the open ones
// again. So force pushes, shared commits and interrupted work count for as long as their objects are there.
import type { Brought } from '../model/brought.ts';
import type { KeptRequest, KeptRequests } from '../model/offers.ts';
import type { RepositoryParts } from '../model/parts.ts';

/** How many rows or requests of a repository are read at a time. */
const rowsAtOnce = 1000;
const requestsAtOnce = 200;
/** The most requests of one repository that are measured, and the most rows that are changed. */
const most = 1000;
/** Only the objects of larger requests are pruned sooner than those of pushes. */
const largeBytes = 64 * 1024 ** 2;

type Parts = Pick<RepositoryParts, 'brought' | 'git' | 'unitOfWork' | 'clock'> & {
  /** Undefined if no plugin has merge requests: then nothing is measured. */
  readonly keptRequests: () => KeptRequests | undefined;
};

/** Whether the objects of a request make the repository due for pruning after a day. */
export const isLarge = ({ bytes }: Pick<Brought, 'bytes'>): boolean => bytes >= largeBytes;

/** Which objects of closed requests are still there. */
export type LetGo = 'none' | 'small' | 'large';

/**
 * Objects of requests that were closed before `before` have been pruned, and no longer count for their authors.
 * @returns which objects of other closed requests are still there.
 */
export async function forgetBrought(parts: Parts, repositoryId: string, before: Date): Promise<LetGo> {
  const { brought, unitOfWork } = parts;
  let left: LetGo = 'none';
  for await (const rows of rowsOf(parts, repositoryId)) {
    const gone = rows.filter(({ letGoAt }) => letGoAt !== null && letGoAt < before);
    for (const row of rows)
      if (row.letGoAt !== null && row.letGoAt >= before && left !== 'large') left = isLarge(row) ? 'large' : 'small';
    if (gone.length > 0)
      await unitOfWork.run(() =>
        brought.deleteMany({ where: {}, among: { requestId: gone.map(({ requestId }) => requestId) } }),
      );
  }
  return left;
}

async function* rowsOf({ brought }: Pick<Parts, 'brought'>, repositoryId: string): AsyncGenerator<readonly Brought[]> {
  for (let after: Pick<Brought, 'requestId'> | undefined; ;) {
    const rows = await brought.find({
      where: { repositoryId },
      orderBy: ['requestId'],
      limit: rowsAtOnce,
      ...(after !== undefined && { after }),
    });
    yield rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1);
  }
}

/**
 * Makes the bytes of each open request those of the objects that it alone keeps in the target. Objects that several
 * requests keep count for the one with the smallest id. Rows of requests that are not open are let go.
 */
export async function measureBrought(parts: Parts, repositoryId: string, signal: AbortSignal): Promise<void> {
  const provider = parts.keptRequests();
  if (provider === undefined) return;
  // Read before the requests: a row that is added later belongs to a request that was opened meanwhile.
  const known = new Map<string, Brought>();
  for await (const rows of rowsOf(parts, repositoryId)) for (const row of rows) known.set(row.requestId, row);
  const { requests, last } = await openRequests(provider, repositoryId);
  const open = new Set(requests.map(({ requestId }) => requestId));
  const ended = [...known.values()].filter(
    ({ requestId, letGoAt }) => letGoAt === null && !open.has(requestId) && (last === undefined || requestId <= last),
  );
  const sizes = await parts.git.ownBytes(
    repositoryId,
    requests.map(({ commit }) => commit),
    signal,
  );
  const changed = requests.flatMap(({ requestId, userId }, index) => {
    const bytes = sizes[index] ?? 0;
    const row = known.get(requestId);
    const isKept = row?.letGoAt === null || row === undefined;
    return isKept && (row?.bytes ?? 0) !== bytes ? [{ requestId, repositoryId, userId, bytes, letGoAt: null }] : [];
  });
  await write(parts, known, { changed: changed.slice(0, most), ended: ended.slice(0, most) });
}

/** At most `most` of them. @returns `last` if there may be more: the id of the last one. */
async function openRequests(
  provider: KeptRequests,
  repositoryId: string,
): Promise<{ readonly requests: readonly KeptRequest[]; readonly last: string | undefined }> {
  const requests: KeptRequest[] = [];
  while (requests.length < most) {
    const next = await provider.into(repositoryId, requests.at(-1)?.requestId, requestsAtOnce);
    requests.push(...next);
    if (next.length < requestsAtOnce) return { requests, last: undefined };
  }
  return { requests, last: requests.at(-1)?.requestId };
}

/** Leaves out rows that were changed meanwhile: the next pruning measures them. */
async function write(
  { brought, unitOfWork, clock }: Parts,
  known: ReadonlyMap<string, Brought>,
  { changed, ended }: { readonly changed: readonly Brought[]; readonly ended: readonly Brought[] },
): Promise<void> {
  const ids = [...changed, ...ended].map(({ requestId }) => requestId);
  if (ids.length === 0) return;
  await unitOfWork.run(async () => {
    const rows = await brought.find({ where: {}, among: { requestId: ids }, orderBy: ['requestId'] }, 'held');
    const present = new Map(rows.map((row) => [row.requestId, row]));
    const isSame = ({ requestId }: Brought): boolean => present.get(requestId)?.bytes === known.get(requestId)?.bytes;
    const idsOf = (some: readonly Brought[]) => some.filter(isSame).map(({ requestId }) => requestId);
    await brought.deleteMany({ where: { letGoAt: null }, among: { requestId: idsOf(changed) } });
    await brought.addMany(changed.filter((row) => isSame(row) && row.bytes > 0));
    await brought.updateMany(
      { where: { letGoAt: null }, among: { requestId: idsOf(ended) } },
      { letGoAt: clock.now() },
    );
  });
}
