import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { ProbeIdentities } from '../../probes/probe.ts';
import { readCalloutIssuer } from './bus-credentials.ts';
import type { NatsBus } from './bus.ts';
import { NatsCallout } from './nats-callout.ts';
import { NatsUsersFile, type NatsUsersFiles } from './nats-users.ts';
import { SigningKey } from './nkeys.ts';

export interface IdentityOptions {
  bus: NatsBus;
  /** The user file of a server on this machine; null for any other server. */
  users: NatsUsersFiles | null;
  /** Our credentials file: with an account seed in it, servers ask us (auth callout). */
  credsFile: string | null;
  clock: Clock;
  log: Log;
}

/** How this installation's NATS learns of probes: its user file, auth callout, or not by us at all. */
export function openProbeIdentities(options: IdentityOptions): ProbeIdentities {
  const { bus, clock, log } = options;
  if (options.users) return new NatsUsersFile(options.users, log);
  const issuer = readCalloutIssuer(options.credsFile);
  if (issuer) return new NatsCallout({ bus, issuer: new SigningKey(issuer), clock, log });
  log.warn('no way to tell NATS of probes: neither a user file nor an account seed for auth callout beside the credentials');
  return { publish: async () => undefined };
}
