import { monitorTexts } from '../texts/monitor.ts';
import { QueryResult } from '../ui/loading.tsx';
import { msText, percentText, timeText } from '../ui/time.tsx';
import { useMonitorNow } from './monitor-queries.ts';

const HOUR_MS = 3_600_000;

/** Uptime over a day, a month and a quarter, with bars for the last day and quarter. */
export function Figures({ id }: { id: string }) {
  const now = useMonitorNow(id);
  return (
    <QueryResult query={now} lines={2}>
      {({ monitor, firstHour, firstDay }) => monitor !== null && (
        <div class="figures">
          <Figure name={monitorTexts.uptime24} value={monitor.uptime_24h} />
          <Figure name={monitorTexts.uptime30} value={monitor.uptime_30d} />
          <Figure name={monitorTexts.uptime90} value={monitor.uptime_90d} />
          <div class="card figure">
            <span class="faint small">{monitorTexts.latestTime}</span>
            <strong>{monitor.response_time_ms === null ? '–' : msText(monitor.response_time_ms)}</strong>
          </div>
          <div class="card uptimes">
            <Bars label={monitorTexts.last24} first={firstHour} stepMs={HOUR_MS} percents={monitor.hours ?? []} />
            <Bars label={monitorTexts.last90} first={firstDay} stepMs={24 * HOUR_MS} percents={monitor.days ?? []} />
          </div>
        </div>
      )}
    </QueryResult>
  );
}

function Figure({ name, value }: { name: string; value: number | null | undefined }) {
  return (
    <div class="card figure">
      <span class="faint small">{name}</span>
      <strong>{value === null || value === undefined ? '–' : percentText(value, value > 99.9 && value < 100 ? 3 : 2)}</strong>
    </div>
  );
}

const FULL_UPTIME_PERCENT = 99.995;

function kindOf(percent: number | null): string {
  if (percent === null) return 'none';
  if (percent >= FULL_UPTIME_PERCENT) return 'up';
  return percent >= 95 ? 'degraded' : 'down';
}

function Bars({ label, first, stepMs, percents }: { label: string; first: number; stepMs: number; percents: (number | null)[] }) {
  const format = stepMs === HOUR_MS ? 'minute' : 'utcDay';
  const bad = percents.filter((percent) => percent !== null && percent < FULL_UPTIME_PERCENT).length;
  return (
    <div>
      <p class="faint small">{label}</p>
      <div class="uptime-bars" role="img" aria-label={monitorTexts.barsLabel(label, bad, percents.length)}>
        {percents.map((percent, at) => (
          <span
            key={at} class={kindOf(percent)}
            title={`${timeText(first + at * stepMs, format)}: ${percent === null ? monitorTexts.notMonitored : percentText(percent)}`}
          />
        ))}
      </div>
    </div>
  );
}
