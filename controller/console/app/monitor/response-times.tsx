import { regionName, useRegions } from '../live/regions.ts';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { TimeChart } from '../charts/time-chart.tsx';
import type { ChartData } from '../charts/chart-data.ts';
import { ChangesInChart } from '../changes/changes.tsx';
import { marksOf, useChangesIn } from '../changes/change-queries.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { href } from '../ui/link.ts';
import { Section } from '../ui/page.tsx';
import { durationText, now as clock } from '../ui/time.tsx';
import { ChartTable } from './chart-table.tsx';
import { FIGURES, linesOfChecks, linesOfSeries, percentilesOfChecks, percentilesOfSeries, phasesOfChecks, type Figure } from './chart-lines.ts';
import { useChecks, useSeries, useShades } from './chart-queries.ts';
import { useRegionStatuses, type Monitor } from './monitor-queries.ts';
import { defaultSpan, movedSpan, sourceOf, SPANS, spanOf, type Span, type SpanName } from './time-span.ts';

const KINDS = ['regions', 'percentiles', 'phases'] as const;
type Kind = (typeof KINDS)[number];

const MINUTE_MS = 60_000;

/** Response times by region, as percentiles or by phase. The URL holds the time range. */
export function ResponseTimes({ monitor }: { monitor: Monitor }) {
  const { query, path, route } = useLocation();
  const present = Math.ceil(clock.value / MINUTE_MS) * MINUTE_MS;
  // Computed once, because it would change as the monitor ages.
  const first = useMemo(() => defaultSpan(monitor.created_at * 1000, clock.peek()), [monitor.id]);
  const span = spanOf(query, present, first);
  const kind: Kind = KINDS.find((one) => one === query['show']) ?? 'regions';
  const figure: Figure = FIGURES.find((one) => one === query['figure']) ?? 'p50';
  const regionStatuses = useRegionStatuses(monitor.id).data?.regions ?? [];
  const title = monitor.type === 'HEARTBEAT' ? monitorTexts.runTimes : monitorTexts.responseTimes;
  const setParams = (changes: Record<string, string | null>, replace = false) => {
    const params = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) params.delete(name);
      else params.set(name, value);
    }
    route(href(`${path}?${params.toString()}`), replace);
  };
  const showSpan = ({ from, to }: Span) => setParams({ from: String(from), to: String(to), range: null });
  const source = sourceOf(span, present, monitor.interval_seconds, regionStatuses.length);
  // Percentiles of several regions can't be combined.
  const needsRegion = kind === 'percentiles' && source.kind === 'series';
  const selected = regionStatuses.find((one) => one.region === query['region']) ?? (needsRegion ? regionStatuses[0] : undefined);
  const region = selected?.region ?? null;
  const regions = useRegions();
  const { data, isLoading, error, isSampled } = useChart(monitor, span, source, { kind, figure, region });
  const shades = useShades(monitor, span, present);
  const changes = useChangesIn(monitor.id, span, span.to >= present);
  return (
    <Section
      title={title}
      actions={<SpanChoice name={span.name} onChoose={(name) => setParams({ range: name, from: null, to: null })} />}
    >
      <div class="card chart-card">
        <div class="chart-choices">
          <Choice
            label={monitorTexts.show} value={kind} onValue={(value) => setParams({ show: value }, true)}
            options={KINDS.map((one) => [one, monitorTexts[`by_${one}`]])}
          />
          {kind === 'regions' && source.kind === 'series' && (
            <Choice
              label={monitorTexts.figure} value={figure} onValue={(value) => setParams({ figure: value }, true)}
              options={FIGURES.map((one) => [one, monitorTexts[one]])}
            />
          )}
          {regionStatuses.length > 1 && kind !== 'regions' && (
            <Choice
              label={monitorTexts.region} value={region ?? ''} onValue={(value) => setParams({ region: value || null }, true)}
              options={[
                ...needsRegion ? [] : [['', monitorTexts.allRegions] as const],
                ...regionStatuses.map(({ region: one }) => [one, regionName(regions, one)] as const),
              ]}
            />
          )}
          <span class="chart-moves">
            <Button variant="quiet" aria-label={monitorTexts.earlier} onClick={() => showSpan(movedSpan(span, { by: -0.5 }, present))}>←</Button>
            <Button variant="quiet" aria-label={monitorTexts.later} disabled={span.to >= present} onClick={() => showSpan(movedSpan(span, { by: 0.5 }, present))}>→</Button>
            <Button variant="quiet" aria-label={monitorTexts.closer} onClick={() => showSpan(movedSpan(span, { zoom: 0.5 }, present))}>+</Button>
            <Button variant="quiet" aria-label={monitorTexts.farther} onClick={() => showSpan(movedSpan(span, { zoom: 2 }, present))}>−</Button>
            {span.name === null && <Button onClick={() => setParams({ from: null, to: null })}>{monitorTexts.whole}</Button>}
          </span>
        </div>
        <ErrorNote error={error} />
        <div class="chart-place" aria-busy={isLoading || undefined}>
          <TimeChart
            label={title} {...data} {...span} shades={shades} marks={marksOf(changes)}
            onZoom={(from, to) => showSpan({ from, to })}
          />
          {data.times.length === 0 && !isLoading && error === null && <p class="chart-empty">{monitorTexts.noTimes}</p>}
        </div>
        <p class="small faint chart-note">
          {monitorTexts.dragHint} <i class="shade-mark down" /> {monitorTexts.outage} <i class="shade-mark maintenance" /> {monitorTexts.maintenance}
          {isSampled ? <> · {monitorTexts.sampled}</> : source.kind === 'series' && <> · {monitorTexts.pointIs(durationText(source.stepMs / 1000), needsRegion)}</>}
        </p>
        <ChangesInChart changes={changes} />
        <ChartTable {...data} />
      </div>
    </Section>
  );
}

