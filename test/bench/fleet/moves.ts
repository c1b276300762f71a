import { chooseProbe } from '../../../controller/assignments/assigned-regions.ts';

export interface Moves {
  /** Monitors that moved, per monitor that had to. */
  perDue: number;
  /** Monitors of the busiest probe divided by the average. */
  imbalance: number;
}

/**
 * Which monitors of a region move when its first probe leaves and another joins. Necessary moves: those of the leaving
 * probe, and an equal share for the joining one.
 */
export function movesIn(monitorIds: readonly string[], probeIds: readonly string[], newcomer: string): Moves {
  const left = probeIds.slice(1);
  const grown = [...probeIds, newcomer];
  const load = new Map(probeIds.map((id) => [id, 0]));
  let [due, moved] = [monitorIds.length / grown.length, 0];
  for (const id of monitorIds) {
    const before = chooseProbe(id, probeIds) as string;
    load.set(before, (load.get(before) ?? 0) + 1);
    if (before === probeIds[0]) due += 1;
    if (chooseProbe(id, left) !== before) moved += 1;
    if (chooseProbe(id, grown) !== before) moved += 1;
  }
  return { perDue: moved / due, imbalance: (Math.max(...load.values()) * probeIds.length) / monitorIds.length };
}
