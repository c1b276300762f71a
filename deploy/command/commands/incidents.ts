import { Option } from 'commander';
import { CLIENT_HELP, clientOf } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';

const STATUSES = ['open', 'acknowledged', 'resolved', 'closed'];
const PAGE = 100;

interface Incident {
  id: string;
  title: string;
  status: string;
  severity: string;
  monitor_name: string | null;
  started_at: string;
  resolved_at: string | null;
}

interface Options {
  status?: string;
  limit: string;
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Lists incidents, newest first.')
    .addOption(new Option('--status <status>', 'only incidents with this status').choices(STATUSES))
    .option('--limit <number>', 'the newest ones', '20')
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async ({ status, limit, json }: Options) => {
    if (!/^[1-9]\d{0,4}$/.test(limit)) throw new CommandError('--limit must be a number from 1 to 99999', EXIT.refused);
    const client = clientOf(env);
    const incidents: Incident[] = [];
    for (let page = 1, hasMore = true; hasMore && incidents.length < Number(limit); page += 1) {
      const query = new URLSearchParams({ page: String(page), limit: String(PAGE) });
      if (status !== undefined) query.set('status', status);
      const data = await client.call<{ incidents: Incident[]; pagination: { has_more: boolean } }>(
        `/api/incidents?${query}`,
      );
      incidents.push(...data.incidents);
      hasMore = data.pagination.has_more;
    }
    const newest = incidents.slice(0, Number(limit));
    if (json) output.json({ incidents: newest });
    else {
      output.table(newest, {
        'STARTED (UTC)': ({ started_at }) => minuteOf(started_at),
        'RESOLVED (UTC)': ({ resolved_at }) => resolved_at && minuteOf(resolved_at),
        STATUS: (incident) => incident.status,
        SEVERITY: ({ severity }) => severity,
        MONITOR: ({ monitor_name }) => monitor_name,
        TITLE: ({ title }) => title,
        ID: ({ id }) => id,
      }, 'No incidents', { cut: ['MONITOR', 'TITLE'], omit: ['MONITOR', 'RESOLVED (UTC)', 'SEVERITY', 'STARTED (UTC)'] });
    }
    return EXIT.done;
  };
};

function minuteOf(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}
