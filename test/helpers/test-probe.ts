import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { createCurve, createUser, fromPublic, type KeyPair } from 'nkeys.js';
import {
  assignmentDelta, runOrder, signedEnvelope, signedText, type Assignment, type AssignmentDelta, type RunOrder,
} from '../../shared/contracts/assignment.ts';
import type { Beat } from '../../shared/contracts/beat.ts';
import { enrolText, type EnrolResponse, type EnrolRequest } from '../../shared/contracts/enrolment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { serverOptions } from '../../shared/nats-connection.ts';
import { until } from './until.ts';

/** A probe's keys and its side of the assignment protocol, implemented only from the contract. */
export class TestProbe {
  readonly user: KeyPair;
  readonly box: KeyPair = createCurve();
  readonly held = new Map<string, Assignment>();
  revision = 0;
  /** Changes that failed verification. */
  refused = 0;
  /** How often it requested missed changes. */
  gaps = 0;
  enrolment: EnrolResponse | null = null;
  connection: NatsConnection | null = null;

  constructor(user: KeyPair = createUser()) {
    this.user = user;
  }

  get publicKey(): string {
    return this.user.getPublicKey();
  }

  request(token: string, change: Partial<EnrolRequest> = {}): EnrolRequest {
    const unsigned = {
      token, public_key: this.publicKey, box_key: this.box.getPublicKey(), nonce: 'nonce-0123456789abcdef',
    };
    const signature =
      Buffer.from(this.user.sign(new TextEncoder().encode(enrolText(unsigned)))).toString('base64url');
    return { ...unsigned, signature, version: 'test', capabilities: ['http'], ...change };
  }

  /** Connects with the enrolled identity, retrying until the server accepts it. */
  async connect(url?: string): Promise<NatsConnection> {
    const { nats_url, probe_id } = this.enrolment as EnrolResponse;
    const servers = await serverOptions(url ?? nats_url);
    this.connection = await until(
      () => connect({
        ...servers, authenticator: nkeyAuthenticator(this.user.getSeed()), inboxPrefix: `_INBOX_${probe_id}`,
        reconnect: false,
      })
        .catch(() => null),
      { what: 'probe connects' },
    );
    return this.connection;
  }

  /** Subscribes to changes, then requests missing ones. */
  async follow(): Promise<void> {
    const { region_id, probe_id } = this.enrolment as EnrolResponse;
    this.nats.subscribe(subjects.assign(region_id, probe_id), {
      callback: (_error, message) => {
        const delta = this.openValidDelta(message.data);
        if (!delta || delta.revision <= this.revision) return;
        if (delta.from === this.revision) this.take(delta);
        else {
          this.gaps += 1;
          void this.sync().catch(() => undefined);
        }
      },
    });
    await this.sync();
  }

  async sync(): Promise<AssignmentDelta[]> {
    const pages: AssignmentDelta[] = [];
    for (let after: string | null = null; ; ) {
      const page: AssignmentDelta = await this.requestSync({ v: 1, revision: this.revision, after });
      pages.push(page);
      after = page.more;
      if (after === null) break;
    }
    const last = pages[pages.length - 1] as AssignmentDelta;
    if (last.revision < this.revision && !last.reset) return pages;
    if (last.reset) this.held.clear();
    for (const page of pages) this.take(page);
    return pages;
  }

  async requestSync(request: object): Promise<AssignmentDelta> {
    const { region_id, probe_id } = this.enrolment as EnrolResponse;
    const response = await this.nats.request(
      subjects.sync(region_id, probe_id), JSON.stringify(request), { timeout: 60_000 },
    );
    return this.openDelta(response.data);
  }

  beat(change: Partial<Beat> = {}): void {
    const { region_id, probe_id } = this.enrolment as EnrolResponse;
    const beat: Beat = {
      v: 1, epoch: 'epoch-1', sent_at: Date.now(), started_at: 1, version: 'test', capabilities: ['http'],
      revision: this.revision, monitors: this.held.size, in_flight: 0, spool_depth: 3, load: 0.1,
      lateness_ms: 0, missed_rate: 0, lost_rate: 0, ...change,
    };
    this.nats.publish(subjects.beat(region_id, probe_id), JSON.stringify(beat));
  }

  openDelta(data: Uint8Array): AssignmentDelta {
    return assignmentDelta.parse(this.open(data));
  }

  openRun(data: Uint8Array): RunOrder {
    return runOrder.parse(this.open(data));
  }

  /** Verifies and opens an envelope; throws if it is for another probe or not from the controllers. */
  open(data: Uint8Array): unknown {
    const { controller_key, controller_box_key, probe_id } = this.enrolment as EnrolResponse;
    const envelope = signedEnvelope.parse(JSON.parse(Buffer.from(data).toString()));
    if (envelope.probe_id !== probe_id) throw new Error('for another probe');
    const isSigned = fromPublic(controller_key).verify(
      new TextEncoder().encode(signedText(envelope)), Buffer.from(envelope.signature, 'base64url'),
    );
    if (!isSigned || envelope.expires_at < Date.now()) throw new Error('does not verify');
    const opened = this.box.open(Buffer.from(envelope.payload, 'base64'), controller_box_key);
    if (!opened) throw new Error('does not open');
    return JSON.parse(Buffer.from(opened).toString());
  }

  async stop(): Promise<void> {
    await this.connection?.close();
  }

  get nats(): NatsConnection {
    if (!this.connection) throw new Error('not connected');
    return this.connection;
  }

  /** An exception in a nats.js callback would close the connection. */
  private openValidDelta(data: Uint8Array): AssignmentDelta | null {
    try {
      return this.openDelta(data);
    } catch {
      this.refused += 1;
      return null;
    }
  }

  private take(delta: AssignmentDelta): void {
    for (const change of delta.changes) {
      if ('set' in change) this.held.set(change.set.monitor_id, change.set);
      else this.held.delete(change.gone);
    }
    this.revision = delta.revision;
  }
}
