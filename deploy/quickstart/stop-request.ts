const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves to the first signal that asks us to stop. Later ones change nothing: npm passes the terminal's
 * Ctrl-C on to us although we had it already, and every wait of a stop is bounded anyway.
 */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve(signal));
  });
}
