import type { z } from 'zod';
import type { Examination } from '../../shared/contracts/examination.ts';
import type { DiagnosisDoc, RegionExamination } from './diagnosis.ts';
import { familyOf, isOpen, type Family } from './observation-rules.ts';
import type { diagnosisView } from './responses.ts';

type View = z.input<typeof diagnosisView>;

export function viewDiagnosis(doc: DiagnosisDoc): View {
  const { classification, summary, decided_by, diagnosed_at, regions } = doc;
  return {
    classification, summary, decided_by, diagnosed_at,
    regions: regions.map(viewRegion),
  };
}

function viewRegion({ region, probe_id, examination }: RegionExamination): View['regions'][number] {
  const { sees, addresses, resolvers, path, connections } = examination;
  const handshakes = connections.flatMap(({ tls }) => tls ?? []);
  const tls = handshakes.find(({ problem }) => problem !== null) ?? handshakes[0] ?? null;
  return {
    region, probe_id, sees, addresses, resolvers, path: path.hops,
    families: { ipv4: stateOf(connections, 'IPv4'), ipv6: stateOf(connections, 'IPv6') },
    tls: tls && {
      protocol: tls.protocol, issuer: tls.issuer, valid_to: tls.valid_to, problem: tls.problem,
    },
  };
}

function stateOf(connections: Examination['connections'], family: Family): 'up' | 'down' | 'absent' {
  const ofFamily = connections.filter(({ address }) => familyOf(address) === family);
  if (ofFamily.length === 0) return 'absent';
  return ofFamily.some(isOpen) ? 'up' : 'down';
}
