import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { canEdit, project } from '../api/session.ts';
import { useGroups } from '../live/groups.ts';
import { useKeys } from '../shell/keys.ts';
import { overviewTexts } from '../texts/overview.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { href } from '../ui/link.ts';
import { Skeleton } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { numberText } from '../ui/time.tsx';
import { toastError } from '../ui/toast.tsx';
import { arrange, sortsByLiveValue } from './arrange.ts';
import { BulkBar } from './bulk-bar.tsx';
import { HistoryReader } from './history.ts';
import type { MonitorList } from './monitor-list.ts';
import { DEFAULTS, optionsOf, withOptions, type Options, type Sort } from './options.ts';
import { Selection } from './selection.ts';
import { MonitorTable } from './table.tsx';
import { StateCounts, Toolbar } from './toolbar.tsx';
import { useMonitors } from './use-monitors.ts';

const RESORT_INTERVAL_MS = 1000;

export default function Overview() {
  const { list, reading } = useMonitors();
  void list.orderVersion.value;
  const isRead = reading.data !== undefined || list.total.value !== null;
  const isEmpty = list.isComplete.value && list.monitors.size === 0;
  return (
    <Page title={overviewTexts.title} class="overview" actions={<Actions />}>
      {reading.error !== null && <ErrorNote error={reading.error} retry={() => void reading.refetch()} />}
      {isEmpty && (
        <Empty title={overviewTexts.emptyTitle}>
          <p>{overviewTexts.emptyText}</p>
          {canEdit.value && (
            <p class="actions empty-actions">
              <LinkButton variant="primary" href={href('/welcome')}>{overviewTexts.first}</LinkButton>
              <LinkButton href={href('/monitors/import')}>{overviewTexts.import}</LinkButton>
            </p>
          )}
        </Empty>
      )}
      {(isRead || reading.error === null) && !isEmpty && <Monitors key={project.value?.id} list={list} isRead={isRead} />}
    </Page>
  );
}

function Actions() {
  return (
    <>
      <LinkButton href={href('/wall')}>{overviewTexts.wall}</LinkButton>
      {canEdit.value && <LinkButton variant="primary" href={href('/monitors/new')}>{shellTexts.newMonitor}</LinkButton>}
    </>
  );
}

/** Rendered before the list is loaded, so that the user can already type a search. */
function Monitors({ list, isRead }: { list: MonitorList; isRead: boolean }) {
  const [options, setOptions] = useOptions();
  const search = useRef<HTMLInputElement>(null);
  const history = useMemo(() => new HistoryReader(), []);
  const selection = useMemo(() => new Selection(), []);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [resortCount, setResortCount] = useState(0);
  const groups = useGroups();
  useEffect(() => () => history.stop(), []);
  useEffect(() => {
    if (!sortsByLiveValue(options)) return undefined;
    const timer = setInterval(() => setResortCount((before) => before + 1), RESORT_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [options.sort]);
  useEffect(() => {
    if (options.sort !== 'uptime') return undefined;
    const controller = new AbortController();
    history.readAll(controller.signal).then(() => setResortCount((before) => before + 1), (error: unknown) => {
      if (!controller.signal.aborted) toastError(error);
    });
    return () => controller.abort();
  }, [options.sort]);
  useKeys([{ keys: '/', text: overviewTexts.searchKey, run: () => search.current?.focus() }]);
  const arrangedAt = list.orderVersion.value;
  const arranged = useMemo(
    () => arrange(list.monitors.values(), options, { groups, closed, uptimeOf: (id) => history.get(id, '24h')?.uptime }),
    [list, arrangedAt, options, groups, closed, resortCount],
  );
  useEffect(() => selection.retain((id) => list.monitors.has(id)), [arrangedAt]);
  const toggle = (key: string) => setClosed((before) => {
    const next = new Set(before);
    if (!next.delete(key)) next.add(key);
    return next;
  });
  const sortBy = (sort: Sort) => setOptions({ sort, isReversed: options.sort === sort && !options.isReversed });
  const table = arranged.monitors.length === 0
    ? <Empty title={overviewTexts.noMatches}><Button onClick={() => setOptions(DEFAULTS)}>{overviewTexts.showAll}</Button></Empty>
    : (
      <MonitorTable
        arranged={arranged} options={options} list={list} history={history} selection={selection}
        canChoose={canEdit.value} onToggle={toggle} onSort={sortBy}
      />
    );
  return (
    <>
      <StateCounts options={options} monitors={list.monitors.values()} onChange={setOptions} />
      <Toolbar options={options} monitors={list.monitors.values()} search={search} onChange={setOptions} />
      {isRead && (
        <p class="faint small" role="status">
          {list.isComplete.value
            ? overviewTexts.shown(numberText(arranged.monitors.length), numberText(list.monitors.size))
            : overviewTexts.loadingMore(numberText(list.monitors.size), numberText(list.total.value ?? list.monitors.size))}
        </p>
      )}
      {isRead ? table : <Skeleton lines={10} />}
      {canEdit.value && <BulkBar list={list} selection={selection} groups={groups} />}
    </>
  );
}

/** The options in the URL, and a setter. Typing adds no history entries. */
function useOptions(): [Options, (change: Partial<Options>) => void] {
  const { path, url, route } = useLocation();
  const query = url.split('?')[1] ?? '';
  const options = useMemo(() => optionsOf(query), [query]);
  const change = (changed: Partial<Options>) => {
    const next = withOptions(location.search.slice(1), changed);
    const isTyping = Object.keys(changed).length === 1 && 'q' in changed;
    route(next === '' ? path : `${path}?${next}`, isTyping);
  };
  return [options, change];
}
