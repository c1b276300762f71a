import { useLocation } from 'preact-iso';
import { canEdit } from '../api/session.ts';
import { useKeys } from '../shell/keys.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { LinkButton } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { Calendar } from './calendar.tsx';
import { useWindows } from './windows.ts';
import { WindowTable } from './window-table.tsx';

/** Maintenance windows as a list and as a calendar. */
export default function Maintenance() {
  const { query, route } = useLocation();
  const windowsQuery = useWindows();
  const isCalendar = query['view'] === 'calendar';
  useKeys(canEdit.value ? [{ keys: 'n', text: texts.plan, run: () => route(href('/maintenance/new')) }] : []);
  const view = (to: string, text: string, isCurrent: boolean) => (
    <a href={href(to)} aria-current={isCurrent ? 'page' : undefined}>{text}</a>
  );
  return (
    <Page
      title={texts.title}
      actions={canEdit.value && <LinkButton variant="primary" href={href('/maintenance/new')}>{texts.plan}</LinkButton>}
    >
      <nav class="tabs" aria-label={texts.title}>
        {view('/maintenance', texts.list, !isCalendar)}{view('/maintenance?view=calendar', texts.calendar, isCalendar)}
      </nav>
      {isCalendar ? <Calendar month={query['month']} /> : (
        <QueryResult query={windowsQuery} lines={5}>
          {({ maintenance_windows: windows }) => (windows.length === 0
            ? <Empty title={texts.none}><p>{texts.noneText}</p></Empty>
            : <WindowTable windows={windows} />)}
        </QueryResult>
      )}
    </Page>
  );
}
