// The ledger of the churn: the answers to all clients with their times, which afterwards must fit one possible order of
// events. "Possibly" means that a repository may have had a name at some time of a span, "definitely" that it had the
// name during the whole span.

/** The times when a request was sent and when its answer arrived, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** `owner/name`. */
export type Path = string;

/** A repository was created with a name, or renamed to it. */
interface Naming {
  readonly id: string;
  readonly path: Path;
  readonly span: Span;
}
interface Described {
  readonly id: string;
  readonly text: string;
  readonly span: Span;
}
/** A request about a path, named by `what`. Recorded without more, its answer was 404 or cut off. */
interface Absence {
  readonly path: Path;
  readonly span: Span;
  readonly what: string;
}
/** An answer that showed a repository under a path. */
interface Sighting extends Absence {
  readonly id: string;
}
/** A rejection because the name is taken. `existing` is the repository that has the name, if the answer names it. */
interface Clash extends Absence {
  readonly existing: string | undefined;
}
interface Push {
  readonly path: Path;
  readonly span: Span;
  readonly ref: string;
  readonly oid: string;
}
/** A clone or read. `refs` if all refs were read; `identity` is the content of the file with this name. */
interface View extends Absence {
  readonly refs: ReadonlyMap<string, string> | undefined;
  readonly identity: string | undefined;
}
/** A list of all repositories of an owner. */
interface Listed extends Absence {
  readonly owner: string;
  readonly items: readonly { readonly id: string; readonly path: Path }[];
}

/** Events of the outbox, in order. */
export interface RecordedEvent {
  readonly type: string;
  readonly at: Date;
  readonly payload: {
    readonly repository_id: string;
    readonly name?: string;
    readonly ref?: string;
    readonly old?: string;
    readonly new?: string;
  };
}

const overlap = (one: Span, other: Span): boolean => one.from <= other.to && other.from <= one.to;

export class Ledger {
  readonly #creations = new Map<string, Naming>();
  readonly #namings: Naming[] = [];
  readonly #deletions: { readonly path: Path; readonly span: Span }[] = [];
  readonly #described: Described[] = [];
  readonly #sightings: Sighting[] = [];
  readonly #absences: Absence[] = [];
  readonly #cuts: Absence[] = [];
  readonly #clashes: Clash[] = [];
  readonly #pushes: Push[] = [];
  readonly #views: View[] = [];
  readonly #lists: Listed[] = [];
  /** Repository id → when it was deleted. Filled from the events, because a deletion only names a path. */
  readonly #deleted = new Map<string, Span>();

  created(id: string, path: Path, text: string, span: Span): void {
    this.#creations.set(id, { id, path, span });
    this.#namings.push({ id, path, span });
    this.#described.push({ id, text, span });
  }

  renamed(id: string, path: Path, span: Span): void {
    this.#namings.push({ id, path, span });
  }

  described(id: string, text: string, span: Span): void {
    this.#described.push({ id, text, span });
  }

  deleted(path: Path, span: Span): void {
    this.#deletions.push({ path, span });
  }

  saw(sighting: Sighting): void {
    this.#sightings.push(sighting);
  }

  missed(absence: Absence): void {
    this.#absences.push(absence);
  }

  cutOff(cut: Absence): void {
    this.#cuts.push(cut);
  }

  clashed(clash: Clash): void {
    this.#clashes.push(clash);
  }

  pushed(push: Push): void {
    this.#pushes.push(push);
  }

  viewed(view: View): void {
    this.#views.push(view);
  }

  listed(list: Listed): void {
    this.#lists.push(list);
  }

