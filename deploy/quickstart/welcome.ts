import type { Screen } from './screen.ts';

interface Ready {
  url: string;
  dataDir: string;
  isFirst: boolean;
  tookMs: number;
  registration: 'first-user' | 'open' | 'closed';
}

/** The one `ready` line, and for a first user what to do next. */
export function tellReady(screen: Screen, { url, dataDir, isFirst, tookMs, registration }: Ready): void {
  const register = `curl -s ${url}/api/auth/register -H 'content-type: application/json' -d '{"email":"you@example.com","password":"at least 10 characters","name":"You"}'`;
  const hint = registration === 'closed' || !isFirst ? null : register;
  if (!screen.isTerminal) {
    screen.say('info', 'ready', { url, data_dir: dataDir, took_ms: Math.round(tookMs), ...(hint ? { register: hint } : {}) });
    return;
  }
  screen.tell(`\n  ready  ${url}  (${(tookMs / 1000).toFixed(1)} s, data in ${dataDir})\n\n`);
  if (hint) screen.tell(`  No account exists yet: the first to register becomes the operator.\n\n    ${hint}\n\n`);
  screen.tell(`  API: ${url}/api/docs   Logs: ${dataDir}/logs   Stop: Ctrl-C\n\n`);
}
