import { useEffect, useMemo, useState } from 'preact/hooks';
import { liveState } from '../live/live-stream.ts';
import { language } from '../preferences/language.ts';
import { project } from '../session/session.ts';
import { overviewTexts } from '../texts/overview.ts';
import { shellTexts } from '../texts/shell.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { href } from '../ui/link.ts';
import { Skeleton } from '../ui/loading.tsx';
import { StateBadge, StateDot, stateText } from '../ui/state.tsx';
import { numberText, Since } from '../ui/time.tsx';
import { arrange } from './arrange.ts';
import { STATE_ORDER, type Monitor } from './monitor.ts';
import { DEFAULTS } from './options.ts';
import { useMonitors } from './use-monitors.ts';

/** More than fit on a screen are counted. */
const MOST_SHOWN = 24;

/** How everything is, for a screen on a wall: what is wrong in large letters, nothing to press. */
export default function Wall() {
  const { list, reading } = useMonitors();
  useWakeLock();
  useEffect(() => {
    document.title = `${shellTexts.wall} · Farwatch`;
  }, [language.value]);
  const [arrangedAt, drawnAt] = [list.arranged.value, list.drawn.value];
  const monitors = useMemo(
    () => arrange(list.monitors.values(), DEFAULTS, { groups: [], closed: new Set(), uptimeOf: () => null }).monitors,
    [list, arrangedAt, drawnAt],
  );
  const isRead = reading.data !== undefined || monitors.length > 0;
  return (
    <main id="main" class="wall">
      <header>
        <h1>{project.value?.name ?? 'Farwatch'}</h1>
        <Counts monitors={monitors} />
        <Clock />
      </header>
      {isRead ? <Problems monitors={monitors} /> : reading.error === null ? <Skeleton lines={6} /> : <ErrorNote error={reading.error} />}
      <footer>
        <a href={href('/')}>{overviewTexts.leaveWall}</a>
        <span role="status">{liveState.value === 'live' ? shellTexts.live : shellTexts.offlineLong}</span>
      </footer>
    </main>
  );
}

function Counts({ monitors }: { monitors: readonly Monitor[] }) {
  return (
    <div class="wall-counts">
      {STATE_ORDER.map((state) => {
        const count = monitors.filter(({ runtimeStatus }) => runtimeStatus === state).length;
        return count > 0 && <StateBadge key={state} state={state} text={`${numberText(count)} ${stateText(state)}`} />;
      })}
    </div>
  );
}

function Problems({ monitors }: { monitors: readonly Monitor[] }) {
  const wrong = monitors.filter(({ runtimeStatus: state }) => state === 'down' || state === 'degraded');
  if (wrong.length === 0) return <p class="wall-good"><StateDot state="up" />{overviewTexts.allUp}</p>;
  return (
    <ul class="wall-problems" aria-live="polite">
      {wrong.slice(0, MOST_SHOWN).map(({ id, name, runtimeStatus: state, since, down_region_ids: regions }) => (
        <li key={id} class={`wall-problem ${state}`}>
          <strong>{name}</strong>
          <span>{stateText(state)}{since !== null && <> · <Since at={since} /></>}</span>
          {regions.length > 0 && <span>{overviewTexts.downFor(regions.join(', '))}</span>}
        </li>
      ))}
      {wrong.length > MOST_SHOWN && <li class="wall-problem"><strong>{overviewTexts.wallMore(wrong.length - MOST_SHOWN)}</strong></li>}
    </ul>
  );
}

function Clock() {
  const [now, setNow] = useState(new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <time class="clock" dateTime={now.toISOString()}>{now.toLocaleTimeString(navigator.language, { timeStyle: 'short' })}</time>;
}

/** Keeps the screen on while the wall is seen, where the browser can. */
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
