// An in-memory git back end for specs of use cases: trees of files, refs with compare-and-swap, scripted interruptions.
import { NotFound } from '#core/kernel/errors';
import {
  mergeRefs,
  zeroOid,
  type CommitToKeep,
  type Divergence,
  type FileWrite,
  type GitBackend,
  type Keeping,
  type KeepHooks,
  type LastCommit,
  type MergeCheck,
  type MergeOutcome,
  type MergeTrial,
  type MergeWrite,
  type Moving,
  type NewTag,
  type Oid,
  type PushHooks,
  type Ref,
  type ReceiveRequest,
  type RefUpdate,
  type Tip,
  type TreeEntry,
  type TreeListing,
  type WriteOutcome,
} from '#core/repositories/index';

interface File {
  readonly bytes: Uint8Array;
  readonly mode: '100644' | '120000' | '160000';
}

interface Stored {
  head: string;
  readonly refs: Map<string, Oid>;
}

/** When a push is interrupted, as by a killed process or a disconnected client. */
export type Break = 'before refs move' | 'after refs moved' | 'never';

export const oid = (seed: string | number): Oid =>
  Buffer.from(String(seed)).toString('hex').padEnd(40, '0').slice(0, 40);

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const types = { '100644': 'file', '120000': 'symlink', '160000': 'submodule' } as const;

export class FakeGit implements GitBackend {
  readonly repositories = new Map<string, Stored>();
  readonly commits = new Map<Oid, Map<string, File>>();
  readonly tags = new Map<Oid, NewTag>();
  readonly maintained: string[] = [];
  /** Bytes that a repository occupies, and bytes that a push adds. */
  takes = 0;
  brings = 0;
  /** Ids of pruned repositories, each with the time before which objects were pruned. */
  readonly pruned: [string, Date][] = [];
  /** The bytes of the objects that only this commit reaches. */
  readonly ownSizes = new Map<Oid, number>();
  /** Whether a pruning reports remaining objects. */
  remaining = false;
  whilePruning: (() => Promise<unknown>) | undefined;
  readonly calls: string[] = [];
  breaks: Break = 'never';
  /** Runs during a push, before it is judged. */
  whileReceiving: (() => Promise<unknown>) | undefined;
  /** Runs after refs are judged and before any has moved. */
  whileMoving: (() => Promise<unknown>) | undefined;
  /** Runs after each moved ref; before the next one the access of the push is rechecked. */
  whenMoved: (() => Promise<unknown>) | undefined;
  /** Whether pushes are atomic. */
  atomic = false;
  /** The reasons of rejected refs of the last push. */
  readonly sentences: string[] = [];
  /** The conflicting paths of every merge. */
  conflicts: readonly string[] | undefined;
  /** A concurrent change before refs move. */
  beforeRefsMove: (() => void) | undefined;
  /** Thrown by the next call of that name. */
  failing: { readonly name: string; readonly error: Error } | undefined;
  /** A list of refs that replaces the stored ones, for very many refs. */
  listed: ((kind: 'branches' | 'tags' | 'all') => readonly Ref[]) | undefined;
  /** Entries whose last commit is not known yet. */
  unknownLastCommits = new Set<string>();

