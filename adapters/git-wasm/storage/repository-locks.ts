// A lock per repository within this process: any number of pushes at once, or one that removes objects.

interface State {
  /** Holders of the shared lock. */
  shared: number;
  exclusive: boolean;
  readonly waiting: { readonly exclusive: boolean; readonly enter: () => void }[];
}

export class RepositoryLocks {
  readonly #states = new Map<string, State>();

  /** Runs while no exclusive work runs in the repository. */
  shared<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#hold(id, false, work);
  }

  /** Runs alone in the repository. */
  exclusive<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#hold(id, true, work);
  }

  async #hold<T>(id: string, exclusive: boolean, work: () => Promise<T>): Promise<T> {
    const state = this.#states.get(id) ?? { shared: 0, exclusive: false, waiting: [] };
    this.#states.set(id, state);
    if (state.waiting.length > 0 || !isFree(state, exclusive))
      await new Promise<void>((enter) => {
        state.waiting.push({ exclusive, enter });
      });
    else take(state, exclusive);
    try {
      return await work();
    } finally {
      if (exclusive) state.exclusive = false;
      else state.shared -= 1;
      this.#next(id, state);
    }
  }

  /** Lets in those that wait, in the order of their arrival. */
  #next(id: string, state: State): void {
    for (
      let first = state.waiting[0];
      first !== undefined && isFree(state, first.exclusive);
      first = state.waiting[0]
    ) {
      state.waiting.shift();
      take(state, first.exclusive);
      first.enter();
    }
    if (isFree(state, true) && state.waiting.length === 0) this.#states.delete(id);
  }
}

const isFree = (state: State, exclusive: boolean): boolean => !state.exclusive && (!exclusive || state.shared === 0);

function take(state: State, exclusive: boolean): void {
  if (exclusive) state.exclusive = true;
  else state.shared += 1;
}
