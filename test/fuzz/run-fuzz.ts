import { Agent } from 'node:http';
import { Random } from '../simulation/random.ts';
import { SHARES, type Caller } from './callers.ts';
import { readContract, type Contract } from './document.ts';
import { faultsOf } from './response-faults.ts';
import { makeRequest, pickOperation, type FuzzRequest } from './make-request.ts';
import { mutate } from './mutate.ts';
import { lastNoun } from './pool.ts';
import { asCommand, send, type FuzzResponse } from './send.ts';
import type { FuzzContext } from './values.ts';
import { openWorld, type World } from './world.ts';
import { dumpOf, findTraces, loggedFaults } from './traces.ts';

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
  /** Each with a command that repeats the request. */
  faults: string[];
}

const MAX_FAULTS = 40;
const MUTATED_SHARE = 0.5;
const CONCURRENCY = 4;

/**
 * Sends random requests to a whole controller and judges every response. The seed determines everything
 * except ids and times.
 */
export async function runFuzz(seed: number, requests: number): Promise<FuzzReport> {
  const world = await openWorld();
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  try {
    const contract = await readContract(world.rig.controller.url);
    const before = await dumpOf(world);
    const run = new Run(world, contract, agent, seed);
    await run.all(requests);
    run.report.faults.push(...(await findTraces(world, before)), ...loggedFaults(world));
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
  readonly #context: FuzzContext;
  readonly #reached = new Set<string>();

  constructor(world: World, contract: Contract, agent: Agent, seed: number) {
    this.#world = world;
    this.#contract = contract;
    this.#agent = agent;
    this.#random = new Random(seed);
    this.#context = {
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
    while (this.report.requests < requests && this.report.faults.length < MAX_FAULTS) {
      const batch =
        Array.from({ length: Math.min(CONCURRENCY, requests - this.report.requests) }, () => this.#one());
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
    const request = makeRequest(this.#context, pickOperation(this.#random, this.#contract.operations));
    if (this.#random.chance(MUTATED_SHARE)) mutate(request, this.#context, this.#world.foreign);
    const { url } = this.#world.rig.controller;
    const credential = caller.headers;
    const fault = (text: string, status = 0) =>
      this.report.faults.push(
        `${request.operation.name} by ${caller.name}${request.changes.length === 0 ? '' : ` (${request.changes.join(', ')})`} ${status}: ${text}\n    ${asCommand(url, request, credential)}`,
      );
    if (caller.isKnown) this.report.authenticated += 1;
    try {
      const response = await send(url, request, credential, this.#agent);
      if (response === null) return;
      for (const text of faultsOf({
        contract: this.#contract, request, caller, response, foreign: this.#world.foreign,
      })) {
        fault(`${text}\n    ${response.text.slice(0, 300)}`, response.status);
      }
      await this.#learn(request, caller, response);
    } catch (error) {
      fault(error instanceof Error ? error.message : String(error));
    }
  }

  async #learn(request: FuzzRequest, caller: Caller, response: FuzzResponse): Promise<void> {
    const { report } = this;
    const { pool, secrets } = this.#world;
    report.statuses[response.status] = (report.statuses[response.status] ?? 0) + 1;
    if (response.durationMs > report.slowest.ms) {
      report.slowest = { name: request.operation.name, ms: Math.round(response.durationMs) };
    }
    if (response.status < 200 || response.status >= 300) return;
    report.succeeded += 1;
    this.#reached.add(request.operation.name);
    if (/^POST .*\/logout|^DELETE .*\/sessions\//.test(request.operation.name)) await this.#world.renew(caller);
    const data = dataOf(response);
    for (const name of ['key', 'token', 'secret', 'enrolment_token', 'ping_key']) {
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

function dataOf(response: FuzzResponse): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(response.text) as { data?: Record<string, unknown> }).data;
  } catch {
    return undefined;
  }
}
