import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalog } from '../../deploy/embedded/mongo/storage/catalog.ts';
import { openEngine } from '../../deploy/embedded/mongo/storage/engine.ts';
import { Storage } from '../../deploy/embedded/mongo/storage/storage.ts';
import type { TestMongo } from './mongo.ts';
import type { Fault } from './replica-commands.ts';
import { ReplicaMember, type View } from './replica-member.ts';
import { RetryableWrites } from './retryable-writes.ts';

const SET_NAME = 'farwatch';

/** A fault that awaits its commands. */
interface ArmedFault {
  readonly commands: RegExp;
  readonly fault: Fault;
  left: number;
}

/**
 * A replica set of three members in this process: three listeners with one embedded store, so that the driver sees
 * elections, stale primaries and errors as real members report them.
 */
export class ReplicaSet implements TestMongo {
  readonly database = `t_${randomBytes(6).toString('hex')}`;
  readonly members: readonly ReplicaMember[];
  readonly #dir: string;
  readonly #storage: Storage;
  #term = 0;
  #primary: ReplicaMember | null = null;
  #faults: ArmedFault[] = [];
  /** Called with each write that has taken effect. */
  #onApplied: (command: string) => void = () => undefined;

  private constructor(dir: string, storage: Storage) {
    this.#dir = dir;
    this.#storage = storage;
    const onBug = (error: unknown): void => console.error('the replica set failed', error);
    const deps = {
      data: { storage, catalog: new Catalog(storage) }, writes: new RetryableWrites(),
      listener: { onBug, onRefusal: (text: string) => console.error('the replica set refused a command', text) },
      faultOf: (command: string) => this.#faultOf(command),
      onApplied: (command: string) => this.#onApplied(command),
    };
    this.members = [0, 1, 2].map(() => new ReplicaMember(deps));
  }

  /** Starts a set whose first member is the primary. */
  static async start(): Promise<ReplicaSet> {
    const dir = mkdtempSync(join(tmpdir(), 'fw-replica-'));
    const set = new ReplicaSet(dir, new Storage(await openEngine(dir), (error) => console.error(error)));
    await Promise.all(set.members.map((member) => member.listen()));
    set.elect(0);
    return set;
  }

  get url(): string {
    return `mongodb://${this.#hosts.join(',')}/${this.database}?replicaSet=${SET_NAME}`;
  }

  /** The primary that can write. */
  get primary(): ReplicaMember | null {
    return this.#primary;
  }

  /** Makes a member the primary, with a new term that all members know. */
  elect(index: number): void {
    this.#term += 1;
    this.#show(this.members[index] as ReplicaMember);
  }

  /** The set has no primary until `elect`. Writes in progress take effect and are reported as interrupted. */
  stepDown(): void {
    this.#show(null);
  }

  /** Calls `act` when the next such write has taken effect and has no response yet. Resolves after that. */
  async onceApplied(commands: RegExp, act: () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onApplied = (command) => {
        if (!commands.test(command)) return;
        this.#onApplied = () => undefined;
        act();
        resolve();
      };
    });
  }

  /** Steps down when the next such write has taken effect and has no response yet. */
  stepDownDuring(commands: RegExp): Promise<void> {
    return this.onceApplied(commands, () => this.stepDown());
  }

  /** Elects the next member without the knowledge of the primary, which still says that it is the primary. */
  leaveStalePrimary(): void {
    const stale = this.#primary as ReplicaMember;
    const { view } = stale;
    this.elect((this.members.indexOf(stale) + 1) % this.members.length);
    stale.show(view, false);
  }

  /** Removes the primary from the set, whose next member is elected. */
  removePrimary(): void {
    const removed = this.#primary as ReplicaMember;
    this.elect((this.members.indexOf(removed) + 1) % this.members.length);
    const hosts = this.#hosts.filter((host) => host !== removed.address);
    for (const member of this.members) member.show({ ...member.view, hosts });
  }

  /** The next `times` commands of that kind, such as `insert journal`, end like this. */
  fail(commands: RegExp, fault: Fault, times = 1): void {
    this.#faults.push({ commands, fault, left: times });
  }

  /** Faults that no command has met yet. */
  get pendingFaults(): number {
    return this.#faults.length;
  }

  /** Ends all faults and elects the first member. */
  heal(): void {
    this.#faults = [];
    this.elect(0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
    await this.#storage.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #hosts(): string[] {
    return this.members.map(({ address }) => address);
  }

  #show(primary: ReplicaMember | null): void {
    this.#primary = primary;
    const view: View = { setName: SET_NAME, hosts: this.#hosts, primary: primary?.address ?? null, term: this.#term };
    for (const member of this.members) member.show(view);
  }

  #faultOf(command: string): Fault | null {
    const found = this.#faults.find(({ commands }) => commands.test(command));
    if (found === undefined) return null;
    found.left -= 1;
    if (found.left === 0) this.#faults.splice(this.#faults.indexOf(found), 1);
    return found.fault;
  }
}
