import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { readCalloutIssuer } from './bus-credentials.ts';
import type { BusIdentities } from './identities-port.ts';
import { NatsCallout, type CalloutBus } from './nats-callout.ts';
import { NatsUsersFile, type NatsUsersFiles } from './nats-users.ts';
import { SigningKey } from './nkeys.ts';

interface IdentityOptions {
  bus: CalloutBus;
  /** The user files of a server on this machine; null for any other server. */
  users: NatsUsersFiles | null;
  /** Our credentials file. With an account seed in it, servers ask us (auth callout). */
  credsFile: string | null;
  clock: Clock;
  log: Log;
}

/** Chooses how NATS learns who may connect: by user files, by auth callout, or not at all. */
export function openIdentities({ bus, users, credsFile, clock, log }: IdentityOptions): BusIdentities {
  if (users) return new NatsUsersFile(users, log);
  const issuer = readCalloutIssuer(credsFile);
  if (issuer) return new NatsCallout({ bus, issuer: new SigningKey(issuer), clock, log });
  log.warn('no way to tell NATS of its users: neither a user file nor an account seed beside the credentials');
  return { publish: async () => true, outdate: () => undefined };
}
