import type { Screen } from './screen.ts';

interface Ready {
  url: string;
  dataDir: string;
  isFirst: boolean;
  tookMs: number;
  registration: 'first-user' | 'open' | 'closed';
}

/** The `ready` line and, on a first start, how to begin. */
export function printReady(screen: Screen, { url, dataDir, isFirst, tookMs, registration }: Ready): void {
  const isOpen = isFirst && registration !== 'closed';
  const begin = 'No account exists yet. Open the address in a browser: the first account becomes the operator.';
  if (!screen.isTerminal) {
    const fields = {
      url, data_dir: dataDir, took_ms: Math.round(tookMs), ...(isOpen ? { begin } : {}),
    };
    screen.say('info', 'ready', fields);
    return;
  }
  screen.print(`\n  ready  ${url}  (${(tookMs / 1000).toFixed(1)} s, data in ${dataDir})\n\n`);
  if (isOpen) screen.print(`  ${begin}\n\n`);
  screen.print(`  API: ${url}/api/docs   Logs: ${dataDir}/logs   Stop: Ctrl-C\n\n`);
}
