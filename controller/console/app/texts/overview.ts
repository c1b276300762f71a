import { catalogue } from './catalogue.ts';

const monitors = (count: number) => (count === 1 ? 'one monitor' : `${count} monitors`);

const english = {
  title: 'Monitors', search: 'Find by name, target or tag', all: 'All',
  state: 'State', type: 'Type', tag: 'Tag', region: 'Region', group: 'Group by', sort: 'Sort by', span: 'History',
  none: 'No grouping', tree: 'Groups', bystate: 'State', bytag: 'Tag', bytype: 'Type', byregion: 'Region',
  name: 'Name', since: 'Latest change', last: 'Last check', time: 'Response time', uptime: 'Uptime',
  '24h': '24 hours', '90d': '90 days', reverse: 'Reverse the order', noData: 'no data',
  uptimeOf: (span: string, uptime: string) => `Uptime of ${span}: ${uptime}`,
  timesOf: (least: string, most: string) => `Response times of 24 hours: ${least} to ${most}`,
  monitors: 'Monitors', shown: (shown: string, all: string) => (shown === all ? `${all} ${all === '1' ? 'monitor' : 'monitors'}` : `${shown} of ${all} monitors`),
  select: (name: string) => `Select ${name}`, selectAll: 'Select all', selected: (count: number) => `${count} selected`,
  clear: 'Clear selection', pause: 'Pause', resume: 'Resume', move: 'Move…', addTag: 'Tag…', delete: 'Delete',
  paused: (count: number) => `${count} paused`, resumed: (count: number) => `${count} resumed`,
  moved: (count: number) => `${count} moved`, tagged: (count: number) => `${count} tagged`,
  deleted: (count: number) => `${count} deleted`,
  refused: (count: number, why: string) => `${count} could not be changed: ${why}`,
  deleteTitle: (count: number) => `Delete ${monitors(count)}?`,
  deleteText: 'They are no longer checked, and their history goes. This cannot be undone.',
  moveTitle: (count: number) => `Move ${monitors(count)}`, tagTitle: (count: number) => `Tag ${monitors(count)}`,
  toGroup: 'Group', noGroup: 'No group', newTags: 'Tags, separated by commas',
  noTag: 'Without a tag', noRegion: 'Without a region',
  downFor: (where: string) => `in ${where}`, checkedNever: 'not checked yet', incident: 'Incident',
  emptyTitle: 'Nothing is watched yet', emptyText: 'Add what must not go down. The first answer is there in seconds.',
  first: 'Add the first monitor', import: 'Import', nothing: 'No monitor is like that', showAll: 'Show all',
  nextKey: 'Next monitor', previousKey: 'Previous monitor', selectKey: 'Select the monitor', searchKey: 'Find by typing',
  allKey: 'Select all that are shown', clearKey: 'Clear the selection', wall: 'Wall',
  nothingDown: 'Nothing is down', wallStale: (since: string) => `Out of date: no connection to the server since ${since}`, wallMore: (count: number) => `and ${count} more`,
  open: 'Show what is below', loadingMore: (read: string, all: string) => `${read} of ${all} are read`,
};

export const overviewTexts = catalogue(english, { de: () => import('./de/overview.ts') });
export type OverviewTexts = typeof english;
