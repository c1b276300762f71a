/** An event inside this process. Listeners run at once, in the order in which they were added. */
export class Signal {
  readonly #listeners: (() => void)[] = [];

  on(listener: () => void): void {
    this.#listeners.push(listener);
  }

  readonly emit = (): void => {
    for (const listener of this.#listeners) listener();
  };
}

export type Signals = ReturnType<typeof createSignals>;

/** What services tell each other, so that none needs the other to be open first. */
export function createSignals() {
  return {
    /** Configurations of monitors changed, by a maintenance window or by the expiry of a domain. */
    monitorConfigsChanged: new Signal(),
    /** An incident opened, changed or ended. */
    incidentsChanged: new Signal(),
    /** A status page has a new post, or an update of one, for its subscribers. */
    postPublished: new Signal(),
  };
}

/** Which shards this controller serves: none before its results service is open. */
export class OwnedShards {
  #owner: { ownsShard(shard: number): boolean } | null = null;

  readonly has = (shard: number): boolean => this.#owner?.ownsShard(shard) ?? false;

  /** From now on `owner` decides. */
  follow(owner: { ownsShard(shard: number): boolean }): void {
    this.#owner = owner;
  }
}
