import type { DiagnosisDoc, RegionExamination } from '../../controller/diagnosis/diagnosis.ts';
import type { Examination } from '../../shared/contracts/examination.ts';
import { newId } from '../../shared/ids.ts';
import type { TestApp } from './make-app.ts';
import type { Tenant } from './tenants.ts';

type Hops = Examination['path']['hops'];

const TARGET = { v4: '203.0.113.80', v6: '2001:db8:80::443' };
const TLS = {
  protocol: 'TLSv1.3', issuer: 'CN=Example Issuing CA 3', valid_to: Date.UTC(2027, 2, 1), fingerprint256: 'AA:BB', problem: null,
};

/** Addresses with round-trip times in ms; null for a silent hop. */
function hopsOf(...stops: ([string, number] | null)[]): Hops {
  return stops.map((stop, at) => ({ ttl: at + 1, address: stop?.[0] ?? null, rtt_ms: stop?.[1] ?? null }));
}

function examinationOf(monitorId: string, at: number, part: Partial<Examination>, hops: Hops): Examination {
  return {
    monitor_id: monitorId, examined_at: at, sees: 'down', error: null, addresses: [TARGET.v4, TARGET.v6],
    resolvers: [{ server: '192.0.2.53', answer: [TARGET.v4, TARGET.v6], error: null }],
    path: {
      method: 'tcp', note: null, target: TARGET.v4, hops, is_complete: hops.at(-1)?.address === TARGET.v4, large_packets: 'unknown',
    },
    connections: [{ address: TARGET.v4, state: 'timeout', tls: null }, { address: TARGET.v6, state: 'unreachable', tls: null }],
    has_network: true, ...part,
  };
}

/** What three regions found out: two paths end within one network, and the third arrives. */
export function regionsOfSplitPath(monitorId: string, at: number): RegionExamination[] {
  const silent = (count: number) => Array.from({ length: count }, () => null);
  const connected: Partial<Examination> = {
    sees: 'up', connections: [{ address: TARGET.v4, state: 'open', tls: TLS }, { address: TARGET.v6, state: 'open', tls: TLS }],
  };
  const region = (name: string, part: Partial<Examination>, hops: Hops): RegionExamination => (
    { region: name, probe_id: `probe-${name}`, examination: examinationOf(monitorId, at, part, hops) }
  );
  return [
    region('paris', { resolvers: [{ server: '10.0.0.53', answer: [], error: 'SERVFAIL' }] }, hopsOf(
      ['10.0.0.1', 0.4], ['192.0.2.1', 2.1], null, ['198.51.100.3', 9.8], ['198.51.100.9', 11.2], ...silent(5),
    )),
    region('osaka', connected, hopsOf(
      ['10.8.0.1', 0.3], ['2001:db8:ffff:4200:1234:5678:9abc:def0', 1.2], null, null, null, ['198.51.100.77', 88], ['203.0.113.1', 141], [TARGET.v4, 142.6],
    )),
    region('dallas', {}, hopsOf(['10.4.0.1', 0.5], null, ['198.51.100.9', 34.1], ...silent(5))),
  ];
}

/** Stores a diagnosis of the monitor a minute ago, and shows it at the incident. */
export async function seedDiagnosis(
  app: TestApp, tenant: Tenant, incident: { id: string; monitorId: string }, part: Partial<DiagnosisDoc> = {},
): Promise<void> {
  const at = Date.now() - 60_000;
  const doc: DiagnosisDoc = {
    _id: newId(at), organization_id: tenant.organizationId, project_id: tenant.projectId, monitor_id: incident.monitorId,
    classification: 'path', summary: 'The paths from paris and dallas end at 198.51.100.9, and osaka reaches the target on another path',
    decided_by: [
      'No hop beyond 198.51.100.9 responds to paris or dallas', 'osaka reaches 203.0.113.80 in 143 ms without passing 198.51.100.9',
    ],
    failed_at: at, diagnosed_at: at, regions: regionsOfSplitPath(incident.monitorId, at), ...part,
  };
  await app.controller.stores.diagnoses.insert(doc);
  const { _id: id, classification, summary } = doc;
  await app.db.collection<{ _id: string }>('incidents').updateOne({ _id: incident.id }, { $set: { diagnosis: { id, classification, summary } } });
}
