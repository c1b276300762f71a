/** The truthy values of a type. */
export type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Only prevents hanging: far longer than anything takes, even on a busy machine. */
const DEADLINE_MS = 300_000;

/** Polls `probe` until it returns a truthy value, and returns that. After `timeoutMs`, throws with the last value. */
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
