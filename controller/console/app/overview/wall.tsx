import { useEffect, useMemo, useState } from 'preact/hooks';
import { project } from '../api/session.ts';
import { liveStatus } from '../live/live-stream.ts';
import { language } from '../preferences/language.ts';
import { prefersDark } from '../preferences/theme.ts';
import { useGroups } from '../live/groups.ts';
import { overviewTexts } from '../texts/overview.ts';
import { shellTexts } from '../texts/shell.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { href } from '../ui/link.ts';
import { Skeleton } from '../ui/loading.tsx';
import { shownState } from '../ui/shown-state.ts';
import { StateBadge, StateDot, stateText } from '../ui/state.tsx';
import { numberText, Since, timeText } from '../ui/time.tsx';
import { arrange } from './arrange.ts';
import { STATE_ORDER, type Monitor } from './monitor.ts';
import type { MonitorList } from './monitor-list.ts';
import { DEFAULTS } from './options.ts';
import { useMonitors } from './use-monitors.ts';
import { panelsOf, wallParts, type WallParts } from './wall-panels.ts';
import { WallTiles } from './wall-tiles.tsx';

/** Shorter interruptions of the connection are not shown. */
const STALE_AFTER_MS = 5000;

/** A read-only overview for a wall screen: problems in large letters, and a tile per monitor. */
export default function Wall() {
  const { list, reading } = useMonitors();
  const groups = useGroups();
  const staleSince = useStale(reading.error !== null);
  useWakeLock();
  useDark();
  useEffect(() => {
    document.title = `${shellTexts.wall} · Farwatch`;
  }, [language.value]);
  const arrangedAt = list.orderVersion.value;
  const monitors = useMemo(
    () => arrange(list.monitors.values(), DEFAULTS, { groups: [], closed: new Set(), uptimeOf: () => null }).monitors,
    [list, arrangedAt],
  );
  const parts = useMemo(() => wallParts(monitors), [monitors]);
  const { panels, leftOut } = useMemo(() => panelsOf(parts.tiled, groups), [parts, groups]);
  const isRead = reading.data !== undefined || monitors.length > 0;
  return (
    <main id="main" class={`wall ${staleSince === null ? '' : 'stale'}`}>
      <header>
        <h1>{project.value?.name ?? 'Farwatch'}</h1>
        <Counts monitors={monitors} />
        <Clock />
      </header>
      <div role="alert">
        {staleSince !== null && <p class="wall-stale">{overviewTexts.wallStale(timeText(staleSince, 'clock'))}</p>}
      </div>
      {isRead && <Problems list={list} parts={parts} hasMonitors={monitors.length > 0} />}
      {isRead ? <WallTiles panels={panels} /> : reading.error === null ? <Skeleton lines={6} /> : <ErrorNote error={reading.error} />}
      <footer>
        <a href={href('/')}>← {shellTexts.allMonitors}</a>
        {leftOut > 0 && <span>{overviewTexts.wallMore(leftOut)}</span>}
        <span role="status">{shellTexts[liveStatus.value]}</span>
      </footer>
    </main>
  );
}

function Counts({ monitors }: { monitors: readonly Monitor[] }) {
  return (
    <div class="wall-counts">
      {STATE_ORDER.map((state) => {
        const count = monitors.filter((one) => shownState(one) === state).length;
        return count > 0 && <StateBadge key={state} state={state} text={`${numberText(count)} ${stateText(state)}`} />;
      })}
    </div>
  );
}

function Problems({ list, parts: { large, moreProblems }, hasMonitors }: {
  list: MonitorList; parts: WallParts; hasMonitors: boolean;
}) {
  // The failing regions can change without the order.
  void list.drawVersion.value;
  if (large.length === 0) {
    return hasMonitors && <p class="wall-good"><StateDot state="up" />{overviewTexts.nothingDown}</p>;
  }
  return (
    <ul class="wall-problems" aria-live="polite" aria-relevant="additions">
      {large.map((one) => (
        <li key={one.id} class={`wall-problem ${shownState(one)}`}>
          <strong>{one.name}</strong>
          <span>
            {stateText(shownState(one))}{one.since !== null && <> · <Since at={one.since} /></>}
            {one.down_region_ids.length > 0 && ` · ${overviewTexts.downFor(one.down_region_ids.join(', '))}`}
          </span>
        </li>
      ))}
      {moreProblems > 0 && <li class="wall-problem"><strong>{overviewTexts.wallMore(moreProblems)}</strong></li>}
    </ul>
  );
}

function Clock() {
  const [now, setNow] = useState(new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <time class="clock" dateTime={now.toISOString()}>{timeText(now.getTime(), 'clock')}</time>;
}

/** Since when the view may be outdated, Unix ms; null while it is current. */
function useStale(isFailing: boolean): number | null {
  const [since, setSince] = useState<number | null>(null);
  const isFresh = liveStatus.value === 'live' && !isFailing;
  useEffect(() => {
    if (isFresh) {
      setSince(null);
      return undefined;
    }
    const at = Date.now();
    const timer = setTimeout(() => setSince(at), STALE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isFresh]);
  return since;
}

/** Dark by default, because a bright wall disturbs a room; an explicitly chosen light theme stays. */
function useDark(): void {
  useEffect(() => {
    prefersDark.value = true;
    return () => {
      prefersDark.value = false;
    };
  }, []);
}

/** Keeps the screen on while the wall is visible, if the browser supports it. */
function useWakeLock(): void {
  useEffect(() => {
    const lock = () => {
      if (document.visibilityState === 'visible') void navigator.wakeLock?.request('screen').catch(() => undefined);
    };
    lock();
    document.addEventListener('visibilitychange', lock);
    return () => document.removeEventListener('visibilitychange', lock);
  }, []);
}
