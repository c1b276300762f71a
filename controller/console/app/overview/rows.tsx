import { Component } from 'preact';
import { overviewTexts } from '../texts/overview.ts';
import { href } from '../ui/link.ts';
import { shownState, type ShownState } from '../ui/shown-state.ts';
import { StateDot, stateText } from '../ui/state.tsx';
import { Ago, msText, percentText, Since } from '../ui/time.tsx';
import { Bars, Sparkline } from './bars.tsx';
import type { Heading, Line } from './arrange.ts';
import type { History } from './history.ts';
import { STATE_ORDER, type Monitor } from './monitor.ts';
import type { Grouping, Span } from './options.ts';

interface RowProps {
  /** Index in the whole list, from 0. */
  index: number;
  height: number;
  isChosen: boolean;
  canChoose: boolean;
}

interface LineProps extends RowProps {
  line: Line;
  /** The monitor's revision when the row was drawn: it changes in place. */
  revision: number;
  span: Span;
  history: History | undefined;
  /** Redraws the row when the language changes. */
  language: string;
  onChoose: (key: string, isRange: boolean) => void;
}

/** A monitor's row; redrawn when the monitor has changed. */
export class LineRow extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const { props } = this;
    return (Object.keys(next) as (keyof LineProps)[]).some((name) => next[name] !== props[name] && name !== 'onChoose' && name !== 'line')
      || next.line.key !== props.line.key || next.line.monitor !== props.line.monitor || next.line.depth !== props.line.depth;
  }

  override render({ line: { monitor, key, depth }, index, height, isChosen, canChoose, span, history, onChoose }: LineProps) {
    const { id, name, target, type, last_check_at: last, response_time_ms: ms } = monitor;
    const state = shownState(monitor);
    const { since, down_region_ids: down, incident } = monitor;
    // A heartbeat's target is its secret URL.
    const shown = type === 'HEARTBEAT' ? '' : target;
    return (
      <div
        class={`monitor ${state} ${isChosen ? 'chosen' : ''}`} role="row" aria-rowindex={index + 2} data-key={key}
        style={{ transform: `translateY(${index * height}px)`, height: `${height}px`, '--depth': `${depth}` }}
        onClick={(event) => {
          if (!canChoose || !event.shiftKey || (event.target as Element).closest('input, a') !== null) return;
          event.preventDefault();
          onChoose(key, true);
        }}
      >
        <span role="cell" class="choose">
          {canChoose && (
            <input
              type="checkbox" aria-label={overviewTexts.select(name)} checked={isChosen}
              onClick={(event) => {
                event.preventDefault();
                onChoose(key, event.shiftKey);
              }}
            />
          )}
        </span>
        <span role="cell" class="name">
          <StateDot state={state} />
          <span class="two">
            <a href={href(`/monitors/${id}`)}>{name}</a>
            <span class="faint small" title={shown}>{type} {shown}</span>
          </span>
        </span>
        <span role="cell" class="how"><StatusSummary {...{ state, since, down, incident }} /></span>
        <span role="cell" class="last two">
          <span>{ms === null ? '–' : msText(ms)}</span>
          <span class="faint small">{last === null ? overviewTexts.neverChecked : <Ago at={last} />}</span>
        </span>
        <span role="cell" class="uptime">{(history?.uptime ?? null) === null ? '–' : percentText(history?.uptime ?? 0)}</span>
        <span role="cell" class="past"><Bars history={history} span={span} /></span>
        <span role="cell" class="line"><Sparkline times={history?.times ?? []} /></span>
      </div>
    );
  }
}

interface StatusSummaryProps extends Pick<Monitor, 'since' | 'incident'> {
  state: ShownState;
  down: readonly string[];
}

/** State, its start, and failing regions. Takes no monitor: one changed in place would look the same. */
function StatusSummary({ state, since, down, incident }: StatusSummaryProps) {
  const isWrong = state === 'down' || state === 'degraded';
  return (
    <span class="two">
      <span class="state-text">{stateText(state)}{since !== null && <> · <Since at={since} /></>}</span>
      {isWrong && (
        <span class="small">
          {down.length > 0 && overviewTexts.downFor(down.join(', '))}
          {incident !== null && <> <a href={href(`/incidents/${incident.id}`)}>{overviewTexts.incident}</a></>}
        </span>
      )}
    </span>
  );
}

interface HeadingProps extends RowProps {
  heading: Heading;
  group: Grouping;
  onToggle: (key: string) => void;
  onChoose: (ids: string[]) => void;
}

/** A group's row: the states of its monitors, and a button to collapse it. */
export function HeadingRow({ heading, group, index, height, isChosen, canChoose, onToggle, onChoose }: HeadingProps) {
  const { key, depth, monitors, isOpen } = heading;
  const title = titleOf(heading, group);
  const groupId = group === 'tree' ? key.replace('group:', '') : '';
  const counts = STATE_ORDER.map((state) => [state, monitors.filter((one) => shownState(one) === state).length] as const);
  return (
    <div
      class="heading" role="row" aria-rowindex={index + 2} data-key={key}
      style={{ transform: `translateY(${index * height}px)`, height: `${height}px`, '--depth': `${depth}` }}
    >
      <span role="cell" class="choose">
        {canChoose && (
          <input
            type="checkbox" aria-label={overviewTexts.select(title)} checked={isChosen}
            onClick={(event) => {
              event.preventDefault();
              onChoose(monitors.map(({ id }) => id));
            }}
          />
        )}
      </span>
      <span role="cell" class="title">
        <button type="button" class="button quiet" aria-expanded={isOpen} onClick={() => onToggle(key)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {title}
        </button>
        {groupId !== '' && <a class="small" href={href(`/groups/${groupId}`)} aria-label={overviewTexts.dependenciesOf(title)}>{overviewTexts.dependencies}</a>}
        {counts.map(([state, count]) => count > 0 && (
          <span key={state} class={`state-badge ${state}`}>{count} {stateText(state)}</span>
        ))}
      </span>
    </div>
  );
}

function titleOf({ title }: Heading, group: Grouping): string {
  if (group === 'state') return stateText(title as ShownState);
  if (title !== '') return title;
  return { tag: overviewTexts.noTag, region: overviewTexts.noRegion, tree: overviewTexts.noGroup }[group as 'tag'] ?? title;
}
