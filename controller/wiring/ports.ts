import type { Log } from '../../shared/log.ts';
import type { ShardMap } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import type { PasswordCost } from '../accounts/users/passwords.ts';
import type { ControllerConfig } from '../config.ts';
import type { DomainRoots } from '../domains/sources.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { NatsBus } from '../platform/bus/bus.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import type { Resolve } from '../platform/outbound/resolver.ts';
import type { Peers } from '../work/peers.ts';
import type { Signals } from './known-later.ts';
import type { Stores } from './stores.ts';

/** What a controller needs of NATS. */
export type ControllerBus = Bus & Pick<NatsBus, 'requestMany' | 'jetStream' | 'isClustered' | 'stats' | 'server' | 'maxPayload'>;

/** What a controller is built on. */
export interface ControllerPorts {
  config: ControllerConfig;
  mongo: Mongo;
  stores: Stores;
  bus: ControllerBus;
  clock: Clock;
  log: Log;
  signals: Signals;
  peers: Peers;
  shardMap: ShardMap;
  /** Whether this controller serves what belongs to a shard. */
  ownsShard(shard: number): boolean;
  /** What links begin with, without a slash at its end. */
  baseUrl(): string;
  /** Where probes and subscribers reach NATS. */
  natsUrl(): string;
  /** The name of this controller in leases and claims, also after a restart. */
  holder: string;
  /** IANA name of the machine's time zone. */
  timeZone: string;
  random(): number;
  /** Looks up the addresses of destinations' host names. */
  resolve: Resolve;
  /** Of hashing new passwords; it takes 0.1 s of CPU time by default. */
  passwordCost?: PasswordCost;
  /** Folder with the built console; without one it is not served. */
  consoleDir?: string;
  /** The built convert-worker.ts; without it, no files of other tools can be converted. */
  converterBundle?: string;
  /** Where the search for servers that know domains begins; IANA by default. */
  domainRoots?: DomainRoots;
}
