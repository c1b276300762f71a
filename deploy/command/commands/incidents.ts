import { Option } from 'commander';
import { CLIENT_HELP, clientOf, type Client } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';
import { diagnosisLines, minuteOf, type Diagnosis } from '../diagnosis-text.ts';
import { printable, type Output } from '../output.ts';

const STATUSES = ['open', 'acknowledged', 'resolved', 'closed'];
const PAGE = 100;

interface Incident {
  id: string;
  title: string;
  status: string;
  severity: string;
  monitor_name: string | null;
  error_message: string;
  started_at: string;
  resolved_at: string | null;
  diagnosis: { summary: string } | null;
}

interface Options {
  status?: string;
  limit: string;
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Lists incidents, newest first; or shows one with its diagnosis and the path from each region.')
    .argument('[incident]', 'id of the incident to show')
    .addOption(new Option('--status <status>', 'only incidents with this status').choices(STATUSES))
    .option('--limit <number>', 'the newest ones', '20')
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async (id: string | undefined, { status, limit, json }: Options) => {
    if (!/^[1-9]\d{0,4}$/.test(limit)) throw new CommandError('--limit must be a number from 1 to 99999', EXIT.refused);
    const client = clientOf(env);
    if (id === undefined) {
      const incidents = await newest(client, Number(limit), status);
      if (json) output.json({ incidents });
      else printTable(output, incidents);
    } else {
      const path = `/api/incidents/${encodeURIComponent(id)}`;
      const { incident } = await client.call<{ incident: Incident }>(path);
      const diagnosis = incident.diagnosis && (await client.call<{ diagnosis: Diagnosis }>(`${path}/diagnosis`)).diagnosis;
      if (json) output.json({ incident, diagnosis });
      else for (const line of linesOf(incident, diagnosis)) output.line(line);
    }
    return EXIT.done;
  };
};

async function newest(client: Client, limit: number, status?: string): Promise<Incident[]> {
  const incidents: Incident[] = [];
  for (let page = 1, hasMore = true; hasMore && incidents.length < limit; page += 1) {
    const query = new URLSearchParams({ page: String(page), limit: String(PAGE) });
    if (status !== undefined) query.set('status', status);
    const data = await client.call<{ incidents: Incident[]; pagination: { has_more: boolean } }>(
      `/api/incidents?${query}`,
    );
    incidents.push(...data.incidents);
    hasMore = data.pagination.has_more;
  }
  return incidents.slice(0, limit);
}

function printTable(output: Output, incidents: readonly Incident[]): void {
  output.table(incidents, {
    'STARTED (UTC)': ({ started_at }) => minuteOf(started_at),
    'RESOLVED (UTC)': ({ resolved_at }) => resolved_at && minuteOf(resolved_at),
    STATUS: (incident) => incident.status,
    SEVERITY: ({ severity }) => severity,
    MONITOR: ({ monitor_name }) => monitor_name,
    TITLE: ({ title }) => title,
    DIAGNOSIS: ({ diagnosis }) => diagnosis?.summary,
    ID: ({ id }) => id,
  }, 'No incidents', {
    cut: ['MONITOR', 'TITLE', 'DIAGNOSIS'],
    omit: ['MONITOR', 'RESOLVED (UTC)', 'SEVERITY', 'STARTED (UTC)', 'DIAGNOSIS'],
  });
}

function linesOf(incident: Incident, diagnosis: Diagnosis | null): string[] {
  const { title, status, severity, monitor_name: monitor, started_at: start, resolved_at: end } = incident;
  return [
    ...[
      title,
      `${status}, ${severity}, started ${minuteOf(start)} UTC${end === null ? '' : `, resolved ${minuteOf(end)} UTC`}`,
      ...monitor === null ? [] : [`Monitor: ${monitor}`],
      `Error: ${incident.error_message}`,
    ].map(printable),
    '',
    ...diagnosis === null ? ['No diagnosis'] : diagnosisLines(diagnosis),
  ];
}
