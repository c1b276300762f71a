/** Share of the count run beforehand, unmeasured: a real probe has been running for long, so its code is compiled. */
const WARM_UP = 0.25;

/**
 * Calls `once` `count` times, `inFlight` at a time, with the index from 0. Returns the CPU time of this process, ms.
 */
export async function keepInFlight(
  { count, inFlight }: { count: number; inFlight: number }, once: (nth: number) => Promise<void>,
): Promise<{ done: number; cpuMs: number }> {
  const run = async (limit: number): Promise<void> => {
    let next = 0;
    await Promise.all(Array.from({ length: inFlight }, async () => {
      while (next < limit) await once(next++);
    }));
  };
  await run(Math.ceil(count * WARM_UP));
  const before = process.cpuUsage();
  await run(count);
  const used = process.cpuUsage(before);
  return { done: count, cpuMs: (used.user + used.system) / 1000 };
}
