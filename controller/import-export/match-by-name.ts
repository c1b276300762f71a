import { isDeepStrictEqual } from 'node:util';
import { grouped } from '../../shared/grouped.ts';

/** Comparisons of items with existing ones of the same name. Beyond it, they are matched in their order. */
const MAX_PAIRS = 2500;

interface Naming<Item, Doc> {
  nameOf(one: Item | Doc): string;
  similarity?(item: Item, doc: Doc): number;
}

/**
 * The existing one of each item, null if the item is new. Names need not be unique: among those with one
 * name, the most similar match. `docs` are oldest first. The order of the items has no effect.
 */
export function matchByName<Item, Doc>(
  items: readonly Item[], docs: readonly Doc[], { nameOf, similarity = () => 0 }: Naming<Item, Doc>,
): (Doc | null)[] {
  const matched: (Doc | null)[] = items.map(() => null);
  const docsByName = grouped(docs, nameOf);
  for (const [name, namesakes] of grouped([...items.keys()], (at) => nameOf(items[at] as Item))) {
    const existing = docsByName.get(name) ?? [];
    const [first] = existing;
    if (first === undefined) continue;
    if (namesakes.length === 1 && existing.length === 1) {
      matched[namesakes[0] as number] = first;
      continue;
    }
    const isLarge = namesakes.length * existing.length > MAX_PAIRS;
    const ordered = isLarge ? namesakes : namesakes.sort(byText(items));
    const scoresOf = (at: number) =>
      existing.map((doc, age) => ({ at, age, score: similarity(items[at] as Item, doc) }));
    const pairs = isLarge
      ? ordered.map((at, age) => ({ at, age, score: 0 })).slice(0, existing.length)
      : ordered.flatMap(scoresOf);
    const taken = new Set<number>();
    for (const { at, age } of pairs.sort((one, other) => other.score - one.score || one.age - other.age)) {
      if (matched[at] !== null || taken.has(age)) continue;
      matched[at] = existing[age] as Doc;
      taken.add(age);
    }
  }
  return matched;
}

/** Compares indexes by what the items contain, whatever their order. */
export function byText(items: readonly unknown[]): (one: number, other: number) => number {
  const textOf = (at: number) => JSON.stringify(items[at]);
  return (one, other) => (textOf(one) < textOf(other) ? -1 : Number(textOf(one) > textOf(other)));
}

/** How many fields of the item the other one also has. */
export function countEqual(item: object, other: object): number {
  const known = new Map(Object.entries(other));
  return Object.entries(item).filter(([name, value]) => isDeepStrictEqual(known.get(name), value)).length;
}
