import { relative } from 'node:path';
import { DefaultReporter } from 'vitest/node';
import { clock } from './progress.mjs';

/** A file that has run this long is named in the progress of its project. */
const LONG_MS = 10_000;
const MOST_NAMED = 3;

/**
 * Tells a `Progress` how far one of vitest's projects is, prints failures, and counts what passed and failed.
 */
export class ProgressReporter extends DefaultReporter {
  /** Each test that was not skipped. */
  tests = [];
  /** Files with failures, as paths in the repository. */
  broken = [];
  #progress;
  #name;
  #files = 0;
  #filesDone = 0;
  #running = new Map();
  #unhandled = 0;

  /** `name` is the step's. */
  constructor(progress, name) {
    super({ summary: false, silent: 'passed-only' });
    this.#progress = progress;
    this.#name = name;
    progress.begin(name, () => this.#describe());
  }

  get passed() {
    return this.tests.filter(({ state }) => state === 'passed').length;
  }

  /** Tests that failed, files that could not be run, and errors that belong to no test. */
  get failed() {
    const failedTests = this.tests.filter(({ state }) => state === 'failed');
    const ofTests = new Set(failedTests.map(({ file }) => file));
    return failedTests.length + this.broken.filter((file) => !ofTests.has(file)).length + this.#unhandled;
  }

  onInit(vitest) {
    this.ctx = vitest;
  }

  onTestRunStart(specifications) {
    super.onTestRunStart(specifications);
    this.#files = specifications.length;
  }

  onTestModuleStart(module) {
    this.#running.set(this.#pathOf(module), Date.now());
  }

  onTestCaseResult(test) {
    super.onTestCaseResult(test);
    const { state } = test.result();
    const file = this.#pathOf(test.module);
    if (state !== 'skipped') this.tests.push({ file, title: test.fullName, state, meta: test.meta() });
    if (state === 'failed') this.#progress.say(`FAIL  ${file} > ${test.fullName}`);
  }

  printTestModule(module) {
    const file = this.#pathOf(module);
    this.#running.delete(file);
    this.#filesDone += 1;
    if (module.state() === 'failed') this.broken.push(file);
    this.#progress.advance(this.#name, this.#filesDone / this.#files);
  }

  onTestRunEnd(modules, unhandled, reason) {
    this.#unhandled = unhandled.length;
    if (this.failed > 0) super.onTestRunEnd(modules, unhandled, reason);
    this.#progress.end(
      this.#name, `${this.failed === 0 ? 'ok' : 'FAIL'}: ${this.passed} passed, ${this.failed} failed`,
    );
  }

  /** The last line of a run has the counts. */
  reportTestSummary() {}

  #describe() {
    const now = Date.now();
    const long = [...this.#running].filter(([, since]) => now - since > LONG_MS).slice(0, MOST_NAMED);
    const named = long.map(([file, since]) => `${file} for ${clock(now - since)}`);
    const counts = `${this.#filesDone} of ${this.#files} files, ${this.tests.length} tests`;
    return [this.failed > 0 ? `${counts}, ${this.failed} failed` : counts, ...named].join('; ');
  }

  #pathOf(module) {
    return relative(this.ctx.config.root, module.moduleId);
  }
}
