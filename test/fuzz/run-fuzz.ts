import { Agent } from 'node:http';
import { Random } from '../simulation/random.ts';
import { SHARES, type Caller } from './callers.ts';
import { readContract, type Contract } from './document.ts';
import { faultsOf } from './judge.ts';
import { makeRequest, pickOperation, type FuzzRequest } from './make-request.ts';
import { mutate } from './mutate.ts';
import { lastNoun } from './pool.ts';
import { asCommand, send, type FuzzAnswer } from './send.ts';
import type { Making } from './values.ts';
import { openWorld, type World } from './world.ts';
import { dumpOf, leftTraces, loggedFaults } from './aftermath.ts';

export interface FuzzReport {
  seed: number;
  requests: number;
  authenticated: number;
  succeeded: number;
  /** By status. */
  statuses: Record<number, number>;
  /** Operations that succeeded at least once. */
  reached: number;
  operations: number;
  unreached: string[];
  slowest: { name: string; ms: number };
  /** What went wrong, each with a command that repeats the request. */
  faults: string[];
}

const MOST_FAULTS = 40;
const CHANGED_SHARE = 0.5;
const AT_ONCE = 4;

/**
 * Sends random requests to a whole controller and judges every response. The seed determines everything
 * except ids and times.
 */
export async function runFuzz(seed: number, requests: number): Promise<FuzzReport> {
  const world = await openWorld();
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  try {
    const contract = await readContract(world.rig.controller.url);
    const before = await dumpOf(world);
    const run = new Run(world, contract, agent, seed);
    await run.all(requests);
    run.report.faults.push(...(await leftTraces(world, before)), ...loggedFaults(world));
    return run.conclude();
  } finally {
    agent.destroy();
    await world.stop();
  }
}

class Run {
  readonly report: FuzzReport;
  readonly #world: World;
  readonly #contract: Contract;
  readonly #agent: Agent;
  readonly #random: Random;
  readonly #making: Making;
  readonly #reached = new Set<string>();

  constructor(world: World, contract: Contract, agent: Agent, seed: number) {
    this.#world = world;
    this.#contract = contract;
    this.#agent = agent;
    this.#random = new Random(seed);
    this.#making = {
      random: this.#random, pool: world.pool, named: contract.named, sink: world.sink.url,
      account: world.account,
    };
    const count = contract.operations.length;
    this.report = {
      seed, requests: 0, authenticated: 0, succeeded: 0, statuses: {}, reached: 0, operations: count,
      unreached: [], slowest: { name: '', ms: 0 }, faults: [],
    };
  }

  async all(requests: number): Promise<void> {
    while (this.report.requests < requests && this.report.faults.length < MOST_FAULTS) {
      const batch =
        Array.from({ length: Math.min(AT_ONCE, requests - this.report.requests) }, () => this.#one());
      await Promise.all(batch);
    }
  }

  conclude(): FuzzReport {
    const { report } = this;
    report.reached = this.#reached.size;
    report.unreached = this.#contract.operations.map(({ name }) => name).filter(
      (name) => !this.#reached.has(name),
    );
    return report;
  }

  async #one(): Promise<void> {
    this.report.requests += 1;
    const caller = this.#pickCaller();
    const request = makeRequest(this.#making, pickOperation(this.#random, this.#contract.operations));
    if (this.#random.chance(CHANGED_SHARE)) mutate(request, this.#making, this.#world.foreign);
    const { url } = this.#world.rig.controller;
    const credential = caller.headers;
    const fault = (text: string, status = 0) =>
      this.report.faults.push(
        `${request.operation.name} by ${caller.name}${request.changes.length === 0 ? '' : ` (${request.changes.join(', ')})`} ${status}: ${text}\n    ${asCommand(url, request, credential)}`,
      );
    if (caller.isKnown) this.report.authenticated += 1;
    try {
      const answer = await send(url, request, credential, this.#agent);
      if (answer === null) return;
      for (const text of faultsOf({
        contract: this.#contract, request, caller, answer, foreign: this.#world.foreign,
      })) {
        fault(`${text}\n    ${answer.text.slice(0, 300)}`, answer.status);
      }
      await this.#learn(request, caller, answer);
    } catch (error) {
      fault(error instanceof Error ? error.message : String(error));
    }
  }

  async #learn(request: FuzzRequest, caller: Caller, answer: FuzzAnswer): Promise<void> {
    const { report } = this;
    const { pool, secrets } = this.#world;
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
    if (answer.durationMs > report.slowest.ms) {
      report.slowest = { name: request.operation.name, ms: Math.round(answer.durationMs) };
    }
    if (answer.status < 200 || answer.status >= 300) return;
    report.succeeded += 1;
    this.#reached.add(request.operation.name);
    if (/^POST .*\/logout|^DELETE .*\/sessions\//.test(request.operation.name)) await this.#world.renew(caller);
    const data = dataOf(answer);
    for (const name of ['key', 'token', 'secret', 'enrolment_token']) {
      if (typeof data?.[name] === 'string' && secrets.size < 3000) secrets.add(data[name]);
    }
    if (!caller.isInside) return;
    const own = Object.fromEntries(
      Object.entries(request.params).filter(([name]) => request.operation.path.includes(`{${name}}`)),
    );
    if (request.method === 'DELETE') {
      for (const id of Object.values(own).slice(-1)) {
        pool.remove(lastNoun(request.operation.path), id);
      }
    } else pool.learn(request.operation.path, own, data);
  }

  #pickCaller(): Caller {
    const names = Object.keys(SHARES) as Caller['name'][];
    let left = this.#random.int(0, names.reduce((sum, name) => sum + SHARES[name], 0) - 1);
    for (const name of names) {
      left -= SHARES[name];
      if (left < 0) return this.#world.callers[name];
    }
    return this.#world.callers.owner;
  }
}

function dataOf(answer: FuzzAnswer): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(answer.text) as { data?: Record<string, unknown> }).data;
  } catch {
    return undefined;
  }
}
