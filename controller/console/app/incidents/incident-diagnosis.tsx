import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { DiagnosisDetails } from '../diagnosis/diagnosis.tsx';
import { diagnosisTexts as texts } from '../texts/diagnosis.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { timeOf, useNow } from '../ui/time.tsx';
import { isOver } from './severity.tsx';

type FullIncident = components['schemas']['FullIncident'];

/** Later than this after the beginning of an incident, no diagnosis is to be expected. */
const MAX_WAIT_MS = 120_000;

/** The diagnosis of an incident that checks opened, or what will happen before there is one. */
export function IncidentDiagnosis({ incident }: { incident: FullIncident }) {
  if (incident.diagnosis === null && incident.source !== 'system') return null;
  return (
    <Section title={texts.diagnosis}>
      {incident.diagnosis === null ? <NoDiagnosis incident={incident} /> : <Diagnosed id={incident.id} />}
    </Section>
  );
}

/** Reloads with the incident, because its key begins with that of the incident. */
function Diagnosed({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['incidents', id, 'diagnosis'],
    queryFn: () => unwrap(api.GET('/api/incidents/{id}/diagnosis', { params: { path: { id } } })),
  });
  return <QueryResult query={query} lines={6}>{({ diagnosis }) => <DiagnosisDetails diagnosis={diagnosis} />}</QueryResult>;
}

function NoDiagnosis({ incident }: { incident: FullIncident }) {
  const ageMs = useNow() - timeOf(incident.started_at);
  const isExpected = !isOver(incident) && ageMs < MAX_WAIT_MS;
  return <p class="faint">{isExpected ? texts.soon : texts.none}</p>;
}
