/** The truthy values of a type. */
export type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Only prevents hanging: far longer than anything takes, even on a busy machine. */
const DEADLINE_MS = 300_000;
const MIN_DELAY_MS = 10;
const MAX_DELAY_MS = 250;

/**
 * Polls `probe` until it returns a truthy value, and returns that. After `timeoutMs`, throws with the last
 * value seen. Unless `everyMs` is given, the delay between polls is a tenth of the time waited, 10 to 250 ms:
 * polling must not cost more than what it waits for.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number | undefined; what?: string } = {},
): Promise<Truthy<T>> {
  const { timeoutMs = DEADLINE_MS, everyMs, what = 'condition' } = options;
  const startedAt = Date.now();
  let last: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value as Truthy<T>;
      last = value;
    } catch (error) {
      last = error;
    }
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) {
      const shown = last instanceof Error ? (last.stack ?? last.message) : JSON.stringify(last);
      throw new Error(`${what}: not met within ${timeoutMs} ms; last seen: ${shown}`);
    }
    const delayMs = everyMs ?? Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, waitedMs / 10));
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
