import { z } from 'zod';
import { errorLayer, errorType, timings } from '../../../shared/contracts/result.ts';
import { VOTE_WEIGHTS } from '../../verdicts/effect.ts';
import { instantInput, queryBoolean, queryInt } from '../../http/input/validation.ts';

const unixMs = z.int();
const ms = z.number().nullable();

/** Parses to Unix ms. */
const instant = z.union([z.string().regex(/^\d{1,15}$/).transform(Number), instantInput], {
  error: 'Must be Unix milliseconds or an ISO 8601 date and time with its offset',
});

export const statusHistoryQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 500, fallback: 50 }),
  before: instant.optional().describe('Only states that started before this instant: Unix ms or ISO 8601.'),
});

export const statusHistoryResponse = z.strictObject({
  history: z.array(z.strictObject({
    status: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']),
    in_maintenance: z.boolean().describe('A maintenance window of the monitor was open.'),
    from: unixMs,
    /** Null for the current state. */
    to: unixMs.nullable(),
    duration_seconds: z.int(),
    reason: z.string().nullable(),
    incident_id: z.string().nullable(),
  })),
});

export const resultsQuery = z.strictObject({
  region: z.string().max(64).optional(),
  from: instant.optional().describe('Started at this instant or later: Unix ms or ISO 8601.'),
  to: instant.optional().describe('Started before this instant: Unix ms or ISO 8601.'),
  success: queryBoolean.optional(),
  limit: queryInt({ min: 1, max: 500, fallback: 100 }),
  cursor: z.string().max(500).optional().describe('`next_cursor` of the previous page.'),
});

export const errorView =
  z.strictObject({ type: errorType, layer: errorLayer.optional(), message: z.string() });

export const resultView = z.strictObject({
  monitor_id: z.uuid(),
  region: z.string(),
  probe_id: z.string().nullable(),
  success: z.boolean(),
  outcome: z.enum(['success', 'failure', 'missed']),
  degraded: z.boolean(),
  response_time_ms: ms,
  status_code: z.int().nullable(),
  error: errorView.nullable(),
  timings: timings.nullable(),
  checked_at: unixMs,
  reason: z.string().optional().describe('Why the check was missed.'),
  late: z.boolean().describe('Whether it arrived too late to affect verdicts, for example from a backlog.'),
  received_at: unixMs.optional().describe('When a late result was stored, Unix ms.'),
  epoch: z.string().optional().describe('The epoch of the probe that sent a late result.'),
}).meta({ id: 'Result' });
export const runResponse = z.strictObject({ results: z.array(resultView) });
export const resultsResponse = runResponse.extend({ next_cursor: z.string().nullable() });

export const regionsResponse = z.strictObject({
  reason: z.string().nullable().describe('Why the monitor is unknown; otherwise null.'),
  regions: z.array(z.strictObject({
    region: z.string(),
    status: z.enum(['up', 'down', 'degraded', 'unknown']),
    reason: z.string().nullable().describe(
      'Why it is not up: an error, why checks were missed, `silent`, `quarantined`, or `no_live_probe`.',
    ),
    last_check_at: unixMs.nullable(),
    response_time_ms: ms,
    probe_id: z.string().nullable(),
  })),
});

const replayedVote = z.strictObject({
  at: unixMs.nullable().describe('When its latest check started.'),
  region: z.string(),
  probe_id: z.string().nullable(),
  vote: z.enum(['up', 'down', 'none']),
  weight: z.enum(VOTE_WEIGHTS),
  reason: z.string().nullable(),
  error: errorView.nullable(),
  attempt: z.int().nullable(),
});

const replayedIncidents = z.array(z.strictObject({
  started_at: unixMs,
  resolved_at: unixMs.nullable().describe('Null while it is ongoing.'),
  votes: z.array(replayedVote).describe('Regions that started it.'),
}));

export const simulationResponse = z.strictObject({
  since: unixMs.nullable().describe('The oldest result available for replay; null if there is none.'),
  incidents: replayedIncidents.describe('Outages under the simulated policy.'),
  actual: replayedIncidents.describe('Actual outages, from at most 100 incidents.'),
});

export const domainResponse = z.strictObject({
  domain: z.strictObject({
    domain: z.string().nullable()
      .describe('The registered domain that contains the target, in ASCII; null if there is none.'),
    expires_at: unixMs.nullable().describe('Unix ms; null if unknown.'),
    registrar: z.string().nullable(),
    source: z.enum(['rdap', 'whois']).nullable().describe('Protocol used to query the registry.'),
    looked_up_at: unixMs.nullable().describe('When this was read, Unix ms; null if nothing has been read yet.'),
    status: z.enum(['ok', 'unsupported', 'failed']).describe(
      '`unsupported`: the registry does not publish expiry dates. `failed`: the last lookup failed, and '
        + 'the other fields are from the last successful one.',
    ),
    message: z.string().nullable().describe('Why it is unsupported or failed.'),
  }),
});

export const certificateView = z.strictObject({
  subject: z.string(),
  issuer: z.string(),
  names: z.array(z.string()).describe('DNS names and IP addresses, at most 50.'),
  more_names: z.int().describe('Number of further names.'),
  valid_from: unixMs.nullable(),
  valid_to: unixMs.nullable(),
  fingerprint_sha256: z.string(),
  is_trusted: z.boolean().describe('Trusted, within its validity period, and valid for the requested name.'),
  problem: z.string().nullable().describe('Why it is not trusted.'),
  protocol: z.string(),
  key: z.string().describe('`RSA 2048`, `EC P-256`; empty if unknown.'),
}).meta({ id: 'Certificate' });

export const certificateResponse = z.strictObject({
  certificate: certificateView.extend({
    regions: z.array(z.strictObject({
      region: z.string(), fingerprint_sha256: z.string(), valid_to: unixMs.nullable(), checked_at: unixMs,
    })),
  }),
});

/** Days by name of the period. */
export const SERIES_DAYS: Readonly<Record<string, number>> = {
  '24h': 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365,
};
const period = z.string().default('24h').meta({ enum: Object.keys(SERIES_DAYS) });
export const seriesQuery = z.strictObject({ period });

export const seriesResponse = z.strictObject({
  series: z.array(z.strictObject({
    region: z.string(),
    points: z.array(z.strictObject({
      at: unixMs, avg: ms, min: ms, max: ms, p50: ms, p95: ms, p99: ms, count: z.int(), failed: z.int(),
    })),
  })),
});
