/** What a value can be when it is truthy. */
export type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Polls `probe` until it gives a truthy value and returns that; throws what it last saw after `timeoutMs`. */
export async function until<T>(
  probe: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<Truthy<T>> {
  const { timeoutMs = 30_000, everyMs = 20, what = 'condition' } = options;
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
