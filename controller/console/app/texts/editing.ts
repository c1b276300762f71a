import { catalogue } from './catalogue.ts';

const REASONS: Readonly<Record<string, string>> = {
  no_live_probe: 'no probe is online there', unreachable: 'its probe cannot be reached', timeout: 'its probe did not answer in time',
  refused: 'its probe had no room for it', unsupported: 'its probe cannot do such checks',
};

const english = {
  success: 'Up', failure: 'Down', missed: 'Not checked', noRegion: 'No probe is online that could check it.',
  runSummary: (up: number, down: number, missed: number) => [
    up > 0 ? `${up} up` : '', down > 0 ? `${down} down` : '', missed > 0 ? `${missed} not checked` : '',
  ].filter(Boolean).join(', '),
  reason: (code: string) => REASONS[code] ?? code,
  type: 'What do you watch?', HTTP: 'Web page or API', KEYWORD: 'Text on a page', TCP: 'Port or service', ICMP: 'Host (ping)', DNS: 'DNS records',
  HEARTBEAT: 'Job (heartbeat)', HTTP_long: 'answers with the right status', KEYWORD_long: 'has a text, or lacks it',
  TCP_long: 'accepts connections, speaks its protocol', ICMP_long: 'replies to packets', DNS_long: 'a name has the right records',
  HEARTBEAT_long: 'calls us when it has run',
  what: 'Check', answer: 'Answer', request: 'Request', where: 'Where from', alerts: 'Alerts', order: 'Group and tags', packets: 'Packets', moreFields: 'More',
  ms: 'ms', s: 's', bytes: 'bytes', days: 'days', range: (from: string, to: string) => `${from} to ${to}.`, upTo: (most: string) => `At most ${most}.`,
  most: (count: string) => `At most ${count} entries.`, usual: (value: string) => `Default: ${value}.`,
  remove: 'Remove entry', value: 'Value', addHeader: 'Add a header', headerName: 'Name',
  noAuth: 'Nothing', basic: 'User name and password', bearer: 'Token (bearer)', username: 'User name', password: 'Password', token: 'Token',
  addKeyword: 'Add a keyword', keyword: 'Text', must: 'Condition', contains: 'contains', containsNot: 'does not contain',
  allKeywords: 'all of them', anyKeyword: 'any of them',
  addAssertion: 'Add a condition', source: 'Part', body: 'Body', header: 'Header', json: 'JSON', property: 'Which', comparison: 'Comparison',
  equals: 'equals', not_equals: 'is not', not_contains: 'does not contain', greater_than: 'is greater than',
  less_than: 'is less than', exists: 'exists', absent: 'is absent',
  addRecord: 'Add a record', recordType: 'Type', match: 'Comparison', matchAll: 'has all of', matchExact: 'is exactly', matchAny: 'has any of',
  expected: 'Values, one in each line', generic: 'any (generic)', usualTls: 'as usual for the port', anyFamily: 'IPv4 or IPv6',
  automatic: 'None chosen: Farwatch picks regions by itself.', noProbe: 'no probe online', byDefault: 'default',
  defaultDestinations: 'None chosen: the default destinations.', destinationsHidden: 'Administrators of the project choose where alerts go.',
  noGroup: 'No group', majority: 'more than half', anyRegion: 'any one', allRegions: 'all', regionsOf: (count: number) => `${count} regions`,
  policy: (quorum: string | number, needed: number | null, regions: number, failures: number) => {
    const who = quorum === 'any' || needed === 1 ? 'any region says so'
      : needed === null ? `${quorum === 'all' ? 'all regions' : 'more than half of the regions'} say so`
        : `${needed}${regions > 0 ? ` of ${regions}` : ''} regions say so`;
    return `Down when ${who}, each after ${failures === 1 ? 'one failed check' : `${failures} failed checks in a row`}.`;
  },
  test: 'Test', testNow: 'Test now', testLong: 'Check it once as it stands here, from the chosen regions. Nothing is saved.',
  create: 'Create', review: (count: number) => (count === 0 ? 'Nothing changed' : `Review ${count} ${count === 1 ? 'change' : 'changes'}`),
  saveChanges: (count: number) => `Save ${count} ${count === 1 ? 'change' : 'changes'}?`, field: 'Field', before: 'Before', after: 'After', nothing: 'nothing',
  duplicate: 'Duplicate a monitor', copyOf: (name: string) => [...`${name} (copy)`].slice(0, 255).join(''), edit: 'Edit', editing: (name: string) => `Edit ${name}`,
  created: (name: string) => `${name} is being watched.`, saved: (name: string) => `${name} is saved.`,
  mayNot: 'Your role in this project does not include changing monitors.',
  importTitle: 'Import and export', importLong: 'Monitors, groups and status pages as one file, in YAML or JSON. What the file does not name stays as it is.',
  exportFile: 'Export as YAML', file: 'File', document: 'Document', documentHint: 'Choose a file, or paste its text.', preview: 'Show what would change',
  importNow: (count: number) => `Import ${count} ${count === 1 ? 'change' : 'changes'}`, nothingToImport: 'Everything is as the document says already.',
  imported: (count: number) => `${count} ${count === 1 ? 'change' : 'changes'} imported.`,
  summary: (created: number, updated: number, unchanged: number) => `${created} new, ${updated} changed, ${unchanged} as they are`,
  groups: 'Groups', monitors: 'Monitors', status_pages: 'Status pages', isNew: 'new', isChanged: 'changed',
};

export const editingTexts = catalogue(english, { de: () => import('./de/editing.ts') });
export type EditingTexts = typeof english;
