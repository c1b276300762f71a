import { catalogue } from './catalogue.ts';

const english = {
  success: 'Up', failure: 'Down', missed: 'Not checked', noRegion: 'No online probe can run this check.',
  runSummary: (up: number, down: number, missed: number) => [
    up > 0 ? `${up} up` : '', down > 0 ? `${down} down` : '', missed > 0 ? `${missed} not checked` : '',
  ].filter(Boolean).join(', '),
  type: 'What do you want to monitor?', HTTP: 'Web page or API', KEYWORD: 'Text on a page', TCP: 'Port or service', ICMP: 'Host (ping)', DNS: 'DNS records',
  HEARTBEAT: 'Job (heartbeat)', HTTP_long: 'Responds with the expected status', KEYWORD_long: 'Contains certain text, or doesn’t',
  TCP_long: 'Accepts connections and speaks its protocol', ICMP_long: 'Responds to pings', DNS_long: 'Have the expected values',
  HEARTBEAT_long: 'Pings Farwatch after each run',
  pingsDue: 'Pings are due', atInterval: 'at an interval', bySchedule: 'by a cron schedule',
  check: 'Check', response: 'Response', request: 'Request', where: 'Locations', alerts: 'Alerts', groupAndTags: 'Group and tags', packets: 'Packets', moreFields: 'More options',
  ms: 'ms', s: 's', bytes: 'bytes', days: 'days', range: (from: string, to: string) => `${from} to ${to}.`, upTo: (limit: string) => `Up to ${limit}.`,
  maxEntries: (count: string) => `Up to ${count} entries.`, defaultValue: (value: string) => `Default: ${value}.`,
  remove: 'Remove entry', value: 'Value', addHeader: 'Add header', headerName: 'Name',
  noAuth: 'None', basic: 'Username and password', bearer: 'Bearer token', username: 'Username', password: 'Password', token: 'Token',
  addKeyword: 'Add keyword', keyword: 'Text', condition: 'Condition', contains: 'contains', containsNot: 'does not contain',
  allKeywords: 'all keywords', anyKeyword: 'any keyword',
  addAssertion: 'Add assertion', source: 'Source', body: 'Body', header: 'Header', json: 'JSON', property: 'Property', comparison: 'Comparison',
  equals: 'equals', not_equals: 'does not equal', not_contains: 'does not contain', greater_than: 'is greater than',
  less_than: 'is less than', exists: 'exists', absent: 'does not exist',
  addRecord: 'Add record', recordType: 'Type', match: 'Comparison', matchAll: 'contains all of', matchExact: 'is exactly', matchAny: 'contains any of',
  expected: 'Values, one per line', slowDegrades: 'makes the monitor degraded', slowFails: 'is a failure', severityByType: 'by the type of the failure', generic: 'any (generic)', defaultTls: 'default for the port', anyFamily: 'IPv4 or IPv6',
  automatic: 'No regions selected. Farwatch chooses them automatically.', noProbe: 'no probe online', byDefault: 'default',
  defaultDestinations: 'None selected. Alerts go to the default destinations.', destinationsHidden: 'Project admins choose where alerts go.',
  noGroup: 'No group', majority: 'majority', anyRegion: 'any region', allRegions: 'all regions', regionsOf: (count: number) => `${count} regions`,
  policy: (quorum: string | number, needed: number | null, regions: number, failures: number) => {
    const who = quorum === 'any' || needed === 1 ? 'any region fails'
      : needed === null ? `${quorum === 'all' ? 'all regions' : 'a majority of regions'} fail`
        : `${needed}${regions > 0 ? ` of ${regions}` : ''} regions fail`;
    return `Down when ${who} ${failures === 1 ? 'one check' : `${failures} checks in a row`}.`;
  },
  test: 'Test', testNow: 'Test now', testText: 'Runs one check with these settings from the selected regions. Nothing is saved.',
  create: 'Create', review: (count: number) => (count === 0 ? 'No changes' : `Review ${count} ${count === 1 ? 'change' : 'changes'}`),
  saveChanges: (count: number) => `Save ${count} ${count === 1 ? 'change' : 'changes'}?`, field: 'Field', before: 'Before', after: 'After', nothing: 'none',
  duplicate: 'Duplicate monitor', copyOf: (name: string) => [...`${name} (copy)`].slice(0, 255).join(''), edit: 'Edit', editing: (name: string) => `Edit ${name}`,
  created: (name: string) => `${name} is now monitored.`, saved: (name: string) => `${name} saved.`,
  noPermission: 'You don’t have permission to edit monitors in this project.',
  importTitle: 'Import and export', importText: 'Import or export monitors and all other settings of the project as YAML or JSON. An import doesn’t change anything that isn’t in the file.',
  exportFile: 'Export as YAML', file: 'File', document: 'Document', documentHint: 'Choose a file or paste its contents.', preview: 'Preview changes',
  importNow: (count: number) => `Import ${count} ${count === 1 ? 'change' : 'changes'}`, nothingToImport: 'Nothing to import. Everything in this document is already up to date.',
  imported: (count: number) => `${count} ${count === 1 ? 'change' : 'changes'} imported.`,
  summary: (created: number, updated: number, unchanged: number) => `${created} new, ${updated} changed, ${unchanged} unchanged`,
  groups: 'Groups', monitors: 'Monitors', status_pages: 'Status pages', integrations: 'Destinations', variables: 'Variables', maintenance_windows: 'Maintenance windows', isNew: 'new', isChanged: 'changed',
  fromTool: 'From another tool', tool: 'Tool', table: 'CSV table', toolFile: 'File of the tool', convert: 'Convert',
  toolFileHint: 'A database of Uptime Kuma, a configuration in YAML, a response of the service’s list API in JSON, or a table. Up to 64 MB. Nothing is stored yet.',
  full: 'complete', partial: 'in part', skipped: 'left out', checkDocument: 'The document below is what you can import.',
  reported: (full: number, partial: number, skipped: number) => `${full} complete, ${partial} in part, ${skipped} left out.`,
  furtherItems: (count: number) => `And ${count} more.`, fileTooLarge: 'The file is larger than 64 MB. Remove the history of results from a copy of it.',
};

export const editingTexts = catalogue(english, { de: () => import('./de/editing.ts') });
export type EditingTexts = typeof english;
