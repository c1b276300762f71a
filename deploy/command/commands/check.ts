import { CLIENT_HELP, clientOf } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';

interface Result {
  region: string;
  outcome: 'success' | 'failure' | 'missed';
  response_time_ms: number | null;
  status_code: number | null;
  error: { message: string } | null;
  reason?: string;
}

interface Options {
  region?: string[];
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Checks a target now, without saving anything. Exits with 0 if it is up, and with 1 if it is down.')
    .argument('<target>', 'an address (https://…), host:port for TCP, or a host to ping')
    .option('--region <id...>', 'regions to check from; by default those of a new monitor')
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async (target: string, { region, json }: Options) => {
    const body = { ...monitorOf(target), ...(region && { monitoring_regions: region }) };
    const { results } = await clientOf(env).call<{ results: Result[] }>('/api/monitors/test', { method: 'POST', body });
    const reported = results.filter(({ outcome }) => outcome !== 'missed');
    const isUp = reported.filter(({ outcome }) => outcome === 'success').length * 2 > reported.length;
    if (json) output.json({ status: reported.length === 0 ? 'unknown' : isUp ? 'up' : 'down', results });
    else {
      output.table(results, {
        REGION: (result) => result.region,
        RESULT: ({ outcome }) => ({ success: 'up', failure: 'down', missed: 'not checked' })[outcome],
        RESPONSE: ({ response_time_ms }) => (response_time_ms === null ? null : `${Math.round(response_time_ms)} ms`),
        DETAIL: ({ error, reason, status_code }) => error?.message ?? reason ?? status_code,
      }, 'No region');
    }
    if (reported.length === 0) throw new CommandError('no region has checked the target', EXIT.unknown);
    return isUp ? EXIT.done : EXIT.failed;
  };
};

/** The type of a monitor follows from the form of its target. */
function monitorOf(target: string): { type: string; target: string } {
  if (/^https?:\/\//i.test(target)) return { type: 'HTTP', target };
  return { type: /^(\[[^\]]+\]|[^:]+):\d+$/.test(target) ? 'TCP' : 'ICMP', target };
}
