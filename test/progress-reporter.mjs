import { relative } from 'node:path';
import { DefaultReporter } from 'vitest/node';
import { isNullFree } from './null-free.mjs';
import { clock } from './progress.mjs';

/** The progress names a file that has run this long. */
const SLOW_FILE_MS = 10_000;
const MAX_NAMED_FILES = 3;
const MAX_REASON_LENGTH = 300;

/** Reports the progress of a vitest project to a `Progress`, prints failures, and counts outcomes. */
export class ProgressReporter extends DefaultReporter {
  /** Every test that was not skipped. */
  tests = [];
  /** Files with failures, as paths in the repository. */
  broken = [];
  #progress;
  #name;
  #files = 0;
  #filesDone = 0;
  #running = new Map();
  #unhandled = 0;

  /** `name` is the step's name. */
  constructor(progress, name) {
    super({ summary: false, silent: 'passed-only' });
    this.#progress = progress;
    this.#name = name;
    progress.begin(name, () => this.#describe());
  }

  get passed() {
    return this.tests.filter(({ state }) => state === 'passed').length;
  }

  /** Failed tests, files that could not run, and errors outside tests. */
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
    const { state, errors } = test.result();
    const file = this.#pathOf(test.module);
    if (state !== 'skipped') this.tests.push({ file, title: test.fullName, state, meta: test.meta() });
    if (state !== 'failed') return;
    const where = isNullFree(file.replace(/^test\//, '')) ? ' (on a database without nulls)' : '';
    const [reason] = String(errors?.[0]?.message).split('\n', 1);
    this.#progress.say(`FAIL  ${file} > ${test.fullName}${where}: ${reason.slice(0, MAX_REASON_LENGTH)}`);
  }

  printTestModule(module) {
    const file = this.#pathOf(module);
    this.#running.delete(file);
    this.#filesDone += 1;
    if (module.state() === 'failed') this.broken.push(file);
    this.#progress.advance(this.#name, this.#filesDone / this.#files);
  }

  onTestRunEnd(modules, unhandled, reason) {
    // A failing global setup ends the run before its first file; it is not among the errors and is shown later.
    const hasRun = modules.length > 0;
    this.#unhandled = hasRun ? unhandled.length : 1;
    if (hasRun && this.failed > 0) super.onTestRunEnd(modules, unhandled, reason);
    this.#progress.end(
      this.#name, `${this.failed === 0 ? 'ok' : 'FAIL'}: ${this.passed} passed, ${this.failed} failed`,
    );
  }

  /** The run's last line shows the counts instead. */
  reportTestSummary() {}

  #describe() {
    const now = Date.now();
    const long = [...this.#running].filter(([, since]) => now - since > SLOW_FILE_MS).slice(0, MAX_NAMED_FILES);
    const named = long.map(([file, since]) => `${file} for ${clock(now - since)}`);
    const counts = `${this.#filesDone} of ${this.#files} files, ${this.tests.length} tests`;
    return [this.failed > 0 ? `${counts}, ${this.failed} failed` : counts, ...named].join('; ');
  }

  #pathOf(module) {
    return relative(this.ctx.config.root, module.moduleId);
  }
}
