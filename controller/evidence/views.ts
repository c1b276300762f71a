import type { z } from 'zod';
import type { ResponseEvidence } from '../../shared/contracts/evidence.ts';
import { viewTlsFacts } from '../monitors/history/views.ts';
import type { evidenceView } from './responses.ts';
import type { EvidenceDoc } from './evidence.ts';

type EvidenceView = z.input<typeof evidenceView>;
type ResponseView = NonNullable<EvidenceView['last_good']>;

export function viewEvidence(doc: EvidenceDoc): EvidenceView {
  const { region, probe_id, error, last_good } = doc;
  return { region, probe_id, error, last_good: last_good && viewResponse(last_good), ...viewResponse(doc) };
}

function viewResponse(response: ResponseEvidence): ResponseView {
  const { checked_at, remote_address, addresses, status_line, headers, body_excerpt, timings } = response;
  const certificate = response.certificate && viewTlsFacts(response.certificate);
  return {
    checked_at, remote_address, addresses, status_line, headers, body_excerpt, certificate, timings,
  };
}
