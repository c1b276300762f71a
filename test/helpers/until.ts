/** What a value can be when it is truthy. */
export type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Against hanging only: far longer than anything takes on a machine that is busy with other work. */
const DEADLINE_MS = 300_000;

/**
 * Polls `probe` until it gives a truthy value and returns that; throws what it last saw after `timeoutMs`.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number | undefined; what?: string } = {},
): Promise<Truthy<T>> {
  const { timeoutMs = DEADLINE_MS, everyMs = 20, what = 'condition' } = options;
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value as Truthy<T>;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const shown = last instanceof Error ? (last.stack ?? last.message) : JSON.stringify(last);
      throw new Error(`${what}: not met within ${timeoutMs} ms; last seen: ${shown}`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
