import type { RefObject } from 'preact';
import { overviewTexts } from '../texts/overview.ts';
import { Button } from '../ui/button.tsx';
import { shownState } from '../ui/shown-state.ts';
import { StateBadge, stateText } from '../ui/state.tsx';
import { numberText } from '../ui/time.tsx';
import { STATE_ORDER, type Monitor } from './monitor.ts';
import { FILTERS, GROUPINGS, SORTS, SPANS, type Options } from './options.ts';

interface Props {
  options: Options;
  monitors: Iterable<Monitor>;
  search: RefObject<HTMLInputElement>;
  onChange: (change: Partial<Options>) => void;
}

/** The number of monitors per state; each one filters by its state. */
export function StateCounts({ monitors, options, onChange }: Omit<Props, 'search'>) {
  const counts = new Map<string, number>();
  for (const monitor of monitors) {
    const state = shownState(monitor);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return (
    <div class="counts" role="group" aria-label={overviewTexts.state}>
      {STATE_ORDER.map((state) => {
        const count = counts.get(state) ?? 0;
        const isChosen = options.state === state;
        return (count > 0 || isChosen) && (
          <button
            key={state} type="button" class="count" aria-pressed={isChosen}
            onClick={() => onChange({ state: isChosen ? '' : state })}
          ><StateBadge state={state} text={`${numberText(count)} ${stateText(state)}`} /></button>
        );
      })}
    </div>
  );
}

/** Search, filters, grouping, order and time range. */
export function Toolbar({ options, monitors, search, onChange }: Props) {
  const found = { type: new Set<string>(), tag: new Set<string>(), region: new Set<string>() };
  for (const { type, tags, region_ids: regions } of monitors) {
    found.type.add(type);
    for (const tag of tags) found.tag.add(tag);
    for (const region of regions) found.region.add(region);
  }
  const groupText = (group: Options['group']) => (group === 'none' || group === 'tree' ? overviewTexts[group] : overviewTexts[`by${group}`]);
  return (
    <div class="toolbar" role="search">
      <input
        ref={search} type="search" aria-label={overviewTexts.search} placeholder={overviewTexts.search} value={options.q}
        onInput={({ currentTarget }) => onChange({ q: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <div class="filters">
        {FILTERS.map((filter) => filter !== 'state' && (found[filter].size > 1 || options[filter] !== '') && (
          <Choice
            key={filter} label={overviewTexts[filter]} value={options[filter]} onValue={(value) => onChange({ [filter]: value })}
            options={[['', `${overviewTexts[filter]}: ${overviewTexts.all}`], ...[...found[filter].add(options[filter])]
              .filter((name) => name !== '').sort().map((name) => [name, name] as const)]}
          />
        ))}
        <Choice
          label={overviewTexts.group} value={options.group} onValue={(group) => onChange({ group: group as Options['group'] })}
          options={GROUPINGS.map((group) => [group, groupText(group)])}
        />
        <Choice
          label={overviewTexts.sort} value={options.sort} onValue={(sort) => onChange({ sort: sort as Options['sort'], isReversed: false })}
          options={SORTS.map((sort) => [sort, `${overviewTexts.sort}: ${overviewTexts[sort]}`])}
        />
        <Button
          aria-label={overviewTexts.reverse} aria-pressed={options.isReversed} title={overviewTexts.reverse}
          onClick={() => onChange({ isReversed: !options.isReversed })}
        >{options.isReversed ? '▴' : '▾'}</Button>
        <Choice
          label={overviewTexts.span} value={options.span} onValue={(span) => onChange({ span: span as Options['span'] })}
          options={SPANS.map((span) => [span, overviewTexts[span]])}
        />
      </div>
    </div>
  );
}

function Choice({ label, value, options, onValue }: {
  label: string; value: string; options: readonly (readonly [string, string])[]; onValue: (value: string) => void;
}) {
  return (
    <select aria-label={label} title={label} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {options.map(([name, text]) => <option key={name} value={name}>{text}</option>)}
    </select>
  );
}
