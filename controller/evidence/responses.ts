import { z } from 'zod';
import { timings } from '../../shared/contracts/result.ts';
import { queryInt } from '../http/input/validation.ts';
import { certificateView, errorView } from '../monitors/history/responses.ts';
import { MAX_PER_MONITOR } from './rules.ts';

export const evidenceQuery = z.strictObject({
  limit: queryInt({ min: 1, max: MAX_PER_MONITOR, fallback: 20 }),
});

const responseEvidenceView = z.strictObject({
  checked_at: z.int().describe('When the check started, Unix ms.'),
  remote_address: z.string().nullable().describe('The address that the check connected to.'),
  addresses: z.array(z.string()).describe('The addresses the name resolved to, in the order tried.'),
  status_line: z.string().nullable().describe('Null without an HTTP response.'),
  headers: z.array(z.strictObject({ name: z.string(), value: z.string() }))
    .describe('Headers of the HTTP response, in order. Cookies and credentials are `***`.'),
  body_excerpt: z.string().nullable().describe(
    'The start of the body, of the output of a TCP server, or of the records in a DNS response.',
  ),
  certificate: certificateView.nullable(),
  timings: timings.nullable().describe('Duration of each phase, ms.'),
});

export const evidenceView = responseEvidenceView
  .extend({
    region: z.string(),
    probe_id: z.string(),
    error: errorView,
    last_good: responseEvidenceView.nullable()
      .describe('The last successful check of the monitor by the same probe; null if the probe has none.'),
  })
  .meta({ id: 'Evidence' });

export const evidenceResponse = z.strictObject({ evidence: z.array(evidenceView) });
