import type { CauseDoc } from '../../causes/cause.ts';

/** Causes of a rehearsal, in memory. Methods as of the store. */
export class RehearsedCauses {
  readonly #all = new Map<string, CauseDoc>();

  async find(id: string): Promise<CauseDoc | null> {
    return this.#all.get(id) ?? null;
  }

  async include(cause: CauseDoc): Promise<void> {
    const known = this.#all.get(cause._id);
    if (!known) return void this.#all.set(cause._id, { ...cause });
    const { project_ids, monitors_having, ended_at, started_at } = cause;
    Object.assign(known, {
      project_ids: [...new Set([...known.project_ids, ...project_ids])], monitors_having, ended_at,
      started_at: Math.min(known.started_at, started_at),
    });
  }

  async openAmong(ids: string[]): Promise<CauseDoc[]> {
    return ids.flatMap((id) => this.#all.get(id) ?? []).filter(({ ended_at }) => ended_at === null);
  }

  async end(id: string, at: number): Promise<void> {
    const found = this.#all.get(id);
    if (found) found.ended_at = at;
  }

  async nameOf({ value }: Pick<CauseDoc, 'value'>): Promise<string> {
    return value;
  }
}
