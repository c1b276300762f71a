import { z } from 'zod';
import { timings } from '../../shared/contracts/result.ts';
import { queryInt } from '../http/params.ts';
import { certificateView, errorView } from '../monitors/history/answers.ts';
import { MOST_OF_MONITOR } from './rules.ts';

export const evidenceQuery = z.strictObject({
  limit: queryInt({ min: 1, max: MOST_OF_MONITOR, fallback: 20 }),
});

const answerView = z.strictObject({
  checked_at: z.int().describe('When the check began, Unix ms.'),
  remote_address: z.string().nullable().describe('The address that was connected to.'),
  addresses: z.array(z.string()).describe('What the name resolved to, in the order of trying.'),
  status_line: z.string().nullable().describe('Null without an HTTP answer.'),
  headers: z.array(z.strictObject({ name: z.string(), value: z.string() }))
    .describe('Of an HTTP answer, in its order. Cookies and credentials are `***`.'),
  body_excerpt: z.string().nullable().describe(
    'The beginning of the body, of what a TCP server said, or of the records of a DNS answer.',
  ),
  certificate: certificateView.nullable(),
  timings: timings.nullable().describe('Milliseconds of each phase.'),
});

export const evidenceView = answerView
  .extend({
    region: z.string(),
    probe_id: z.string(),
    error: errorView,
    last_good: answerView.nullable()
      .describe('The latest good check of the monitor by the same probe; null if it remembers none.'),
  })
  .meta({ id: 'Evidence' });

export const evidenceAnswer = z.strictObject({ evidence: z.array(evidenceView) });
