import { readCalloutIssuer } from '../../../shared/bus-credentials.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { BusIdentities, BusUser } from './identities-port.ts';
import { NatsCallout, type CalloutBus } from './nats-callout.ts';
import { NatsUsersFile, type NatsUsersFiles } from './nats-users.ts';
import { SigningKey } from './nkeys.ts';
import { dropConnections } from './open-connections.ts';

interface IdentityOptions {
  bus: CalloutBus;
  /** The user files of a server on this machine; null for any other server. */
  users: NatsUsersFiles | null;
  /** Our credentials file. If it contains an account seed, servers use auth callout. */
  credsFile: string | null;
  clock: Clock;
  log: Log;
}

/** Chooses how NATS learns who may connect: by user files, by auth callout, or not at all. */
export function openIdentities({ bus, users, credsFile, clock, log }: IdentityOptions): BusIdentities {
  if (users) return new NatsUsersFile(users, log);
  const issuer = readCalloutIssuer(credsFile);
  if (issuer) return new NatsCallout({ bus, issuer: new SigningKey(issuer), clock, log });
  log.warn('cannot give NATS its users: there is neither a user file nor an account seed next to the credentials');
  return new OperatorManagedUsers(bus, log);
}

/**
 * A server whose operator manages the users. From 2.10 on, we can disconnect users who lose their identity.
 */
class OperatorManagedUsers implements BusIdentities {
  readonly #bus: CalloutBus;
  readonly #log: Log;
  readonly #publishedKeys = new Set<string>();

  constructor(bus: CalloutBus, log: Log) {
    this.#bus = bus;
    this.#log = log;
  }

  async publish(users: BusUser[]): Promise<boolean> {
    const current = new Set(users.map((user) => user.public_key));
    for (const key of current) this.#publishedKeys.add(key);
    const isFormer = (key: string): boolean => this.#publishedKeys.has(key) && !current.has(key);
    if (![...this.#publishedKeys].some(isFormer)) return true;
    const failed = (error: unknown) => this.#log.warn({ err: error }, 'could not close connections of removed users');
    await dropConnections(this.#bus, this.#log, isFormer).catch(failed);
    return false;
  }

  invalidate(): void {}
}
