import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { organization, readSession } from '../api/session.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { durationText, numberText } from '../ui/time.tsx';

type Billing = components['schemas']['Billing'];
type Plan = Billing['plan'];

const KEY = ['settings', 'billing'];
const LIMITED_RESOURCES = ['monitors', 'projects', 'status_pages', 'regions', 'probes', 'subscriptions', 'event_streams'] as const;
const PLANS = ['free', 'pro', 'scale'] as const satisfies readonly Plan[];
const DAY_SECONDS = 86_400;

/** The plan's limits and their usage. */
export function PlanAndUsage() {
  const [isChanging, setChanging] = useState(false);
  const isOwner = organization.value?.role === 'owner';
  const query = useQuery({ queryKey: KEY, queryFn: () => unwrap(api.GET('/api/billing')) });
  return (
    <Section
      title={texts.plan}
      actions={query.data?.can_change_plan === true && <Button onClick={() => setChanging(true)}>{texts.changePlan}</Button>}
    >
      <QueryResult query={query} lines={8}>
        {({ plan, limits, usage, can_change_plan: canChange }) => (
          <div class="card">
            <p>{texts.planIs(plan)}</p>
            {isOwner && !canChange && <p class="hint">{texts.planByOperator}</p>}
            <ul class="uses">
              {LIMITED_RESOURCES.map((name) => (
                <li key={name}>
                  <span>{texts[name]}</span> <span class="number">{numberText(usage[name])} / {numberText(limits[name])}</span>
                  <meter aria-label={texts[name]} min={0} max={Math.max(1, limits[name])} high={limits[name] * 0.8} value={usage[name]} />
                </li>
              ))}
            </ul>
            <dl class="facts">
              <dt>{texts.interval}</dt><dd>{durationText(limits.min_interval_seconds)}</dd>
              <dt>{texts.regionsEach}</dt><dd>{numberText(limits.regions_per_monitor)}</dd>
              <dt>{texts.rawDays}</dt><dd>{durationText(limits.raw_results_days * DAY_SECONDS)}</dd>
              <dt>{texts.rollupDays}</dt><dd>{durationText(limits.rollups_days * DAY_SECONDS)}</dd>
              <dt>{texts.ownDomain}</dt><dd>{limits.has_custom_domain ? texts.yes : texts.no}</dd>
            </dl>
          </div>
        )}
      </QueryResult>
      {isChanging && <ChangePlan from={query.data?.plan ?? 'free'} onClose={() => setChanging(false)} />}
    </Section>
  );
}

function ChangePlan({ from, onClose }: { from: Plan; onClose: () => void }) {
  const [plan, setPlan] = useState(from);
  return (
    <FormDialog
      title={texts.changePlan} submitLabel={texts.changePlan} onClose={onClose}
      send={async () => {
        queries.setQueryData(KEY, await unwrap(api.PUT('/api/billing/plan', { body: { plan } })));
        await readSession();
      }}
    >
      {() => (
        <SelectField
          label={texts.plan} hint={texts.planHint} value={plan} onValue={setPlan} options={PLANS.map((one) => [one, one] as const)}
        />
      )}
    </FormDialog>
  );
}
