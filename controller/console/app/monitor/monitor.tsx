import { useRoute } from 'preact-iso';
import { checkTexts } from '../texts/checks.ts';
import { expiryTexts } from '../texts/expiry.ts';
import { historyTexts } from '../texts/monitor-history.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { shellTexts } from '../texts/shell.ts';
import { href } from '../ui/link.ts';
import { Skeleton } from '../ui/loading.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ManagedNote } from '../ui/managed.tsx';
import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Actions } from './actions.tsx';
import { Checks } from './checks.tsx';
import { Expiry } from './expiry.tsx';
import { useMonitorLive } from './follow-live.ts';
import { Headline } from './headline.tsx';
import { History } from './history.tsx';
import { useMonitor, type Monitor } from './monitor-queries.ts';
import { SettingsView } from './settings-view.tsx';
import { Simulate } from './simulate.tsx';
import { Summary } from './summary.tsx';

/** One monitor, with its views as tabs. */
export default function MonitorPage() {
  const { params: { id = '', view = '' } } = useRoute();
  useMonitorLive(id);
  const { data: monitor, error, refetch } = useMonitor(id);
  const back = { to: '/', text: shellTexts.allMonitors };
  if (monitor === undefined) {
    return (
      <Page title={monitorTexts.monitor} back={back}>
        {error === null ? <Skeleton lines={8} /> : <ErrorNote error={error} retry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <Page title={monitor.name} back={back} actions={<Actions monitor={monitor} />}>
      <Headline monitor={monitor} />
      <ManagedNote owner={monitor.managed_by} />
      <Tabs label={monitor.name} tabs={tabsOf(monitor)} />
      <View monitor={monitor} view={view} />
    </Page>
  );
}

/** Types whose targets have a certificate or a domain. */
const MAY_EXPIRE = new Set(['HTTP', 'KEYWORD', 'TCP', 'DNS']);

function tabsOf({ id, type }: Monitor) {
  const base = `/monitors/${id}`;
  return [
    { to: href(base), text: monitorTexts.summary },
    { to: href(`${base}/checks`), text: checkTexts.checks },
    { to: href(`${base}/history`), text: historyTexts.history },
    ...MAY_EXPIRE.has(type) ? [{ to: href(`${base}/expiry`), text: expiryTexts.expiry }] : [],
    ...type === 'HEARTBEAT' ? [] : [{ to: href(`${base}/policy`), text: historyTexts.policy }],
    { to: href(`${base}/settings`), text: monitorTexts.settings },
  ];
}

function View({ monitor, view }: { monitor: Monitor; view: string }) {
  switch (view) {
    case '': return <Summary monitor={monitor} />;
    case 'checks': return <Checks monitor={monitor} />;
    case 'history': return <History monitor={monitor} />;
    case 'expiry': return <Expiry monitor={monitor} />;
    case 'policy': return <Simulate monitor={monitor} />;
    case 'settings': return <SettingsView monitor={monitor} />;
    default: return <p>{shellTexts.notFound}</p>;
  }
}
