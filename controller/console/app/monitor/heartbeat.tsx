import { baseUrl } from '../api/base-path.ts';
import { CONCEALED } from '../editing/value-text.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { CopyLine } from '../ui/copy.tsx';
import { Section } from '../ui/page.tsx';
import { Ago, durationText, Time } from '../ui/time.tsx';
import type { Monitor } from './monitor-queries.ts';

/** The URL for the job's pings, the last ping and the deadline of the next. */
export function Heartbeat({ monitor }: { monitor: Monitor }) {
  const { heartbeat_token: token = CONCEALED, last_heartbeat_at: last } = monitor;
  const { heartbeat_interval: interval = 0, grace_period: grace = 0 } = monitor;
  const address = `${baseUrl}/api/heartbeat/${token}`;
  return (
    <Section title={monitorTexts.pings}>
      <div class="card">
        <dl class="facts">
          <dt>{monitorTexts.lastPing}</dt><dd>{last === undefined ? monitorTexts.noPing : <Ago at={last * 1000} />}</dd>
          <dt>{monitorTexts.expected}</dt><dd>{monitorTexts.everyWithin(durationText(interval), durationText(grace))}</dd>
          {last !== undefined && <><dt>{monitorTexts.dueBy}</dt><dd><Time at={(last + interval + grace) * 1000} /></dd></>}
        </dl>
        {token !== CONCEALED && (
          <>
            <CopyLine label={monitorTexts.pingAddress} text={`curl -fsS ${address}`} />
            <p class="hint">{monitorTexts.pingHint}</p>
            <CopyLine label={monitorTexts.pingAddress} text={`curl -fsS ${address}/start; your-job; curl -fsS ${address}/$?`} />
          </>
        )}
      </div>
    </Section>
  );
}
