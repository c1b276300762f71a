import { catalogue } from './catalogue.ts';

const monitors = (count: number) => (count === 1 ? 'one monitor' : `${count} monitors`);

const english = {
  title: 'Monitors', search: 'Search by name, target or tag', all: 'All',
  state: 'State', type: 'Type', tag: 'Tag', region: 'Region', group: 'Group by', sort: 'Sort by', span: 'History',
  none: 'No grouping', tree: 'Groups', bystate: 'State', bytag: 'Tag', bytype: 'Type', byregion: 'Region',
  name: 'Name', since: 'Last change', last: 'Last check', time: 'Response time', uptime: 'Uptime',
  '24h': '24 hours', '90d': '90 days', reverse: 'Reverse order', noData: 'no data',
  uptimeOf: (span: string, uptime: string) => `Uptime over ${span}: ${uptime}`,
  timesOf: (min: string, max: string) => `Response times over 24 hours: ${min} to ${max}`,
  monitors: 'Monitors', shown: (shown: string, all: string) => (shown === all ? `${all} ${all === '1' ? 'monitor' : 'monitors'}` : `${shown} of ${all} monitors`),
  select: (name: string) => `Select ${name}`, selectAll: 'Select all', selected: (count: number) => `${count} selected`,
  clear: 'Clear selection', pause: 'Pause', resume: 'Resume', move: 'Move…', addTag: 'Tag…', delete: 'Delete',
  paused: (count: number) => `${count} paused`, resumed: (count: number) => `${count} resumed`,
  moved: (count: number) => `${count} moved`, tagged: (count: number) => `${count} tagged`,
  deleted: (count: number) => `${count} deleted`,
  refused: (count: number, why: string) => `${count} couldn’t be changed: ${why}`,
  deleteTitle: (count: number) => `Delete ${monitors(count)}?`,
  deleteText: 'Checks stop and the history is deleted. This can’t be undone.',
  moveTitle: (count: number) => `Move ${monitors(count)}`, tagTitle: (count: number) => `Tag ${monitors(count)}`,
  toGroup: 'Group', noGroup: 'No group', dependencies: 'Dependencies', dependenciesOf: (name: string) => `Dependencies of ${name}`, newTags: 'Tags, separated by commas',
  noTag: 'Untagged', noRegion: 'No region',
  downFor: (where: string) => `in ${where}`, neverChecked: 'not checked yet', incident: 'Incident',
  emptyTitle: 'No monitors yet', emptyText: 'Add your first monitor. You’ll see a result within seconds.',
  first: 'Add monitor', import: 'Import', noMatches: 'No monitors match your filters', showAll: 'Clear filters',
  nextKey: 'Next monitor', previousKey: 'Previous monitor', selectKey: 'Select monitor', searchKey: 'Search monitors',
  allKey: 'Select all shown', clearKey: 'Clear selection', wall: 'Wallboard',
  nothingDown: 'Nothing is down', wallStale: (since: string) => `Out of date: no connection to the server since ${since}`, wallMore: (count: number) => `and ${count} more`,
  openKey: 'View monitor', loadingMore: (read: string, all: string) => `Loaded ${read} of ${all}`,
};

export const overviewTexts = catalogue(english, { de: () => import('./de/overview.ts') });
export type OverviewTexts = typeof english;
