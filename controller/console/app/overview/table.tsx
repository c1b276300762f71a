import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { language } from '../preferences/language.ts';
import { useKeys } from '../shell/keys.ts';
import { overviewTexts } from '../texts/overview.ts';
import { href } from '../ui/link.ts';
import type { Arranged, Item } from './arrange.ts';
import type { HistoryReader } from './history.ts';
import type { MonitorList } from './monitor-list.ts';
import type { Options, Sort } from './options.ts';
import { HeadingRow, LineRow } from './rows.tsx';
import type { Selection } from './selection.ts';
import { useNarrow, useWindowRows } from './use-window-rows.ts';

const HEIGHT = 56;
const CARD_HEIGHT = 128;

interface Props {
  arranged: Arranged;
  options: Options;
  list: MonitorList;
  history: HistoryReader;
  selection: Selection;
  canChoose: boolean;
  onToggle: (key: string) => void;
  onSort: (sort: Sort) => void;
}

/** The monitor table; only visible rows are in the DOM. */
export function MonitorTable({ arranged: { items, monitors }, options, list, history, selection, canChoose, onToggle, onSort }: Props) {
  const rows = useRef<HTMLDivElement>(null);
  const height = useNarrow() ? CARD_HEIGHT : HEIGHT;
  const { first, end } = useWindowRows(rows, items.length, height);
  const shown = items.slice(first, end);
  const inSight = shown.flatMap((item) => (item.kind === 'line' ? [item.monitor.id] : []));
  const isAll = monitors.length > 0 && monitors.every(({ id }) => selection.ids.value.has(id));
  // Read here, so that live events redraw these rows and nothing around them.
  void [list.drawVersion.value, history.readCount.value];
  useEffect(() => history.schedule([...new Set(inSight)], options.span), [inSight.join(), options.span]);
  useRowKeys({ rows, items, height, selection, canChoose });
  return (
    <div class={`monitors span-${options.span}`} role="table" aria-label={overviewTexts.monitors} aria-rowcount={items.length + 1}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} class="columns">
          <span role="columnheader" class="choose">
            {canChoose && (
              <input
                type="checkbox" aria-label={overviewTexts.selectAll} checked={isAll}
                onClick={(event) => {
                  event.preventDefault();
                  selection.toggle(monitors.map(({ id }) => id));
                }}
              />
            )}
          </span>
          <Column sort="name" class="name" options={options} onSort={onSort} />
          <Column sort="state" class="how" options={options} onSort={onSort} />
          <Column sort="last" class="last" options={options} onSort={onSort} />
          <Column sort="uptime" class="uptime" options={options} onSort={onSort} />
          <span role="columnheader" class="past">{overviewTexts[options.span]}</span>
          <Column sort="time" class="line" options={options} onSort={onSort} />
        </div>
      </div>
      <div role="rowgroup" class="rows" ref={rows} style={{ height: `${items.length * height}px` }}>
        {shown.map((item, at) => {
          const position = { index: first + at, height, canChoose };
          return item.kind === 'line' ? (
            <LineRow
              key={item.key} line={item} revision={item.monitor.revision} span={options.span} language={language.value}
              history={history.get(item.monitor.id, options.span)} isChosen={selection.ids.value.has(item.monitor.id)} {...position}
              onChoose={(key, isRange) => selection.choose(items, key, isRange)}
            />
          ) : (
            <HeadingRow
              key={item.key} heading={item} group={options.group} onToggle={onToggle} {...position}
              isChosen={item.monitors.every(({ id }) => selection.ids.value.has(id))} onChoose={(ids) => selection.toggle(ids)}
            />
          );
        })}
      </div>
    </div>
  );
}

function Column({ sort, options, onSort, class: name }: { sort: Sort; options: Options; onSort: (sort: Sort) => void; class: string }) {
  const isSorted = options.sort === sort;
  const direction = options.isReversed ? 'descending' : 'ascending';
  return (
    <span role="columnheader" class={name} aria-sort={isSorted ? direction : undefined}>
      <button type="button" onClick={() => onSort(sort)}>
        {overviewTexts[sort]}<span aria-hidden="true">{isSorted ? (options.isReversed ? ' ▴' : ' ▾') : ''}</span>
      </button>
    </span>
  );
}

/** Keyboard navigation and selection, including rows that are not in the DOM yet. */
function useRowKeys({ rows, items, height, selection, canChoose }: {
  rows: RefObject<HTMLElement>; items: readonly Item[]; height: number; selection: Selection; canChoose: boolean;
}): void {
  const { route } = useLocation();
  const [at, setAt] = useState<string | null>(null);
  const isMoving = useRef(false);
  const rowOf = (key: string | null) => (key === null ? null : rows.current?.querySelector(`[data-key=${CSS.escape(key)}]`) ?? null);
  const focus = (key: string | null) => {
    const target = isMoving.current ? rowOf(key)?.querySelector<HTMLElement>('a, button') ?? null : null;
    if (target === null) return;
    target.focus({ preventScroll: true });
    isMoving.current = false;
  };
  useEffect(() => focus(at));
  const move = (step: number) => () => {
    const before = items.findIndex(({ key }) => key === at);
    const next = Math.min(items.length - 1, Math.max(0, before === -1 ? (step > 0 ? 0 : items.length - 1) : before + step));
    const item = items[next];
    if (item === undefined) return;
    isMoving.current = true;
    setAt(item.key);
    // Synchronous if possible, so that the next keypress applies to the new row.
    focus(item.key);
    const top = (rows.current?.getBoundingClientRect().top ?? 0) + next * height;
    const [upper, lower] = [innerHeight * 0.25, innerHeight * 0.75];
    if (top < upper || top + height > lower) scrollBy({ top: top - innerHeight / 2 });
  };
  const chosen = items.find(({ key }) => key === at);
  useKeys([
    { keys: 'j', text: overviewTexts.nextKey, run: move(1) },
    { keys: 'k', text: overviewTexts.previousKey, run: move(-1) },
    {
      keys: 'x', text: overviewTexts.selectKey,
      run: () => {
        if (canChoose && chosen?.kind === 'line') selection.choose(items, chosen.key, false);
      },
    },
    {
      keys: 'Shift+X', text: overviewTexts.allKey,
      run: () => {
        if (canChoose) selection.toggle([...new Set(items.flatMap((item) => (item.kind === 'line' ? [item.monitor.id] : [])))]);
      },
    },
    { keys: 'Escape', text: overviewTexts.clearKey, run: () => selection.clear() },
    {
      keys: 'o', text: overviewTexts.openKey,
      run: () => {
        if (chosen?.kind === 'line') route(href(`/monitors/${chosen.monitor.id}`));
      },
    },
  ]);
}
