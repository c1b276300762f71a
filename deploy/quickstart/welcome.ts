import type { Screen } from './screen.ts';

interface Ready {
  url: string;
  dataDir: string;
  isFirst: boolean;
  tookMs: number;
  registration: 'first-user' | 'open' | 'closed';
}

/** The `ready` line and, on a first start, how to register. */
export function tellReady(screen: Screen, { url, dataDir, isFirst, tookMs, registration }: Ready): void {
  const account = '{"email":"you@example.com","password":"at least 10 characters","name":"You"}';
  const register = `curl -s ${url}/api/auth/register -H 'content-type: application/json' -d '${account}'`;
  const hint = registration === 'closed' || !isFirst ? null : register;
  if (!screen.isTerminal) {
    const fields = {
      url, data_dir: dataDir, took_ms: Math.round(tookMs), ...(hint ? { register: hint } : {}),
    };
    screen.say('info', 'ready', fields);
    return;
  }
  screen.tell(`\n  ready  ${url}  (${(tookMs / 1000).toFixed(1)} s, data in ${dataDir})\n\n`);
  if (hint) screen.tell(`  No account exists yet. The first one becomes the operator:\n\n    ${hint}\n\n`);
  screen.tell(`  API: ${url}/api/docs   Logs: ${dataDir}/logs   Stop: Ctrl-C\n\n`);
}
