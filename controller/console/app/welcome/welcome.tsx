import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { unwrap, api } from '../api/client.ts';
import { canAdministerProject, canEdit, me } from '../api/session.ts';
import { welcomeTexts } from '../texts/welcome.ts';
import { LinkButton } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { Page } from '../ui/page.tsx';
import { FirstAlert } from './first-alert.tsx';
import { FirstMonitor } from './first-monitor.tsx';
import { FirstProbe } from './first-probe.tsx';

/** Setup in three steps: a monitor, alerts, and probes in other locations. */
export default function Welcome() {
  const monitors = useQuery({
    queryKey: ['monitors', 'first'],
    queryFn: () => unwrap(api.GET('/api/monitors', { params: { query: { limit: 1 } } })), enabled: canEdit.value,
  });
  const alerts = useQuery({
    queryKey: ['destinations', 'first'], queryFn: () => unwrap(api.GET('/api/integrations')),
    enabled: canAdministerProject.value,
  });
  const first = monitors.data?.monitors[0] ?? null;
  const target = alerts.data?.integrations[0] ?? null;
  const name = me.value?.user.name.split(/\s+/)[0] ?? '';
  return (
    <Page title={welcomeTexts.hello(name)} class="form welcome" actions={<LinkButton href={href('/')}>{welcomeTexts.later}</LinkButton>}>
      <p>{welcomeTexts.intro}</p>
      <ol class="steps">
        {canEdit.value && <Step title={welcomeTexts.addMonitor} isDone={first !== null}><FirstMonitor existing={first} /></Step>}
        {canAdministerProject.value && (
          <Step title={welcomeTexts.addDestination} isDone={target !== null}><FirstAlert existing={target} /></Step>
        )}
        <Step title={welcomeTexts.addProbe} isDone={false}><FirstProbe /></Step>
      </ol>
    </Page>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={`card step ${isDone ? 'done' : ''}`}>
      <h2>{title}{isDone && <span class="step-done"> ✓ <span class="hidden">{welcomeTexts.done}</span></span>}</h2>
      {children}
    </li>
  );
}
