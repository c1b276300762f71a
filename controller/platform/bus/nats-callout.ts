import { z } from 'zod';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { ProbeIdentities, ProbeUser } from '../../probes/probe.ts';
import type { BusMessage, BusSubscription } from './bus-port.ts';
import type { NatsBus } from './bus.ts';
import { readNatsJwt, signNatsJwt } from './nats-jwt.ts';
import { isSignedBy, type SigningKey } from './nkeys.ts';
import { probePermissions } from './nats-users.ts';

const AUTH_SUBJECT = '$SYS.REQ.USER.AUTH';
/** Services of the system account as the server's file imports them into CONTROL. */
const CONNECTIONS_SUBJECT = 'nats.connections';
const kickSubject = (serverId: string) => `nats.kick.${serverId}`;
const PROBES_ACCOUNT = 'PROBES';
const ANSWER_WITHIN_NS = 60_000_000_000;
const PAGE = 1024;
const ASK_TIMEOUT_MS = 1000;
const MOST_SERVERS = 64;

/** What a server (2.10 or later) asks about somebody who wants in. */
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

const connectionList = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    total: z.int().default(0),
    connections: z.array(z.object({ cid: z.int(), authorized_user: z.string().default('') })).default([]),
  }),
});

export interface NatsCalloutDeps {
  bus: NatsBus;
  /** Account nkey that the servers' file names as the issuer. */
  issuer: SigningKey;
  clock: Clock;
  log: Log;
}

/**
 * Tells NATS servers who a probe is when it connects (auth callout), and has them drop whoever lost its identity. All
 * controllers answer, and the first answer counts: one that hangs keeps nobody out.
 */
export class NatsCallout implements ProbeIdentities {
  readonly #deps: NatsCalloutDeps;
  #users = new Map<string, ProbeUser>();
  /** Also at the start: somebody may have lost its identity while no controller ran. */
  #mayHaveStrangers = true;
  #subscription: BusSubscription | null = null;

  constructor(deps: NatsCalloutDeps) {
    this.#deps = deps;
  }

  /** From the first call on servers are answered. When it resolves those who lost their identity are disconnected, or it is logged why not. */
  async publish(users: ProbeUser[]): Promise<void> {
    const before = this.#users;
    const now = new Map(users.map((user) => [user.public_key, user]));
    this.#users = now;
    this.#subscription ??= this.#deps.bus.subscribe(AUTH_SUBJECT, (message) => this.#answer(message));
    if ([...before.keys()].some((key) => !now.has(key))) this.#mayHaveStrangers = true;
    if (!this.#mayHaveStrangers) return;
    try {
      await this.#dropStrangers();
      this.#mayHaveStrangers = false;
    } catch (error) {
      // Tried again with the next call; whoever is out cannot come back in meanwhile.
      this.#deps.log.warn({ err: error }, 'connections of former probes not dropped');
    }
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
  }

  #answer(message: BusMessage): void {
    const parsed = authRequest.safeParse(readNatsJwt(Buffer.from(message.data).toString('utf8')));
    // Only the server itself signs as the server that it names.
    if (!parsed.success || parsed.data.iss !== parsed.data.nats.server_id.id) return;
    const request = parsed.data.nats;
    const user = this.#userOf(request);
    const verdict = user ? { jwt: this.#userJwt(user, request.user_nkey) } : { error: 'not an enrolled probe' };
    const nats = { ...verdict, type: 'authorization_response', version: 2 };
    const { issuer, clock } = this.#deps;
    message.reply(signNatsJwt(issuer, { sub: request.user_nkey, aud: request.server_id.id, nats }, clock.now()));
  }

  #userOf(request: AuthRequest): ProbeUser | null {
    const { nkey, sig } = request.connect_opts;
    const user = this.#users.get(nkey);
    const { nonce } = request.client_info;
    return user && nonce !== '' && isSignedBy(nkey, nonce, sig) ? user : null;
  }

  /** The key is the name too: by it the connection is found again. */
  #userJwt(user: ProbeUser, userNkey: string): string {
    const { publish, subscribe } = probePermissions(user);
    const limits = { subs: -1, data: -1, payload: -1 };
    const nats = { pub: publish, sub: subscribe, resp: { max: 1, ttl: ANSWER_WITHIN_NS }, ...limits, type: 'user', version: 2 };
    const { issuer, clock } = this.#deps;
    return signNatsJwt(issuer, { sub: userNkey, aud: PROBES_ACCOUNT, name: user.public_key, nats }, clock.now());
  }

  async #dropStrangers(): Promise<void> {
    const { bus, log } = this.#deps;
    for (let offset = 0; ; offset += PAGE) {
      const request = JSON.stringify({ acc: PROBES_ACCOUNT, auth: true, limit: PAGE, offset });
      const replies = await bus.requestMany(CONNECTIONS_SUBJECT, request, { timeoutMs: ASK_TIMEOUT_MS, most: MOST_SERVERS });
      const lists = replies.map((reply) => connectionList.parse(JSON.parse(Buffer.from(reply).toString('utf8'))));
      for (const { server, data } of lists) {
        for (const { cid } of data.connections.filter((one) => !this.#users.has(one.authorized_user))) {
          await bus.request(kickSubject(server.id), JSON.stringify({ cid }), { timeoutMs: ASK_TIMEOUT_MS });
          log.info({ server: server.id, cid }, 'connection of a former probe dropped');
        }
      }
      if (lists.every(({ data }) => data.total <= offset + PAGE)) return;
    }
  }
}
