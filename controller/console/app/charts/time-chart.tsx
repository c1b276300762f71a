import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { language } from '../preferences/language.ts';
import { scheme } from '../preferences/theme.ts';
import { msText, timeText } from '../ui/time.tsx';
import { isolatedPoints, type ChartData } from './chart-data.ts';

/** A time range with its own background. Unix ms. */
export interface Shade {
  from: number;
  to: number;
  kind: 'down' | 'degraded' | 'maintenance';
}

/** A vertical line. `at`: Unix ms. */
export interface Mark {
  at: number;
  isDashed: boolean;
}

interface Props extends ChartData {
  /** Description for screen readers; a table beside the chart has the numbers. */
  label: string;
  /** The displayed time range, Unix ms. */
  from: number;
  to: number;
  shades: readonly Shade[];
  marks: readonly Mark[];
  /** Called when the user drags across a time range. */
  onZoom: (from: number, to: number) => void;
}

const HEIGHT_PX = 260;
const MIN_DRAG_PX = 8;
const DAY_MS = 86_400_000;

/** Lines over time, in ms. Only this module loads uPlot. */
export function TimeChart(props: Props) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [hovered, setHovered] = useState<{ index: number; left: number } | null>(null);
  const { lines, times, label } = props;
  const shape = lines.map(({ name, color }) => `${name} ${color}`).join('\n');
  useEffect(() => {
    const element = container.current as HTMLDivElement;
    const showReadout = (index: number | null, left: number) => setHovered(index === null ? null : { index, left });
    const chart = new UPlot(optionsOf(element.clientWidth, latest, showReadout), dataOf(latest.current), element);
    plot.current = chart;
    const resizeObserver = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resizeObserver.observe(element);
    return () => {
      resizeObserver.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [shape, scheme.value, language.value]);
  useEffect(() => {
    plot.current?.setData(dataOf(latest.current), false);
    plot.current?.setScale('x', { min: props.from, max: props.to });
  }, [lines, times, props.from, props.to, props.shades, props.marks]);
  return (
    <figure class="time-chart" aria-label={label}>
      <div ref={container} class="plot" aria-hidden="true" />
      {hovered !== null && <Readout {...hovered} {...props} />}
      <figcaption>
        {lines.map(({ name, color }) => <span key={name}><i class={`line-mark ${color}`} />{name}</span>)}
      </figcaption>
    </figure>
  );
}

function Readout({ index, left, times, lines }: { index: number; left: number } & ChartData) {
  return (
    <div class="readout" style={{ left: `${left}px` }} aria-hidden="true">
      <strong>{timeText(times[index] ?? 0, 'minute')}</strong>
      {lines.map(({ name, color, values, displayValues }) => {
        const value = nearest(displayValues ?? values, index);
        return value === null ? null : <span key={name}><i class={`line-mark ${color}`} />{name} <b>{msText(value)}</b></span>;
      })}
    </div>
  );
}

/** The date at the start of a day, otherwise the time. */
function tickText(at: number, stepMs: number): string {
  return timeText(at, stepMs >= DAY_MS || new Date(at).getHours() + new Date(at).getMinutes() === 0 ? 'tickDay' : 'clock');
}

/** Lines of different regions have values at different times. */
function nearest(values: ChartData['lines'][number]['values'], index: number): number | null {
  for (let distance = 0; distance < 8; distance += 1) {
    const found = values[index - distance] ?? values[index + distance];
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

function dataOf({ times, lines }: ChartData): UPlot.AlignedData {
  return [times, ...lines.map(({ values }) => values)] as UPlot.AlignedData;
}

/** A color variable of the page in the current theme. */
function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function optionsOf(
  width: number, latest: { current: Props }, showReadout: (index: number | null, left: number) => void,
): UPlot.Options {
  const axis = { stroke: () => colorOf('faint'), grid: { stroke: () => colorOf('line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  const isolated = (plot: UPlot, series: number) => isolatedPoints(plot.data[series] ?? []);
  return {
    width, height: HEIGHT_PX, ms: 1, legend: { show: false }, padding: [12, 24, 0, 0],
    series: [{}, ...latest.current.lines.map(({ color, fill = false, width: lineWidth = 1.5 }) => ({
      stroke: () => colorOf(color), width: lineWidth, points: { show: true, size: 5, filter: isolated },
      ...(fill ? { fill: () => colorOf(color) } : {}),
    }))],
    scales: {
      x: { min: latest.current.from, max: latest.current.to, auto: false },
      y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, size: 32, values: (_plot, splits, _index, _space, step) => splits.map((at) => tickText(at, step)) },
      { ...axis, size: 64, values: (_plot, splits) => splits.map((ms) => msText(ms)) },
    ],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
    hooks: {
      drawClear: [(plot) => drawShades(plot, latest.current.shades)],
      draw: [(plot) => drawMarks(plot, latest.current.marks)],
      setCursor: [({ cursor: { idx, left = -1 } }) => showReadout(left < 0 ? null : idx ?? null, left)],
      setSelect: [(plot) => {
        const { left, width: selectedWidth } = plot.select;
        if (selectedWidth < MIN_DRAG_PX) return;
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        latest.current.onZoom(Math.round(plot.posToVal(left, 'x')), Math.round(plot.posToVal(left + selectedWidth, 'x')));
      }],
    },
  };
}

function drawShades({ ctx, bbox, valToPos }: UPlot, shades: readonly Shade[]): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { from, to, kind } of shades) {
    const left = valToPos(from, 'x', true);
    ctx.fillStyle = colorOf(`${kind}-soft`);
    ctx.fillRect(left, bbox.top, Math.max(2, valToPos(to, 'x', true) - left), bbox.height);
  }
  ctx.restore();
}

function drawMarks({ ctx, bbox, valToPos }: UPlot, marks: readonly Mark[]): void {
  const { devicePixelRatio: scale } = window;
  ctx.save();
  ctx.strokeStyle = colorOf('text');
  ctx.lineWidth = scale;
  for (const { at, isDashed } of marks) {
    const left = Math.round(valToPos(at, 'x', true));
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.setLineDash(isDashed ? [4 * scale, 4 * scale] : []);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
