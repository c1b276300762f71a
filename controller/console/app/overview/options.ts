import { STATE_ORDER } from './monitor.ts';

export const GROUPINGS = ['none', 'tree', 'tag', 'type', 'state', 'region'] as const;
export const SORTS = ['state', 'name', 'since', 'last', 'time', 'uptime'] as const;
export const SPANS = ['24h', '90d'] as const;
export const FILTERS = ['state', 'type', 'tag', 'region'] as const;

export type Grouping = (typeof GROUPINGS)[number];
export type Sort = (typeof SORTS)[number];
export type Span = (typeof SPANS)[number];

/** The list's filters and layout. The URL holds all of them, so that a link shows the same list. */
export interface Options {
  /** Search text. */
  q: string;
  /** Empty: all. */
  state: string;
  type: string;
  tag: string;
  region: string;
  group: Grouping;
  sort: Sort;
  isReversed: boolean;
  span: Span;
}

export const DEFAULTS: Options = {
  q: '', state: '', type: '', tag: '', region: '', group: 'none', sort: 'state', isReversed: false, span: '24h',
};

/** Reads options from a query string; ignores invalid values. */
export function optionsOf(query: string): Options {
  const params = new URLSearchParams(query);
  const choice = <T extends string>(name: string, allowed: readonly T[], fallback: T): T =>
    allowed.find((each) => each === params.get(name)) ?? fallback;
  return {
    q: params.get('q') ?? '', type: params.get('type') ?? '', tag: params.get('tag') ?? '', region: params.get('region') ?? '',
    state: choice('state', STATE_ORDER, '' as never), group: choice('group', GROUPINGS, DEFAULTS.group),
    sort: choice('sort', SORTS, DEFAULTS.sort), isReversed: params.has('reversed'), span: choice('span', SPANS, DEFAULTS.span),
  };
}

/** The query string with these options changed. Omits defaults and keeps parameters of others. */
export function withOptions(query: string, change: Partial<Options>): string {
  const params = new URLSearchParams(query);
  const { isReversed, ...named } = { ...optionsOf(query), ...change };
  for (const [name, value] of Object.entries(named)) {
    if (value === DEFAULTS[name as keyof typeof named]) params.delete(name);
    else params.set(name, value);
  }
  if (isReversed) params.set('reversed', '');
  else params.delete('reversed');
  return params.toString();
}
