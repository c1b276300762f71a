/** Of the count, so much is done before, unmeasured: a probe has been running for long, its code is compiled. */
const WARM_UP = 0.25;

/**
 * Runs `once` `count` times, `inFlight` at a time; `nth` counts from 0. Returns the CPU time of this process,
 * ms.
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
