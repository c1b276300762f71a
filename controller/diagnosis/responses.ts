import { z } from 'zod';
import { CLASSIFICATIONS } from './diagnosis.ts';

const unixMs = z.int().describe('Unix ms');
const family = z.enum(['up', 'down', 'absent']);
const addresses = z.array(z.string());

const regionView = z.strictObject({
  region: z.string(),
  probe_id: z.string(),
  sees: z.enum(['up', 'down']).describe('What this probe saw when it examined the target'),
  addresses,
  resolvers: z.array(z.strictObject({ server: z.string(), answer: addresses, error: z.string().nullable() })),
  path: z.array(z.strictObject({
    ttl: z.int(), address: z.string().nullable().describe('Null for a silent hop'), rtt_ms: z.number().nullable(),
  })),
  families: z.strictObject({ ipv4: family, ipv6: family }),
  tls: z.strictObject({
    protocol: z.string(), issuer: z.string(), valid_to: unixMs.nullable(),
    problem: z.string().nullable(),
  }).nullable(),
});

export const diagnosisSummary = z.strictObject({
  classification: z.enum(CLASSIFICATIONS), summary: z.string().describe('One sentence'),
});

export const diagnosisView = diagnosisSummary.extend({
  decided_by: z.array(z.string()).describe('The observations that decided'),
  diagnosed_at: unixMs,
  regions: z.array(regionView),
}).meta({ id: 'Diagnosis' });

export const diagnosisResponse = z.strictObject({ diagnosis: diagnosisView });
