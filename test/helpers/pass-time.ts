/**
 * Lets real time pass, in the two cases where there is nothing to poll for: to strike at a random moment, and to see
 * that nothing happens. Whoever waits for something uses `until`.
 */
export function passTime(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}
