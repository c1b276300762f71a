/**
 * Lets real time pass where there is no condition to poll: to act at a random time, or to verify that nothing happens.
 * To wait for a condition, use `until`.
 */
export function passTime(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}
