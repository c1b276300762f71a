import type { Tally } from './tally.ts';

/** A count, out of a total. `repeated`: the number of repeats. */
export interface Count {
  counted: number;
  of?: number;
  repeated?: number;
}

/** The invariants of docs/reliability.md that a fault counted. Those that do not apply are absent. */
export type Invariants = Partial<Record<`I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`, Count>>;

/** The invariants that a tally contains. */
export function invariantsOf({ results, incidents, alerts, deaths = results?.deaths }: Tally): Invariants {
  const { slots, uptimes, left } = results ?? {};
  return {
    ...(results && {
      I1: { counted: results.lost, of: results.issued },
      I2: { counted: results.duplicated, of: results.stored },
    }),
    ...(slots && { I3: { counted: slots.unexplained, of: slots.due } }),
    ...(incidents && { I4: { counted: incidents.opened, of: incidents.expected } }),
    ...(alerts && { I5: { counted: alerts.delivered, of: alerts.expected, repeated: alerts.repeated } }),
    ...(uptimes && { I6: { counted: uptimes.wrong, of: uptimes.compared } }),
    ...(left !== undefined && { I7: { counted: left } }),
    ...(deaths !== undefined && { I8: { counted: deaths } }),
  };
}
