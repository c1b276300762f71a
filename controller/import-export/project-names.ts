import type { SectionName } from './section.ts';

interface Candidate {
  id: string;
  target: string | undefined;
}

interface Reference {
  name: string;
  /** Distinguishes monitors with one name. */
  target?: string | undefined;
}

/** What the items of a project are called: documents refer to them by name, everything else by id. */
export class ProjectNames {
  readonly #candidates = new Map<string, Candidate[]>();
  readonly #names = new Map<string, string>();
  /** Of items to which the document can refer, by id. */
  readonly #sections = new Map<string, SectionName>();

  /** Items with the same name are preferred in the order in which they are added. */
  add(section: SectionName, name: string, { id, target }: Candidate): void {
    this.learn(id, name);
    this.#sections.set(id, section);
    const key = keyOf(section, name);
    const namesakes = this.#candidates.get(key);
    if (namesakes) namesakes.push({ id, target });
    else this.#candidates.set(key, [{ id, target }]);
  }

  /** Adds the name of an item to which the document cannot refer. */
  learn(id: string, name: string): void {
    this.#names.set(id, name);
  }

  isOf(section: SectionName, id: string): boolean {
    return this.#sections.get(id) === section;
  }

  nameOf(id: string | null | undefined): string | null {
    return this.#names.get(id ?? '') ?? null;
  }

  /** Omits items that no longer exist. */
  namesOf(ids: readonly string[]): string[] {
    return ids.flatMap((id) => this.nameOf(id) ?? []);
  }

  /** The target of a monitor that shares its name with others; empty for every other one. */
  targetIfAmbiguous(id: string): { target?: string } {
    const namesakes = this.#candidates.get(keyOf('monitors', this.nameOf(id) ?? '')) ?? [];
    const { target } = namesakes.find((one) => one.id === id) ?? {};
    return namesakes.length > 1 && target !== undefined ? { target } : {};
  }

  /** Null if there is none. */
  idOf(section: SectionName, name: string): string | null {
    return this.#candidates.get(keyOf(section, name))?.[0]?.id ?? null;
  }

  /**
   * The ids by reference, each at most once; null for none. Prefers the reference's target, then the ids in
   * `kept`, then any but `ownId`.
   */
  resolve(
    section: SectionName, references: readonly Reference[], kept: readonly string[] = [], ownId = '',
  ): (string | null)[] {
    const taken = new Set<string>();
    const rankOf = ({ id, target }: Candidate, wanted: string | undefined) => {
      const isWanted = wanted !== undefined && target === wanted;
      return 4 * Number(isWanted) + 2 * Number(kept.includes(id)) + Number(id !== ownId);
    };
    return references.map(({ name, target }) => {
      let best: Candidate | null = null;
      for (const one of this.#candidates.get(keyOf(section, name)) ?? []) {
        if (taken.has(one.id)) continue;
        if (best === null || rankOf(one, target) > rankOf(best, target)) best = one;
      }
      if (best !== null) taken.add(best.id);
      return best?.id ?? null;
    });
  }

  /**
   * The ids of a list of which the order has no meaning: the current one `kept`, if it has the same items. A
   * name that is listed more often than items have it counts only as often.
   */
  resolveAll(
    section: SectionName, names: readonly string[], kept: readonly string[] = [], ownId = '',
  ): { ids: string[]; unknown: string[] } {
    const resolved = this.resolve(section, names.map((name) => ({ name })), kept, ownId);
    const ids = resolved.filter((id) => id !== null);
    const existing = kept.filter((id) => this.nameOf(id) !== null);
    return {
      ids: inStoredOrder(ids, existing),
      unknown: names.filter((name) => !this.#candidates.has(keyOf(section, name))),
    };
  }
}

/** The stored list if it has the same items, so that another order is no change. */
export function inStoredOrder<List extends readonly string[] | undefined>(
  sent: List, stored: readonly string[] = [],
): List {
  if (sent === undefined || new Set(sent).size !== new Set(stored).size) return sent;
  return sent.every((one) => stored.includes(one)) ? [...stored] as unknown as List : sent;
}

function keyOf(section: SectionName, name: string): string {
  return `${section}:${name}`;
}
