/**
 * Lets real time pass where there is no condition to poll: to act at a random moment, or to see that nothing
 * happens. To wait for something, use `until`.
 */
export function passTime(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}
