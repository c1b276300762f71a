import { useQuery } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { components } from '../api/openapi.d.ts';
import { useLiveEvent } from '../live/live-stream.ts';
import { NotFound } from '../shell/not-found.tsx';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { ChangesBefore } from '../changes/changes.tsx';
import { Cause } from './cause.tsx';
import { Comments } from './comments.tsx';
import { Deliveries } from './deliveries.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { IncidentDiagnosis } from './incident-diagnosis.tsx';
import { Postmortem } from './postmortem.tsx';
import { isOver, IncidentDuration, SeverityBadge, StatusBadge } from './severity.tsx';
import { Timeline } from './timeline.tsx';
import { Votes } from './votes.tsx';

type FullIncident = components['schemas']['ReadIncident'];

/** One incident: cause, diagnosis, votes, alerts and actions. */
export default function IncidentView() {
  const { params: { id = '' } } = useRoute();
  const query = useQuery({
    queryKey: ['incidents', id],
    queryFn: () => unwrap(api.GET('/api/incidents/{id}', { params: { path: { id } } })),
  });
  useLiveEvent('incident', (changed) => {
    if (changed['id'] === id) void queries.invalidateQueries({ queryKey: ['incidents', id] });
  });
  if (query.error instanceof ApiError && [400, 404].includes(query.error.status)) return <NotFound />;
  return <QueryResult query={query} lines={10}>{({ incident }) => <Detail incident={incident} />}</QueryResult>;
}

function Detail({ incident }: { incident: FullIncident }) {
  const { id } = incident;
  return (
    <Page
      title={incident.title} back={{ to: '/incidents', text: texts.back }}
      actions={<IncidentActions incident={incident} />}
    >
      <p class="incident-state">
        <StatusBadge status={incident.status} /> <SeverityBadge severity={incident.severity} />{' '}
        <span>{texts.duration}: <IncidentDuration incident={incident} /></span>
        {incident.acknowledged_by_name !== null && <span>{texts.acknowledgedBy(incident.acknowledged_by_name)}</span>}
      </p>
      {incident.late && <p class="note">{texts.late}</p>}
      {incident.in_maintenance && <p class="note">{texts.inMaintenance}</p>}
      {incident.held_by !== null && (
        <p class="note" role="status">
          {texts.held} <a href={href(`/monitors/${incident.held_by.monitor_id}`)}>{incident.held_by.name}</a>
        </p>
      )}
      <div class="incident-columns">
        <div class="incident-main">
          <section class="card" aria-label={texts.error}>
            <p class="incident-error">{incident.error_message}</p>
            {incident.description !== null && <p>{incident.description}</p>}
            {incident.runbook_url !== null && <p><a href={incident.runbook_url} target="_blank" rel="noopener noreferrer">{texts.runbook}</a></p>}
            {!isOver(incident) && incident.source === 'system' && <p class="hint">{texts.autoResolveHint}</p>}
          </section>
          {incident.cause_id !== null && <Cause id={incident.cause_id} incidentId={id} />}
          <IncidentDiagnosis incident={incident} />
          <ChangesBefore changes={incident.changes} />
          <Section title={texts.votes}><Votes id={id} /></Section>
          <Section title={texts.deliveries}><Deliveries id={id} /></Section>
          <Timeline id={id} />
          <Section title={texts.comments}><Comments id={id} /></Section>
          <Postmortem id={id} saved={incident.postmortem} />
        </div>
        <Facts incident={incident} />
      </div>
    </Page>
  );
}

function Facts({ incident }: { incident: FullIncident }) {
  return (
    <aside class="card incident-facts" aria-label={texts.incident}>
      <dl class="facts">
        <dt>{texts.monitor}</dt>
        <dd>{incident.check_id === null ? '–' : <a href={href(`/monitors/${incident.check_id}`)}>{incident.monitor_name}</a>}</dd>
        <dt>{texts.type}</dt><dd><code>{incident.type}</code></dd>
        <dt>{texts.started}</dt><dd><Time at={incident.started_at} /></dd>
        {incident.resolved_at !== null && <><dt>{texts.ended}</dt><dd><Time at={incident.resolved_at} /></dd></>}
        <dt>{texts.regions}</dt><dd>{incident.affected_regions.join(', ') || '–'}</dd>
        <dt>{texts.failures}</dt><dd>{incident.failure_count}</dd>
        <dt>{texts.source}</dt><dd>{texts[incident.source]}</dd>
      </dl>
    </aside>
  );
}