  /** Compares creations and deletions with the events. To be called once, before `judge`. @returns the faults. */
  settle(events: readonly RecordedEvent[]): string[] {
    const faults: string[] = [];
    const ids = (type: string): string[] =>
      events.filter((event) => event.type === type).map(({ payload }) => payload.repository_id);
    for (const id of ids('repository.created'))
      if (!this.#creations.has(id)) faults.push(`repository ${id} was created, and no client was told`);
    const told = new Set(ids('repository.created'));
    for (const { id, path } of this.#creations.values())
      if (!told.has(id)) faults.push(`${path} (${id}) was acknowledged, and no event tells of its creation`);
    for (const {
      type,
      at,
      payload: { repository_id: id, name = '' },
    } of events) {
      if (type !== 'repository.deleted') continue;
      const path = `${this.#creations.get(id)?.path.split('/')[0]}/${name}`;
      const spans = this.#deletions
        .filter(
          (deletion) =>
            deletion.path === path &&
            Math.floor(deletion.span.from) <= at.getTime() &&
            at.getTime() <= deletion.span.to,
        )
        .map(({ span }) => span);
      if (spans.length === 0) faults.push(`${path} (${id}) was deleted, and no client was told`);
      if (this.#deleted.has(id)) faults.push(`${path} (${id}) was deleted twice`);
      this.#deleted.set(id, {
        from: Math.min(...spans.map(({ from }) => from)),
        to: Math.max(...spans.map(({ to }) => to)),
      });
    }
    if (this.#deleted.size !== this.#deletions.length)
      faults.push(`${this.#deletions.length} deletions were acknowledged, and events tell of ${this.#deleted.size}`);
    return faults;
  }

  /** Returns every inconsistent answer. */
  judge(events: readonly RecordedEvent[]): string[] {
    return [
      ...this.#sightings
        .filter(({ id, path, span }) => !this.#possibly(id, path, span))
        .map(({ what, path, id }) => `${what}: ${path} showed ${id}, which did not have this name`),
      ...this.#absences.flatMap(({ what, path, span }) =>
        this.#holders(path)
          .filter((id) => this.#definitely(id, path, span))
          .map((id) => `${what}: ${path} was not found, while ${id} had this name`),
      ),
      ...this.#cuts
        .filter(({ path, span }) => !this.#removedIn(path, span))
        .map(({ what, path }) => `${what}: ${path} was cut off, and nobody deleted it`),
      ...this.#clashes
        .filter(
          ({ path, span, existing }) =>
            !(existing === undefined ? this.#holders(path) : [existing]).some((id) => this.#possibly(id, path, span)),
        )
        .map(
          ({ what, path, existing }) =>
            `${what}: ${path} was refused as taken, and ${existing ?? 'nothing'} did not have this name`,
        ),
      ...this.#twiceTaken(),
      ...this.#wrongLists(),
      ...this.#untoldPushes(events),
      ...this.#strangeViews(events),
    ];
  }

  get aliveIds(): readonly string[] {
    return [...this.#creations.keys()].filter((id) => !this.#deleted.has(id));
  }

  /** The possible last paths of a repository: one, unless clients renamed it concurrently. */
  lastPaths(id: string): readonly Path[] {
    return [...new Set(last(this.#namings.filter((naming) => naming.id === id)).map(({ path }) => path))];
  }

  /** The possible last descriptions of a repository. */
  lastTexts(id: string): readonly string[] {
    return last(this.#described.filter((one) => one.id === id)).map(({ text }) => text);
  }

  get paths(): readonly Path[] {
    return [...new Set(this.#namings.map(({ path }) => path))];
  }

  /** Acknowledged pushes that landed in a repository, in the order of its events, by ref. */
  landedIn(id: string, events: readonly RecordedEvent[]): ReadonlyMap<string, readonly string[]> {
    const acknowledged = new Set(this.#pushes.map(({ ref, oid }) => `${ref} ${oid}`));
    const moves = events.filter(
      ({ type, payload }) =>
        type === 'push' && payload.repository_id === id && acknowledged.has(`${payload.ref} ${payload.new}`),
    );
    return new Map(
      [...Map.groupBy(moves, ({ payload }) => payload.ref ?? '')].map(([ref, group]) => [
        ref,
        group.map(({ payload }) => payload.new ?? ''),
      ]),
    );
  }

  #holders(path: Path): readonly string[] {
    return [...new Set(this.#namings.filter((naming) => naming.path === path).map(({ id }) => id))];
  }

  /** The latest time until which the repository may have had the name. */
  #untilAtMost({ id, span }: Naming): number {
    const later = this.#namings
      .filter((other) => other.id === id && other.span.from > span.to)
      .map((other) => other.span.to);
    return Math.min(...later, this.#deleted.get(id)?.to ?? Infinity);
  }

  /** The span in which the repository certainly had the name; undefined if another rename was concurrent. */
  #certain(naming: Naming): Span | undefined {
    const others = this.#namings.filter(
      (other) => other.id === naming.id && other !== naming && other.span.to >= naming.span.from,
    );
    const to = Math.min(...others.map(({ span }) => span.from), this.#deleted.get(naming.id)?.from ?? Infinity);
    return to > naming.span.to ? { from: naming.span.to, to } : undefined;
  }

  #possibly(id: string, path: Path, span: Span): boolean {
    return this.#namings.some(
      (naming) =>
        naming.id === id &&
        naming.path === path &&
        naming.span.from <= span.to &&
        this.#untilAtMost(naming) >= span.from,
    );
  }

  #definitely(id: string, path: Path, span: Span): boolean {
    return this.#namings.some((naming) => {
      if (naming.id !== id || naming.path !== path) return false;
      const certain = this.#certain(naming);
      return certain !== undefined && certain.from < span.from && span.to < certain.to;
    });
  }

  /** Whether a repository that may have had the name was deleted in the span. */
  #removedIn(path: Path, span: Span): boolean {
    return this.#holders(path).some((id) => {
      const deletion = this.#deleted.get(id);
      return deletion !== undefined && overlap(deletion, span) && this.#possibly(id, path, span);
    });
  }

  #twiceTaken(): string[] {
    return [...Map.groupBy(this.#namings, ({ path }) => path)].flatMap(([path, namings]) => {
      const certain = namings.flatMap((naming) => {
        const span = this.#certain(naming);
        return span === undefined ? [] : [{ id: naming.id, span }];
      });
      return certain.flatMap((one, index) =>
        certain
          .slice(index + 1)
          .filter((other) => other.id !== one.id && overlap(one.span, other.span))
          .map((other) => `${path} was ${one.id} and ${other.id} at once`),
      );
    });
  }

  #wrongLists(): string[] {
    return this.#lists.flatMap(({ what, owner, items, span }) => {
      const shown = new Set(items.map(({ id }) => id));
      const strange = items
        .filter(({ id, path }) => !this.#possibly(id, path, span))
        .map(({ id, path }) => `${what}: shows ${path} as ${id}, which did not have this name`);
      const lacking = [...this.#creations.values()].filter(
        ({ id, path, span: creation }) =>
          path.startsWith(`${owner}/`) &&
          !shown.has(id) &&
          creation.to < span.from &&
          !((this.#deleted.get(id)?.from ?? Infinity) <= span.to),
      );
      return [
        ...strange,
        ...lacking.map(({ id }) => `${what}: lacks ${id}`),
        ...(shown.size === items.length ? [] : [`${what}: shows a repository twice`]),
      ];
    });
  }

  /** A push needs an event of a repository that had the name, unless that one was deleted meanwhile. */
  #untoldPushes(events: readonly RecordedEvent[]): string[] {
    const landed = Map.groupBy(
      events.filter(({ type }) => type === 'push'),
      ({ payload }) => `${payload.ref} ${payload.new}`,
    );
    return this.#pushes.flatMap(({ path, span, ref, oid }) => {
      const into = (landed.get(`${ref} ${oid}`) ?? []).map(({ payload }) => payload.repository_id);
      const strange = into
        .filter((id) => !this.#possibly(id, path, span))
        .map((id) => `a push of ${oid} to ${ref} of ${path} landed in ${id}, which did not have this name`);
      if (into.length > 0)
        return into.length === 1
          ? strange
          : [...strange, `a push of ${oid} to ${ref} of ${path} landed ${into.length} times`];
      return this.#removedIn(path, span)
        ? []
        : [`a push of ${oid} to ${ref} of ${path} was acknowledged, and no event tells of it`];
    });
  }

  /** A clone must show one repository that had the name, including everything pushed to it before. */
  #strangeViews(events: readonly RecordedEvent[]): string[] {
    const moves = events.filter(({ type }) => type === 'push');
    const chains = Map.groupBy(moves, ({ payload }) => `${payload.repository_id} ${payload.ref}`);
    const told = new Set(moves.map(({ payload }) => payload.new));
    const place = (id: string, ref: string, oid: string | undefined): number => {
      const found = chains.get(`${id} ${ref}`)?.findLastIndex(({ payload }) => payload.new === oid) ?? -1;
      // A push just before its repository was deleted has no event.
      return found < 0 && oid !== undefined && !told.has(oid) && this.#deleted.has(id) ? Infinity : found;
    };
    return this.#views.flatMap(({ what, path, span, refs, identity }) => {
      const candidates = this.#holders(path).filter((id) => this.#possibly(id, path, span));
      const before = this.#pushes.filter(
        (push) => push.path === path && push.span.to < span.from && told.has(push.oid),
      );
      const explained =
        refs === undefined ||
        candidates.some(
          (id) =>
            [...refs].every(([ref, oid]) => place(id, ref, oid) >= 0) &&
            before.every(({ ref, oid }) => place(id, ref, oid) <= place(id, ref, refs.get(ref))),
        );
      const strange =
        identity === undefined || this.#holders(path).includes(identity)
          ? []
          : [`${what}: ${path} showed the files of ${identity}, which never had this name`];
      return explained
        ? strange
        : [
            ...strange,
            `${what}: ${path} showed ${JSON.stringify(Object.fromEntries(refs ?? []))}, which none of ${candidates.join(', ') || 'no repository'} held`,
          ];
    });
  }
}

/** The changes that may be the last one: no other change certainly began after they had ended. */
function last<T extends { readonly span: Span }>(all: readonly T[]): readonly T[] {
  return all.filter((one) => !all.some((other) => other.span.from > one.span.to));
}
