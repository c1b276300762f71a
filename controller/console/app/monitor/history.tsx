import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import { historyTexts } from '../texts/monitor-history.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { StateBadge } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { durationText, Time } from '../ui/time.tsx';
import { useHistory } from './chart-queries.ts';
import type { Monitor } from './monitor-queries.ts';

const MAX_INCIDENTS = 50;
const MAX_STATES = 100;

/** The monitor's incidents and past states, newest first. */
export function History({ monitor: { id } }: { monitor: Monitor }) {
  return (
    <>
      <Section title={historyTexts.incidents}><Incidents id={id} /></Section>
      <Section title={historyTexts.states}><States id={id} /></Section>
    </>
  );
}

function Incidents({ id }: { id: string }) {
  const incidentsQuery = useQuery({
    queryKey: ['monitors', id, 'incidents'],
    queryFn: async () => {
      const query = { check_id: id, limit: MAX_INCIDENTS };
      return (await unwrap(api.GET('/api/incidents', { params: { query } }))).incidents;
    },
  });
  return (
    <QueryResult query={incidentsQuery}>
      {(incidents) => (incidents.length === 0
        ? <Empty title={historyTexts.noIncident} />
        : (
          <Table
            label={historyTexts.incidents}
            columns={[historyTexts.incident, historyTexts.startedAt, historyTexts.duration, historyTexts.reason]}
          >
            {incidents.map((incident) => (
              <tr key={incident.id}>
                <th scope="row" class="line"><a href={href(`/incidents/${incident.id}`)}>{incident.title}</a></th>
                <td><Time at={incident.started_at} /></td>
                <td data-label={historyTexts.duration}>
                  {incident.resolved_at === null ? historyTexts.ongoing : durationText(incident.recovery_time_seconds ?? 0)}
                </td>
                <td class="line">{incident.error_message}</td>
              </tr>
            ))}
          </Table>
        ))}
    </QueryResult>
  );
}

function States({ id }: { id: string }) {
  return (
    <QueryResult query={useHistory(id)}>
      {(spans) => (spans.length === 0
        ? <Empty title={historyTexts.noState} />
        : (
          <Table
            label={historyTexts.states}
            columns={[monitorTexts.state, historyTexts.startedAt, historyTexts.duration, historyTexts.reason]}
          >
            {spans.slice(0, MAX_STATES).map(({ status, from, to, duration_seconds: seconds, reason }) => (
              <tr key={from}>
                <td><StateBadge state={status} /></td><td><Time at={from} /></td>
                <td data-label={historyTexts.duration}>{durationText(seconds)}{to === null && ` (${historyTexts.soFar})`}</td><td class="line">{reason}</td>
              </tr>
            ))}
          </Table>
        ))}
    </QueryResult>
  );
}
