import { useQuery } from '@tanstack/preact-query';
import { answer, api } from '../api/client.ts';
import { historyTexts } from '../texts/monitor-history.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { StateBadge } from '../ui/state.tsx';
import { durationText, Time } from '../ui/time.tsx';
import { useHistory } from './chart-reading.ts';
import type { Monitor } from './reading.ts';

const MOST_INCIDENTS = 50;
const MOST_STATES = 100;

/** Its incidents and past states, newest first. */
export function History({ monitor: { id } }: { monitor: Monitor }) {
  return (
    <>
      <Section title={historyTexts.incidents}><Incidents id={id} /></Section>
      <Section title={historyTexts.states}><States id={id} /></Section>
    </>
  );
}

function Incidents({ id }: { id: string }) {
  const read = useQuery({
    queryKey: ['monitors', id, 'incidents'],
    queryFn: async () => {
      const query = { check_id: id, limit: MOST_INCIDENTS };
      return (await answer(api.GET('/api/incidents', { params: { query } }))).incidents;
    },
  });
  return (
    <Shown of={read}>
      {(incidents) => (incidents.length === 0
        ? <Empty title={historyTexts.noIncident} />
        : (
          <div class="table-wrap" tabIndex={0} role="group" aria-label={historyTexts.incidents}>
            <table class="stacked">
              <thead>
                <tr>
                  <th scope="col">{historyTexts.incident}</th><th scope="col">{historyTexts.began}</th>
                  <th scope="col">{historyTexts.lasted}</th><th scope="col">{historyTexts.reason}</th>
                </tr>
              </thead>
              <tbody>
                {incidents.map((incident) => (
                  <tr key={incident.id}>
                    <th scope="row" class="line"><a href={href(`/incidents/${incident.id}`)}>{incident.title}</a></th>
                    <td><Time at={incident.started_at} /></td>
                    <td data-label={historyTexts.lasted}>
                      {incident.resolved_at === null ? historyTexts.open : durationText(incident.recovery_time_seconds ?? 0)}
                    </td>
                    <td class="line">{incident.error_message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ))}
    </Shown>
  );
}

function States({ id }: { id: string }) {
  return (
    <Shown of={useHistory(id)}>
      {(spans) => (spans.length === 0
        ? <Empty title={historyTexts.noState} />
        : (
          <div class="table-wrap" tabIndex={0} role="group" aria-label={historyTexts.states}>
            <table class="stacked">
              <thead>
                <tr>
                  <th scope="col">{monitorTexts.state}</th><th scope="col">{historyTexts.began}</th>
                  <th scope="col">{historyTexts.lasted}</th><th scope="col">{historyTexts.reason}</th>
                </tr>
              </thead>
              <tbody>
                {spans.slice(0, MOST_STATES).map(({ status, from, to, duration_seconds: seconds, reason }) => (
                  <tr key={from}>
                    <td><StateBadge state={status} /></td><td><Time at={from} /></td>
                    <td data-label={historyTexts.lasted}>{durationText(seconds)}{to === null && ` (${historyTexts.lasts})`}</td><td class="line">{reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ))}
    </Shown>
  );
}
