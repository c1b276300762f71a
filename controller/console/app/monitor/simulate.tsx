import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import { rules } from '../editing/rules.ts';
import { historyTexts } from '../texts/monitor-history.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { NumberField, SelectField } from '../ui/field.tsx';
import { Section } from '../ui/page.tsx';
import { durationText, Time } from '../ui/time.tsx';
import { useForm } from '../ui/use-form.ts';
import type { Monitor, Simulation } from './monitor-queries.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 90;
const NAMED = ['majority', 'any', 'all'] as const;
type Named = (typeof NAMED)[number];

/** Replays the stored results under another confirmation policy, next to the actual outcome. */
export function Simulate({ monitor: { id, confirmation_policy: policy } }: { monitor: Monitor }) {
  const [regions, setRegions] = useState(String(policy.regions));
  const [retries, setRetries] = useState<number | null>(policy.retries);
  const [recoveries, setRecoveries] = useState<number | null>(policy.recoveries);
  const [days, setDays] = useState<number | null>(7);
  const [simulation, setSimulation] = useState<Simulation | null>(null);
  const { onSubmit, error, isBusy } = useForm(async () => {
    setSimulation(null);
    setSimulation(await unwrap(api.POST('/api/monitors/{id}/simulate', {
      params: { path: { id } },
      body: {
        confirmation_policy: {
          regions: NAMED.includes(regions as Named) ? regions as Named : Number(regions),
          retries: retries ?? 0, recoveries: recoveries ?? 0,
        },
        from: new Date(Date.now() - (days ?? 1) * DAY_MS).toISOString(),
      },
    })));
  });
  const options = [
    ['majority', historyTexts.majority], ['any', historyTexts.any], ['all', historyTexts.all],
    ...[2, 3, 4, 5].map((count) => [String(count), historyTexts.regionsAgree(count)] as const),
  ] as const;
  return (
    <Section title={historyTexts.policy}>
      <form class="card" onSubmit={onSubmit}>
        <p>{historyTexts.policyText}</p>
        <div class="fields">
          <SelectField label={historyTexts.regions} value={regions} onValue={setRegions} options={options} />
          <NumberField label={historyTexts.retries} value={retries} onValue={setRetries} {...limitsOf('retries')} required />
          <NumberField label={historyTexts.recoveries} value={recoveries} onValue={setRecoveries} {...limitsOf('recoveries')} required />
          <NumberField label={historyTexts.days} value={days} onValue={setDays} min={1} max={MAX_DAYS} required />
        </div>
        <ErrorNote error={error} />
        <div class="form-foot"><Button type="submit" variant="primary" isBusy={isBusy}>{historyTexts.replay}</Button></div>
      </form>
      <div aria-live="polite">{simulation !== null && <SimulationResult simulation={simulation} />}</div>
    </Section>
  );
}

function limitsOf(setting: 'retries' | 'recoveries') {
  const { minimum: min = 0, maximum: max = 0 } = rules[`confirmation_policy.${setting}`] ?? {};
  return { min, max };
}

function SimulationResult({ simulation: { since, incidents, actual } }: { simulation: Simulation }) {
  if (since === null) return <p class="card">{historyTexts.nothingStored}</p>;
  return (
    <div class="replayed">
      <Replayed title={historyTexts.simulatedIncidents} incidents={incidents} />
      <Replayed title={historyTexts.actualIncidents} incidents={actual} />
      <p class="faint small">{historyTexts.since} <Time at={since} /></p>
    </div>
  );
}

function Replayed({ title, incidents }: { title: string; incidents: Simulation['incidents'] }) {
  return (
    <section class="card" aria-label={title}>
      <h3>{title}: {incidents.length}</h3>
      {incidents.length === 0 && <p class="faint">{historyTexts.noneInReplay}</p>}
      <ul>
        {incidents.map(({ started_at: from, resolved_at: to, votes }) => (
          <li key={from}>
            <Time at={from} />, {to === null ? historyTexts.ongoing : durationText((to - from) / 1000)}
            <span class="faint small block">{votes.filter(({ vote }) => vote === 'down').map(({ region }) => region).join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
