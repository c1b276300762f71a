/** A monitor and those it depends on. */
export interface DependencyNode {
  _id: string;
  name: string;
  depends_on: readonly string[];
}

/**
 * The ids along a cycle that can be reached from one of `starts`: from a monitor back to itself. Null if
 * there is none.
 */
export function findCycle(
  starts: Iterable<string>, dependenciesOf: (id: string) => Iterable<string>,
): string[] | null {
  const linkOf = (id: string) => ({ id, left: [...dependenciesOf(id)] });
  const done = new Set<string>();
  for (const start of starts) {
    // The chain of monitors from `start`, each with those of its dependencies that are still to be followed.
    const chain = done.has(start) ? [] : [linkOf(start)];
    const inChain = new Set(chain.map(({ id }) => id));
    for (let last = chain.at(-1); last !== undefined; last = chain.at(-1)) {
      const next = last.left.shift();
      if (next === undefined) {
        chain.pop();
        inChain.delete(last.id);
        done.add(last.id);
      } else if (inChain.has(next)) {
        const ids = chain.map(({ id }) => id);
        return [...ids.slice(ids.indexOf(next)), next];
      } else if (!done.has(next)) {
        chain.push(linkOf(next));
        inChain.add(next);
      }
    }
  }
  return null;
}
