/** Which shards this controller serves: none before its results service is open. */
export class OwnedShards {
  #owns: (shard: number) => boolean = () => false;

  readonly has = (shard: number): boolean => this.#owns(shard);

  /** From now on `owns` decides. */
  follow(owns: (shard: number) => boolean): void {
    this.#owns = owns;
  }
}
