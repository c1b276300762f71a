import { z } from 'zod';
import type { Log } from '../../../shared/log.ts';
import { within, type Clock } from '../../../shared/time.ts';
import type { BusMessage } from './bus-port.ts';
import type { NatsBus } from './bus.ts';
import { dropConnections, type ConnectionBus } from './open-connections.ts';
import type { BusIdentities, BusPermissions, BusUser } from './identities-port.ts';
import { readNatsJwt, signNatsJwt, type NatsJwtPayload } from './nats-jwt.ts';
import { isSignedByOwnerOf, type SigningKey } from './nkeys.ts';

const AUTH_SUBJECT = '$SYS.REQ.USER.AUTH';
/** Not as a leaf node, whose connections are not ours to close. */
const CONNECTION_TYPES = ['STANDARD', 'WEBSOCKET'];
const NS_PER_SECOND = 1_000_000_000;
/** Concurrent subscriptions of a NATS user. */
const MAX_SUBSCRIPTIONS = 100;
/** Longer than a server takes to admit a user after our response: its `auth_timeout` defaults to 2 s. */
const MAX_ADMISSION_MS = 5000;
/** A server that was unreachable when an identity was removed may still have its connections. */
const DROP_INTERVAL_MS = 60_000;
/** How long a response waits for changed identities. Leaves time for the round trip within `auth_timeout`. */
const REFRESH_TIMEOUT_MS = 500;

/** A server's (2.10 or later) request about a connecting user. */
const authRequest = z.object({
  nats: z.object({
    type: z.literal('authorization_request'),
    server_id: z.object({ id: z.string() }),
    user_nkey: z.string(),
    client_info: z.object({ nonce: z.string().default('') }),
    connect_opts: z.object({ nkey: z.string().default(''), sig: z.string().default('') }),
  }),
  iss: z.string(),
});
type AuthRequest = z.infer<typeof authRequest>['nats'];

export type CalloutBus = ConnectionBus & Pick<NatsBus, 'subscribe'>;

interface NatsCalloutDeps {
  bus: CalloutBus;
  /** Account nkey that the servers' configuration names as the issuer. */
  issuer: SigningKey;
  clock: Clock;
  log: Log;
}

/**
 * Responds to NATS servers' auth callouts and disconnects users who lost their identity. All controllers
 * respond and the first response counts, so a hanging one locks nobody out. A controller with outdated
 * identities, for example without its database, lets the others respond first.
 */
export class NatsCallout implements BusIdentities {
  readonly #deps: NatsCalloutDeps;
  #users = new Map<string, BusUser>();
  /** When an identity was last removed, monotonic ms; null once no removed user can be connected. */
  #lastRemovalAt: number | null = null;
  /** When unknown users were last disconnected, monotonic ms. */
  #droppedAt = 0;
  #isResponding = false;
  /** Completes once the latest users are known; null if they are. */
  #pendingRefresh: { completed: Promise<void>; complete: () => void } | null = null;

  constructor(deps: NatsCalloutDeps) {
    this.#deps = deps;
  }

  /**
   * Responds to servers from the first call on. Resolves once unknown users are disconnected, or logs the
   * failure. A user admitted just before may appear later, so it repeats that for a while, and then rarely.
   */
  async publish(users: BusUser[], isLatest: boolean): Promise<boolean> {
    const now = this.#deps.clock.monotonic();
    const previous = [...this.#users.keys()];
    this.#users = new Map(users.map((user) => [user.public_key, user]));
    if (isLatest) {
      this.#pendingRefresh?.complete();
      this.#pendingRefresh = null;
    }
    if (!this.#isResponding) {
      const failed = (error: unknown) => this.#deps.log.error({ err: error }, 'could not respond to the NATS server');
      this.#deps.bus.subscribe(AUTH_SUBJECT, (message) => void this.#respond(message).catch(failed));
      this.#isResponding = true;
      // Identities may have been removed while no controller ran.
      this.#lastRemovalAt = now;
    }
    if (previous.some((key) => !this.#users.has(key))) this.#lastRemovalAt = now;
    if (this.#lastRemovalAt === null && now - this.#droppedAt < DROP_INTERVAL_MS) return true;
    this.#droppedAt = now;
    try {
      const { bus, log } = this.#deps;
      await dropConnections(bus, log, (key) => !this.#users.has(key));
      if (now - (this.#lastRemovalAt ?? now) >= MAX_ADMISSION_MS) this.#lastRemovalAt = null;
    } catch (error) {
      // The next call retries; disconnected users can't reconnect in the meantime.
      this.#deps.log.warn({ err: error }, 'could not close connections of removed users');
    }
    return this.#lastRemovalAt === null;
  }

  invalidate(): void {
    if (this.#pendingRefresh) return;
    let complete = () => {};
    const completed = new Promise<void>((resolve) => (complete = resolve));
    this.#pendingRefresh = { completed, complete };
  }

  async #respond(message: BusMessage): Promise<void> {
    const parsed = authRequest.safeParse(readNatsJwt(Buffer.from(message.data).toString('utf8')));
    // The request must be signed by the server that it names.
    if (!parsed.success || parsed.data.iss !== parsed.data.nats.server_id.id) return;
    const request = parsed.data.nats;
    if (this.#pendingRefresh) {
      await within(this.#deps.clock, REFRESH_TIMEOUT_MS, this.#pendingRefresh.completed);
    }
    const user = this.#userOf(request);
    const { user_nkey: sub, server_id: server } = request;
    const outcome = user
      ? { jwt: this.#userJwt(user, sub) }
      : { error: 'neither an enrolled probe nor a subscription' };
    const nats = { ...outcome, type: 'authorization_response', version: 2 };
    message.respond(this.#sign({ sub, aud: server.id, nats }));
  }

  #userOf({ connect_opts: { nkey, sig }, client_info: { nonce } }: AuthRequest): BusUser | null {
    const user = this.#users.get(nkey);
    return user && nonce !== '' && isSignedByOwnerOf(nkey, nonce, sig) ? user : null;
  }

  /** The public key is also the user's name, by which `dropConnections` finds connections. */
  #userJwt({ account, public_key, permissions }: BusUser, userNkey: string): string {
    const { publish: pub, subscribe: sub } = permissions;
    const limits = {
      subs: MAX_SUBSCRIPTIONS, data: -1, payload: -1, allowed_connection_types: CONNECTION_TYPES,
    };
    const nats = { pub, sub, ...responsesOf(permissions), ...limits, type: 'user', version: 2 };
    return this.#sign({ sub: userNkey, aud: account, name: public_key, nats });
  }

  #sign(payload: NatsJwtPayload): string {
    return signNatsJwt(this.#deps.issuer, payload, this.#deps.clock.now());
  }
}

function responsesOf({ allow_responses: allowed }: BusPermissions): object {
  if (!allowed) return {};
  return { resp: { max: allowed.max, ttl: Number.parseInt(allowed.expires, 10) * NS_PER_SECOND } };
}