const EMPTY_CHART: ChartData = { times: [], lines: [] };

function useChart(
  monitor: Monitor, span: Span, source: ReturnType<typeof sourceOf>,
  { kind, figure, region }: { kind: Kind; figure: Figure; region: string | null },
): { data: ChartData; isLoading: boolean; error: unknown; isSampled: boolean } {
  const regions = useRegions();
  const name = (id: string) => regionName(regions, id);
  const isSampled = kind === 'phases' && source.kind === 'series';
  const checks = useChecks(monitor, span, source.kind === 'checks' ? 'all' : isSampled ? 'samples' : null);
  const series = useSeries(monitor, source);
  const chosen = (checks.data ?? []).filter((one) => region === null || one.region === region);
  const names = { p50: monitorTexts.p50, p95: monitorTexts.p95, p99: monitorTexts.p99 };
  const chartData = (): ChartData => {
    if (kind === 'phases') {
      const { dns, connect, tls, first_byte, transfer } = monitorTexts;
      return phasesOfChecks(chosen, span, { dns, connect, tls, first_byte, transfer });
    }
    if (source.kind === 'checks') return kind === 'regions' ? linesOfChecks(checks.data ?? [], name) : percentilesOfChecks(chosen, span, names);
    if (series.data === undefined) return EMPTY_CHART;
    if (kind === 'regions') return linesOfSeries(series.data, span, source.stepMs, figure, name);
    return percentilesOfSeries(series.data, region ?? series.data[0]?.region ?? '', span, source.stepMs, names);
  };
  const activeQuery = source.kind === 'checks' || isSampled ? checks : series;
  const { isFetching, isPlaceholderData, data, error } = activeQuery;
  const isLoading = isFetching && (data === undefined || isPlaceholderData);
  return { data: chartData(), isLoading, error, isSampled };
}

function SpanChoice({ name, onChoose }: { name: SpanName | null; onChoose: (name: SpanName) => void }) {
  return (
    <div class="span-choice" role="group" aria-label={monitorTexts.span}>
      {(Object.keys(SPANS) as SpanName[]).map((one) => (
        <button key={one} type="button" aria-pressed={one === name} onClick={() => onChoose(one)}>{monitorTexts[`short_${one}`]}</button>
      ))}
    </div>
  );
}

function Choice<T extends string>({ label, value, options, onValue }: {
  label: string; value: T; options: readonly (readonly [T, string])[]; onValue: (value: T) => void;
}) {
  return (
    <label class="chart-choice">
      <span class="faint small">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as T)}>
        {options.map(([one, text]) => <option key={one} value={one}>{text}</option>)}
      </select>
    </label>
  );
}
