import { regionName, useRegions } from '../live/regions.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { href } from '../ui/link.ts';
import { StateBadge } from '../ui/state.tsx';
import { Ago, durationText, Since } from '../ui/time.tsx';
import { stateOf, useMonitorNow, useRegionStatuses, type Monitor } from './monitor-queries.ts';

/** The monitor's state with its start and reason, and its target. */
export function Headline({ monitor }: { monitor: Monitor }) {
  const { since = null, incident = null, last_check_at: lastCheck = null, tags = [] } =
    useMonitorNow(monitor.id).data?.monitor ?? {};
  const state = stateOf(monitor);
  return (
    <div class="headline">
      <p class="headline-state">
        <StateBadge state={state} />
        {since !== null && <span>{monitorTexts.since} <strong><Since at={since} /></strong></span>}
        {state !== 'paused' && state !== 'disabled' && <StatusReason id={monitor.id} />}
        {incident !== null && <a href={href(`/incidents/${incident.id}`)}>{monitorTexts.openIncident}</a>}
      </p>
      <p class="headline-facts faint">
        <span class="tag">{monitor.type}</span>
        {monitor.type !== 'HEARTBEAT' && <code class="target">{monitor.target}</code>}
        {monitor.heartbeat_schedule === undefined
          ? <span>{monitorTexts.every(durationText(monitor.heartbeat_interval ?? monitor.interval_seconds))}</span>
          : <code>{monitor.heartbeat_schedule}</code>}
        {lastCheck !== null && <span>{monitorTexts.lastCheck} <Ago at={lastCheck} /></span>}
        {tags.map((tag) => <span key={tag} class="tag">{tag}</span>)}
      </p>
    </div>
  );
}

/** A sentence with the votes of the regions. */
function StatusReason({ id }: { id: string }) {
  const { data } = useRegionStatuses(id);
  const regions = useRegions();
  if (data === undefined) return null;
  if (data.reason !== null) return <span>{data.reason}</span>;
  const reporting = data.regions.filter(({ status }) => status !== 'unknown');
  const down = reporting.filter(({ status }) => status === 'down');
  if (reporting.length === 0) return null;
  if (down.length === 0) return <span>{monitorTexts.upIn(reporting.length)}</span>;
  const names = down.slice(0, 3).map(({ region }) => regionName(regions, region)).join(', ');
  return (
    <span>
      {monitorTexts.downIn(down.length, reporting.length, down.length > 3 ? `${names}…` : names)}
      {down.slice(0, 1).map(({ reason }) => reason !== null && <>: <q>{reason}</q></>)}
    </span>
  );
}
