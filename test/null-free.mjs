import { createHash } from 'node:crypto';

/** Tests of all kinds of documents, which also pass on a database that stores no field that is null. */
const FILES = [
  /^api\/(acknowledge-links|api-keys|audit-log|causes|changes|dependencies|enrolment-keys|evidence|groups|heartbeats|heartbeat-pings|held-alerts|import-owners|incidents|incidents-change|incident-comments)\.test\.ts$/,
  /^api\/(incident-timeline|automatic-posts|integrations-(causes|conditions|delivery)|tracked-incidents|maintenance-windows|probes)\.test\.ts$/,
  /^api\/(monitors-(overview|read|types|write)|status-pages|status-page-incidents|subscribers|subscribing|variables)\.test\.ts$/,
  /^bus\/(assignments|domains|heartbeats|monitor-reads)\.test\.ts$/,
  /^store\/(assignment-protocol|causes|changes|claimed-work|group-race|monitor-counts|results-stores|retention|snapshot-parts)\.test\.ts$/,
];

/**
 * Whether a test file, by its path below `test`, runs on a database that stores no null. TEST_WITHOUT_NULLS=all
 * selects all of FILES, and TEST_SEED=<number> about half of them; without either, none does.
 */
export function isNullFree(file, env = process.env) {
  if (!FILES.some((pattern) => pattern.test(file))) return false;
  if (env.TEST_WITHOUT_NULLS === 'all') return true;
  if (!env.TEST_SEED) return false;
  return createHash('sha256').update(`${env.TEST_SEED} ${file}`).digest().readUInt8(0) % 2 === 0;
}
