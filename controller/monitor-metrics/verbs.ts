import { listProjects, type ProjectReaders } from '../accounts/projects/verbs/projects.ts';
import type { Tenant } from '../access/tenant.ts';
import type { OrganizationContext } from '../http/routing/route.ts';
import type { ProbeStatus } from '../probes/rules.ts';
import type { MetricsReader } from '../results/reading/metrics/metrics-reader.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import { endOf, escapeLabel, headerOf, type Family, type Format } from './exposition.ts';
import { labelPages, MONITOR_FAMILIES, samplesOf, type Names } from './families.ts';

const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const satisfies readonly Severity[];

export interface MonitorMetricsDeps {
  accounts: ProjectReaders;
  metrics: Pick<MetricsReader, 'read'>;
  groups: {
    /** Of all groups of the project. */
    listAll(tenant: Tenant): Promise<{ _id: string; name: string }[]>;
  };
  incidents: {
    /** How many incidents of the project are open or acknowledged. */
    countOpenBySeverity(tenant: Tenant): Promise<Map<Severity, number>>;
  };
  fleet: {
    /** Every probe that the organization may see. */
    probes(organizationId: string): { name: string; region: string; status: ProbeStatus }[];
  };
}

/** What a scrape contains apart from monitors. */
interface ScrapeFacts extends Names {
  /** Open incidents by name of the project and severity. */
  incidents: ReadonlyMap<string, ReadonlyMap<Severity, number>>;
  probes: { name: string; region: string; status: ProbeStatus }[];
}

/** The metrics of the caller's projects, as text in pieces. Monitors are read when the first piece is. */
export async function readMonitorMetrics(
  deps: MonitorMetricsDeps, ctx: OrganizationContext,
): Promise<(format: Format) => AsyncGenerator<string>> {
  const { organizationId } = ctx.tenant;
  const projects = (await listProjects(deps.accounts, ctx)).map(({ project }) => project);
  const incidents = new Map<string, Map<Severity, number>>();
  const groups = new Map<string, string>();
  await Promise.all(projects.map(async ({ _id: projectId, name }) => {
    const tenant = { organizationId, projectId };
    const [open, listed] = await Promise.all([deps.incidents.countOpenBySeverity(tenant), deps.groups.listAll(tenant)]);
    for (const group of listed) groups.set(group._id, group.name);
    // Projects may share a name, but samples must differ in a label.
    const sum = incidents.get(name) ?? new Map<Severity, number>();
    for (const severity of SEVERITIES) {
      sum.set(severity, (sum.get(severity) ?? 0) + (open.get(severity) ?? 0));
    }
    incidents.set(name, sum);
  }));
  const facts = {
    incidents, groups, projects: new Map(projects.map(({ _id, name }) => [_id, name])),
    probes: deps.fleet.probes(organizationId),
  };
  return (format) => textOf(deps, facts, format);
}

async function* textOf(deps: MonitorMetricsDeps, facts: ScrapeFacts, format: Format): AsyncGenerator<string> {
  const { pages, isComplete } = await deps.metrics.read([...facts.projects.keys()]);
  const labeled = labelPages(pages, facts);
  for (const family of MONITOR_FAMILIES) {
    yield headerOf(family, format);
    for (const page of labeled) yield samplesOf(family, page);
  }
  yield incidentsText(facts, format);
  yield probesText(facts, format);
  const family: Family = {
    name: 'farwatch_scrape_complete', type: 'gauge',
    help: '0 if monitors are missing because their controller did not respond, or uptimes are still being read.',
  };
  yield `${headerOf(family, format)}${family.name} ${isComplete ? 1 : 0}\n${endOf(format)}`;
}

function incidentsText({ incidents }: ScrapeFacts, format: Format): string {
  const family: Family = {
    name: 'farwatch_incidents_open', type: 'gauge', help: 'Incidents that are open or acknowledged.',
  };
  const lines = [...incidents].flatMap(([project, counts]) => [...counts].map(([severity, count]) =>
    `${family.name}{project="${escapeLabel(project)}",severity="${severity}"} ${count}\n`));
  return headerOf(family, format) + lines.join('');
}

function probesText({ probes }: ScrapeFacts, format: Format): string {
  const family: Family = {
    name: 'farwatch_probe_up', type: 'gauge', help: '1 if the probe is online, draining or in quarantine, 0 if it is offline.',
  };
  const lines = probes.filter(({ status }) => status !== 'enrolling').map(({ name, region, status }) =>
    `${family.name}{probe="${escapeLabel(name)}",region="${escapeLabel(region)}"} ${status === 'offline' ? 0 : 1}\n`);
  return headerOf(family, format) + lines.join('');
}
