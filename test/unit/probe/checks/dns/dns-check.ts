import type { CheckContext, Finding } from '../../../../../probe/checks/check.ts';
import { createDnsCheck } from '../../../../../probe/checks/dns.ts';
import { SystemServers } from '../../../../../probe/checks/network/system-servers.ts';
import { Trust } from '../../../../../probe/checks/tls/trust.ts';
import { resultOf } from '../../../../../probe/runner/result.ts';
import type { DnsSpec } from '../../../../../shared/contracts/check-spec.ts';
import { checkResult } from '../../../../../shared/contracts/result.ts';
import { systemClock } from '../../../../../shared/time.ts';
import { buildAssignment } from '../../build.ts';

export const NAME = 'www.example.com';

export interface DnsCheckOptions {
  timeoutMs?: number;
  context?: Partial<CheckContext>;
  /** The system's name servers; none by default. */
  system?: string[];
}

/** Checks an A record of NAME at 127.0.0.1 by default; asserts that the finding fits a result. */
export async function checkDns(spec: Partial<DnsSpec>, options: DnsCheckOptions = {}): Promise<Finding> {
  const context: CheckContext = {
    clock: systemClock, resolver: { resolve: () => Promise.resolve({ ok: false, code: 'ENOTFOUND' }) },
    allowAddress: () => true, version: '9.9.9', trust: new Trust(),
    systemServers: new SystemServers(systemClock, { read: () => options.system ?? [] }), ...options.context,
  };
  const check = createDnsCheck(context);
  const finding = await check.run({
    type: 'DNS', name: NAME, record_entries: [{ type: 'A', expected_values: [], match: 'contains' }],
    server: null, resolution_timeout_ms: 60_000, ...spec,
  }, options.timeoutMs ?? 60_000);
  const result = resultOf(
    buildAssignment(), { scheduledAtMs: 1, startedAtMs: 1, attempt: 1, reason: 'schedule' }, finding,
  );
  checkResult.parse({ ...result, seq: 1 });
  return finding;
}
