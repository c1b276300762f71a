import { z } from 'zod';
import {
  confirmOrder, runOrder, type Assignment, type RunOrder, type RunResponse,
} from '../shared/contracts/assignment.ts';
import {
  examineOrder, MAX_EXAMINATION_BYTES, type Examination, type ExamineResponse,
} from '../shared/contracts/examination.ts';
import { meshOrder, type MeshOrder } from '../shared/contracts/mesh.ts';
import { rotateOrder, type RotateOrder, type RotateResponse } from '../shared/contracts/key-rotation.ts';
import type { CheckResult } from '../shared/contracts/result.ts';
import { subjects } from '../shared/contracts/subjects.ts';
import type { Log } from '../shared/log.ts';
import type { Clock } from '../shared/time.ts';
import type { EnvelopeOpener } from './assignments/envelope.ts';
import type { ProbeBus, Subscription } from './ports.ts';

export interface OrdersOptions {
  bus: ProbeBus;
  opener: EnvelopeOpener;
  clock: Clock;
  log: Log;
  region: string;
  probeId: string;
  run: (order: RunOrder) => Promise<CheckResult>;
  /** Checks these monitors now if they are in the probe's set. */
  confirm: (monitorIds: string[]) => void;
  /** Null if this probe does not examine the target, or not now. */
  examine: (assignment: Assignment) => Promise<Examination | null>;
  mesh: (order: MeshOrder) => void;
  /** Runs the next step of a key rotation. */
  rotate: (order: RotateOrder) => Promise<RotateResponse>;
  /** Adds a result to its lane like any other and gives it its seq. */
  record: (result: CheckResult) => void;
}

const anyOrder = z.union([runOrder, confirmOrder, rotateOrder, meshOrder, examineOrder]);

/**
 * Handles the controller's orders: runs checks and examines targets, responds with what it found, rotates
 * keys, sets peers.
 */
export class Orders {
  readonly #options: OrdersOptions;
  #subscription: Subscription | null = null;
  #refused = 0;

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /** Orders rejected since the start as unverified or invalid. */
  get refusedCount(): number {
    return this.#refused;
  }

  start(): void {
    const { bus, region, probeId, log } = this.#options;
    this.#subscription = bus.subscribe(subjects.run(region, probeId), (payload, respond) => {
      void this.#take(payload, respond).catch(
        (error: unknown) => log.error({ err: error }, 'could not carry out an order'),
      );
    });
  }

  stop(): void {
    this.#subscription?.stop();
  }

  async #take(payload: Uint8Array, respond: ((payload: Uint8Array) => void) | null): Promise<void> {
    const order = this.#open(payload);
    if (!order) return;
    if ('confirm' in order) return this.#options.confirm(order.confirm);
    if ('examine' in order) return this.#examine(order.examine, respond);
    if ('mesh' in order) return this.#options.mesh(order);
    const response = 'rotate' in order ? await this.#options.rotate(order) : await this.#run(order);
    respond?.(Buffer.from(JSON.stringify(response)));
  }

  async #examine(assignment: Assignment, respond: ((payload: Uint8Array) => void) | null): Promise<void> {
    const examination = await this.#options.examine(assignment);
    if (examination === null) return;
    const response: ExamineResponse = { v: 1, examination };
    const bytes = Buffer.from(JSON.stringify(response));
    if (bytes.length <= MAX_EXAMINATION_BYTES) respond?.(bytes);
    else this.#options.log.warn({ monitor: assignment.monitor_id, bytes: bytes.length }, 'an examination is too long to send');
  }

  async #run(order: RunOrder): Promise<RunResponse> {
    const result = await this.#options.run(order);
    if (order.record) this.#options.record(result);
    else result.seq = 1;
    return { v: 1, result };
  }

  #open(payload: Uint8Array): z.infer<typeof anyOrder> | null {
    const opened = this.#options.opener.open(payload, 'run', this.#options.clock.now());
    const order = opened.ok ? anyOrder.safeParse(opened.content) : null;
    if (order?.success) return order.data;
    this.#refused += 1;
    this.#options.log.warn(
      { purpose: 'run', reason: opened.ok ? 'content' : opened.reason },
      'rejected a message from the controller',
    );
    return null;
  }
}