  #call(name: string): void {
    this.calls.push(name);
    if (this.failing?.name !== name) return;
    const { error } = this.failing;
    this.failing = undefined;
    throw error;
  }

  #stored(repository: string): Stored {
    const stored = this.repositories.get(repository);
    if (stored === undefined) throw new Error(`no repository "${repository}" on disk`);
    return stored;
  }

  /** Makes the next call of that name fail. */
  failWith(name: string): void {
    this.failing = { name, error: new Error(`${name} failed`) };
  }

  /** Makes a commit; a file ending in `@` is a symbolic link, one ending in `!` a submodule. */
  commit(repository: string, ref: string, files: Readonly<Record<string, string | Uint8Array>>): Oid {
    const id = oid(this.commits.size + 1);
    this.commits.set(
      id,
      new Map(
        Object.entries(files).map(([path, content]) => [
          path.replace(/[@!]$/, ''),
          {
            bytes: typeof content === 'string' ? utf8(content) : content,
            mode: path.endsWith('@') ? '120000' : path.endsWith('!') ? '160000' : '100644',
          },
        ]),
      ),
    );
    this.#stored(repository).refs.set(ref, id);
    return id;
  }

  async create(repository: string, { defaultBranch }: { readonly defaultBranch: string }): Promise<void> {
    this.#call('create');
    if (!this.repositories.has(repository)) this.repositories.set(repository, { head: defaultBranch, refs: new Map() });
  }

  async fork(source: string, target: string, options: { readonly defaultBranch: string }): Promise<void> {
    this.#call('fork');
    const { refs } = this.#stored(source);
    await this.create(target, options);
    for (const [name, id] of refs) if (/^refs\/(heads|tags)\//.test(name)) this.#stored(target).refs.set(name, id);
  }

  async remove(repository: string): Promise<void> {
    this.#call('remove');
    this.repositories.delete(repository);
  }

  async exists(repository: string): Promise<boolean> {
    return this.repositories.has(repository);
  }

  async list(): Promise<readonly string[]> {
    return [...this.repositories.keys()];
  }

  async setDefaultBranch(repository: string, branch: string): Promise<void> {
    this.#call('setDefaultBranch');
    this.#stored(repository).head = branch;
  }

  async resolveCommit(repository: string, revision: string): Promise<Oid | undefined> {
    const { refs, head } = this.#stored(repository);
    const name = revision === 'HEAD' ? head : revision;
    return (
      refs.get(`refs/heads/${name}`) ??
      (revision === 'HEAD'
        ? undefined
        : (refs.get(`refs/tags/${name}`) ?? [...refs.values()].find((id) => name.length >= 4 && id.startsWith(name))))
    );
  }

  isLegalName(kind: 'branch' | 'tag', name: string): boolean {
    return (
      !(kind === 'branch' && name === 'HEAD') &&
      /^[^-\s~^:?*[\\\0][^\s~^:?*[\\\0]*$/.test(name) &&
      !name.includes('..') &&
      !name.endsWith('/') &&
      !name.endsWith('.lock')
    );
  }

  async refs(repository: string, kind: 'branches' | 'tags' | 'all') {
    const prefix = { branches: 'refs/heads/', tags: 'refs/tags/', all: 'refs/' }[kind];
    return [...this.#stored(repository).refs]
      .filter(([name]) => name.startsWith(prefix) && !name.startsWith(`${mergeRefs}/`))
      .map(([name, id]) => ({ name, oid: id }));
  }

  async refList(repository: string, kind: 'branches' | 'tags' | 'all') {
    this.#call('refList');
    const refs = this.listed?.(kind) ?? (await this.refs(repository, kind));
    return { refs, digest: JSON.stringify(refs) };
  }

  async readRefs(repository: string, names: readonly string[]): Promise<readonly Oid[]> {
    this.#call('readRefs');
    const { refs } = this.#stored(repository);
    return names.map((name) => refs.get(name) ?? zeroOid);
  }

  async tips(_repository: string, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Tip>> {
    return new Map(
      oids.flatMap((id): [Oid, Tip][] => {
        const tag = this.tags.get(id);
        if (tag !== undefined)
          return [[id, { kind: 'tag', target: tag.commit, message: tag.message, tagger: tag.tagger }]];
        return this.commits.has(id)
          ? [[id, { kind: 'commit', subject: `Commit ${id}`, author: 'Ada', committedAt: new Date(0) }]]
          : [];
      }),
    );
  }

  async divergence(_repository: string, _base: Oid, heads: readonly Oid[]): Promise<ReadonlyMap<Oid, Divergence>> {
    this.#call('divergence');
    return new Map(heads.map((head) => [head, { ahead: 1, behind: 2 }]));
  }

  async moveRefs(repository: string, updates: readonly RefUpdate[]): Promise<Moving> {
    this.#call('moveRefs');
    if (this.breaks === 'before refs move') throw new Error('killed before refs moved');
    const { refs } = this.#stored(repository);
    if (updates.some(({ ref, old }) => (refs.get(ref) ?? zeroOid) !== old)) return 'stale';
    if (
      updates.some(
        ({ ref, new: next }) =>
          next !== zeroOid && [...refs.keys()].some((name) => name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`)),
      )
    )
      return 'in-the-way';
    for (const update of updates) {
      if (update.new === zeroOid) refs.delete(update.ref);
      else refs.set(update.ref, update.new);
    }
    if (this.breaks === 'after refs moved') throw new Error('killed after refs moved');
    return 'moved';
  }

  async writeTag(_repository: string, tag: NewTag): Promise<Oid> {
    this.#call('writeTag');
    const id = oid(`tag ${this.tags.size}`);
    this.tags.set(id, tag);
    return id;
  }

  async keepCommit(repository: string, { from, commit, ref }: CommitToKeep, { judge }: KeepHooks): Promise<Keeping> {
    this.#call('keepCommit');
    if (this.breaks === 'before refs move') throw new Error('killed before refs moved');
    const { refs } = this.#stored(repository);
    const old = refs.get(ref) ?? zeroOid;
    if (!this.commits.has(commit) || !this.repositories.has(from)) throw new NotFound('The commit is not there');
    if (from !== repository && (await this.#move(repository, [{ ref, old, new: commit }], { judge })).length === 0)
      return 'refused';
    this.beforeRefsMove?.();
    if ((refs.get(ref) ?? zeroOid) !== (from === repository ? old : commit)) return 'stale';
    refs.set(ref, commit);
    if (this.breaks === 'after refs moved') throw new Error('killed after refs moved');
    return 'kept';
  }

  async entry(_repository: string, commit: Oid, path: string): Promise<TreeEntry | undefined> {
    this.#call('entry');
    const files = this.commits.get(commit);
    const file = files?.get(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (file !== undefined)
      return {
        name,
        type: types[file.mode],
        mode: file.mode,
        oid: oid(`${path}${file.bytes.length}`),
        size: file.mode === '160000' ? 0 : file.bytes.length,
      };
    const isFolder = path === '' || [...(files?.keys() ?? [])].some((known) => known.startsWith(`${path}/`));
    return isFolder ? { name, type: 'directory', mode: '040000', oid: `${commit} ${path}`, size: 0 } : undefined;
  }

  async tree(repository: string, tree: Oid): Promise<TreeListing> {
    const [commit = '', folder = ''] = tree.split(' ');
    const below = folder === '' ? '' : `${folder}/`;
    const names = new Set(
      [...(this.commits.get(commit)?.keys() ?? [])]
        .filter((path) => path.startsWith(below))
        .map((path) => path.slice(below.length).split('/')[0] ?? ''),
    );
    const entries = await Promise.all([...names].sort().map((name) => this.entry(repository, commit, below + name)));
    return { entries: entries.flatMap((entry) => entry ?? []), truncated: false };
  }

  async lastCommits(repository: string, commit: Oid, path: string): Promise<ReadonlyMap<string, LastCommit>> {
    this.#call('lastCommits');
    const { entries } = await this.tree(repository, `${commit} ${path}`);
    return new Map(
      entries
        .filter(({ name }) => !this.unknownLastCommits.has(name))
        .map(({ name }) => [name, { oid: commit, subject: `Add ${name}`, committedAt: new Date(0) }]),
    );
  }

  async blob(_repository: string, id: Oid) {
    this.#call('blob');
    for (const files of this.commits.values()) {
      for (const [path, { bytes }] of files)
        if (oid(`${path}${bytes.length}`) === id) return { oid: id, size: bytes.length, bytes: chunked(bytes) };
    }
    throw new Error(`no object ${id}`);
  }

  commitRecord = unasked;
  history = unasked;
  difference = unasked;
  patch = unasked;
  mergeBase = unasked;
  blame = unasked;
  archive = unasked;
  sizes = unasked;
  treeChanges = unasked;

  /** The commit has the files of its parent with one changed. */
  async write(
    repository: string,
    { ref, parent, old = parent, path, file, message, author, committer }: FileWrite,
    hooks: PushHooks,
  ): Promise<WriteOutcome> {
    this.#call('write');
    const id = oid(this.commits.size + 1);
    const files = new Map(this.commits.get(parent));
    if (file === undefined) files.delete(path);
    else files.set(path, { bytes: file.content, mode: '100644' });
    this.commits.set(id, files);
    const updates = [{ ref, old, new: id }];
    await hooks.announced(updates);
    this.beforeRefsMove?.();
    const moved = await this.#move(repository, updates, hooks);
    if (moved.length > 0) await hooks.landed(moved);
    const commit = { oid: id, message, author, committer, parents: parent === zeroOid ? [] : [parent] };
    return {
      commit,
      blob: file === undefined ? undefined : oid(`${path}${file.content.length}`),
      refusal: moved.length > 0 ? undefined : 'failed to update ref',
    };
  }

  async tryMerge(_repository: string, _trial: MergeTrial): Promise<MergeCheck> {
    this.#call('tryMerge');
    return { clean: this.conflicts === undefined, conflicts: this.conflicts ?? [] };
  }

  /** A merge has the files of both sides; ancestry is not tracked. */
  async merge(repository: string, { ref, target, source }: MergeWrite, hooks: PushHooks): Promise<MergeOutcome> {
    this.#call('merge');
    if (this.conflicts !== undefined) return { kind: 'conflict', conflicts: this.conflicts };
    const files = new Map([...(this.commits.get(target) ?? []), ...(this.commits.get(source) ?? [])]);
    if (files.size === this.commits.get(target)?.size) return { kind: 'nothing' };
    const id = oid(this.commits.size + 1);
    this.commits.set(id, files);
    const updates = [{ ref, old: target, new: id }];
    await hooks.announced(updates);
    this.beforeRefsMove?.();
    const moved = await this.#move(repository, updates, hooks);
    if (moved.length > 0) await hooks.landed(moved);
    return { kind: 'made', oid: id, refusal: moved.length > 0 ? undefined : 'failed to update ref' };
  }

  async advertise(): Promise<AsyncIterable<Uint8Array>> {
    return chunked(utf8('advertisement'));
  }

  async uploadPack(): Promise<AsyncIterable<Uint8Array>> {
    return chunked(utf8('pack'));
  }

  /** The body is the list of updates as JSON. */
  async receivePack(repository: string, request: ReceiveRequest): Promise<AsyncIterable<Uint8Array>> {
    const text = await Array.fromAsync(request.body, (chunk) => new TextDecoder().decode(chunk));
    const updates = JSON.parse(text.join('')) as RefUpdate[];
    this.sentences.length = 0;
    const run = async function* (this: FakeGit): AsyncGenerator<Uint8Array> {
      await request.announced(updates);
      if (this.breaks === 'before refs move') throw new Error('killed before refs moved');
      await this.whileReceiving?.();
      const moved = await this.#move(repository, updates, request);
      if (this.breaks === 'after refs moved') throw new Error('killed after refs moved');
      if (moved.length > 0) await request.landed(moved);
      yield utf8(moved.map(({ ref }) => ref).join(','));
    };
    return run.call(this);
  }

  async #move(
    repository: string,
    updates: readonly RefUpdate[],
    { judge, stands }: Pick<ReceiveRequest, 'judge' | 'stands'>,
  ): Promise<RefUpdate[]> {
    const { refs } = this.#stored(repository);
    const verdicts = await judge(updates, {
      isAncestor: async () => true,
      atomic: this.atomic,
      size: async () => this.brings,
    });
    const accepted = updates.filter(
      ({ ref, old }, index) => verdicts[index]?.refusal === undefined && (refs.get(ref) ?? zeroOid) === old,
    );
    this.sentences.push(...verdicts.flatMap(({ refusal }) => refusal ?? []));
    await this.whileMoving?.();
    if (this.atomic && accepted.length < updates.length) return [];
    const moved: RefUpdate[] = [];
    for (const update of accepted) {
      const lost = await stands?.();
      if (lost !== undefined) {
        this.sentences.push(lost);
        break;
      }
      if (update.new === zeroOid) refs.delete(update.ref);
      else refs.set(update.ref, update.new);
      moved.push(update);
      await this.whenMoved?.();
    }
    return moved;
  }

  async maintain(repository: string): Promise<void> {
    this.maintained.push(repository);
  }

  async size(): Promise<number> {
    return this.takes;
  }

  async prune(repository: string, { before }: { readonly before: Date }): Promise<{ readonly remaining: boolean }> {
    this.#stored(repository);
    this.pruned.push([repository, before]);
    this.#call('prune');
    await this.whilePruning?.();
    return { remaining: this.remaining };
  }

  async ownBytes(repository: string, commits: readonly Oid[]): Promise<readonly number[]> {
    this.#stored(repository);
    this.#call('ownBytes');
    return commits.map((commit, index) => (commits.indexOf(commit) === index ? (this.ownSizes.get(commit) ?? 0) : 0));
  }

  async sweep(): Promise<void> {}
}

async function unasked(): Promise<never> {
  throw new Error('this git tells nothing of history');
}

async function* chunked(bytes: Uint8Array, size = 3000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
