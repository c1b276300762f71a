import { useState } from 'preact/hooks';
import { nextDueAt } from '../../../work/cron-schedule.ts';
import { baseUrl } from '../api/base-path.ts';
import { unwrap, api } from '../api/client.ts';
import { canEdit, project } from '../api/session.ts';
import { CONCEALED } from '../editing/value-text.ts';
import { heartbeatTexts as texts } from '../texts/heartbeats.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { DueTimes } from '../ui/due-times.tsx';
import { Section } from '../ui/page.tsx';
import { Ago, durationText, Time } from '../ui/time.tsx';
import { toastError } from '../ui/toast.tsx';
import type { Monitor } from './monitor-queries.ts';
import { Pings } from './pings.tsx';

/** The URL for the job's pings, when they are due, and the latest ones. */
export function Heartbeat({ monitor }: { monitor: Monitor }) {
  const { heartbeat_token: token = CONCEALED, last_heartbeat_at: last } = monitor;
  const { heartbeat_schedule: cron, heartbeat_timezone: timezone = 'UTC', max_runtime_seconds: maxRuntime } = monitor;
  const dueBy = deadlineOf(monitor);
  const address = `${baseUrl}/api/heartbeat/${token}`;
  return (
    <>
      <Section title={texts.pings}>
        <div class="card">
          <dl class="facts">
            <dt>{texts.lastPing}</dt><dd>{last === undefined ? texts.noPing : <Ago at={last * 1000} />}</dd>
            <dt>{texts.expected}</dt><dd>{expectedText(monitor)}</dd>
            {maxRuntime !== undefined && <><dt>{texts.maxRuntime}</dt><dd>{durationText(maxRuntime)}</dd></>}
            {dueBy !== null && <><dt>{texts.dueBy}</dt><dd><Time at={dueBy} /></dd></>}
          </dl>
          {cron !== undefined && <DueTimes cron={cron} timezone={timezone} />}
          {token !== CONCEALED && (
            <>
              <CopyLine label={texts.pingAddress} text={`curl -fsS ${address}`} />
              <p class="hint">{texts.pingHint}</p>
              <CopyLine label={texts.pingAddress} text={`curl -fsS ${address}/start; your-job; curl -fsS ${address}/$?`} />
            </>
          )}
          {canEdit.value && monitor.slug !== undefined && <AddressByName slug={monitor.slug} />}
        </div>
      </Section>
      <Pings id={monitor.id} />
    </>
  );
}

function expectedText(monitor: Monitor): string {
  const { heartbeat_interval: interval = 0, heartbeat_schedule: cron, heartbeat_timezone: timezone = 'UTC' } = monitor;
  const grace = durationText(monitor.grace_period ?? 0);
  return cron === undefined ? texts.everyWithin(durationText(interval), grace) : texts.bySchedule(cron, timezone, grace);
}

/** When the next ping is late, Unix ms; null before the first one, and if this browser cannot tell. */
function deadlineOf(monitor: Monitor): number | null {
  const { heartbeat_interval: interval = 0, heartbeat_schedule: cron, heartbeat_timezone: timezone = 'UTC' } = monitor;
  const { last_heartbeat_at: last, grace_period: grace = 0 } = monitor;
  if (last === undefined) return null;
  const due = cron === undefined ? (last + interval) * 1000 : nextDueAt({ cron, timezone }, last * 1000);
  return due === null ? null : due + grace * 1000;
}

/** Fetched on demand, because every read of the key is in the audit log. */
function AddressByName({ slug }: { slug: string }) {
  const [key, setKey] = useState<string | null>(null);
  const projectId = project.value?.id ?? '';
  const show = () => {
    unwrap(api.GET('/api/projects/{projectId}/ping-key', { params: { path: { projectId } } }))
      .then((read) => setKey(read.ping_key), toastError);
  };
  if (key === null) return <div><Button onClick={show}>{texts.byName}</Button></div>;
  return (
    <>
      <p class="hint">{texts.byNameHint}</p>
      <CopyLine label={texts.pingAddress} text={`curl -fsS ${baseUrl}/api/ping/${key}/${slug}`} />
    </>
  );
}
