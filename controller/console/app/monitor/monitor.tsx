import { useLocation, useRoute } from 'preact-iso';
import { monitorTexts } from '../texts/monitor.ts';
import { shellTexts } from '../texts/shell.ts';
import { href } from '../ui/link.ts';
import { Skeleton } from '../ui/loading.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Actions } from './actions.tsx';
import { useFollow } from './follow-live.ts';
import { Headline } from './headline.tsx';
import { useMonitor, type Monitor } from './reading.ts';
import { Summary } from './summary.tsx';

/** A monitor, in views beside each other. */
export default function MonitorPage() {
  const { params: { id = '', view = '' } } = useRoute();
  useFollow(id);
  const { data: monitor, error, refetch } = useMonitor(id);
  const back = <nav class="crumbs" aria-label={monitorTexts.crumbs}><a href={href('/')}>{shellTexts.overview}</a></nav>;
  if (monitor === undefined) {
    return (
      <Page title={monitorTexts.monitor} above={back}>
        {error === null ? <Skeleton lines={8} /> : <ErrorNote error={error} retry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <Page title={monitor.name} above={back} actions={<Actions monitor={monitor} />} class="monitor">
      <Headline monitor={monitor} />
      <Tabs label={monitor.name} tabs={tabsOf(monitor)} />
      <View monitor={monitor} view={view} />
    </Page>
  );
}

function tabsOf({ id }: Monitor) {
  const base = `/monitors/${id}`;
  return [
    { to: href(base), text: monitorTexts.summary },
  ];
}

function View({ monitor, view }: { monitor: Monitor; view: string }) {
  const { path } = useLocation();
  switch (view) {
    case '': return <Summary key={path} monitor={monitor} />;
    default: return <p>{shellTexts.notFound}</p>;
  }
}
