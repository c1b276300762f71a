import type { z } from 'zod';
import type { AnswerSeen } from '../../shared/contracts/evidence.ts';
import { viewTlsFacts } from '../monitors/history/views.ts';
import type { evidenceView } from './answers.ts';
import type { EvidenceDoc } from './evidence.ts';

type EvidenceView = z.input<typeof evidenceView>;
type AnswerView = NonNullable<EvidenceView['last_good']>;

export function viewEvidence(doc: EvidenceDoc): EvidenceView {
  const { region, probe_id, error, last_good } = doc;
  return { region, probe_id, error, last_good: last_good && viewAnswer(last_good), ...viewAnswer(doc) };
}

function viewAnswer(answer: AnswerSeen): AnswerView {
  const { checked_at, remote_address, addresses, status_line, headers, body_excerpt, timings } = answer;
  const certificate = answer.certificate && viewTlsFacts(answer.certificate);
  return {
    checked_at, remote_address, addresses, status_line, headers, body_excerpt, certificate, timings,
  };
}
