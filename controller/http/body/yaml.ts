import { createRequire } from 'node:module';
import { runWorker, WorkerLimitExceeded } from '../../../shared/limited-worker.ts';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';

/** Limits on one conversion. A worker that exceeds one is terminated. */
const DEADLINE_MS = 20_000;
const MEMORY_MB = 512;

/**
 * Runs in a worker, because megabytes of YAML take seconds. A string, because a bundle has one entry point.
 */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads');
const yaml = require(workerData.yaml);
// Stops at the first anchor, because composing thousands of them takes seconds.
function* tokensOf(text) {
  const parser = new yaml.Parser();
  let isScalar = false;
  for (const source of new yaml.Lexer().lex(text)) {
    if (!isScalar && '&*'.includes(source[0])) throw new Error('Anchors and aliases are not supported');
    isScalar = source === yaml.CST.SCALAR;
    yield* parser.next(source);
  }
  yield* parser.end();
}
function toJson(text) {
  const options = { schema: 'core', merge: false, uniqueKeys: true, prettyErrors: false, logLevel: 'error' };
  const documents = [...new yaml.Composer(options).compose(tokensOf(text))];
  if (documents.length !== 1) return { fault: 'must be one document' };
  const [document] = documents;
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) return { fault: fault.message.slice(0, 200) };
  return { text: JSON.stringify(document.toJS({ maxAliasCount: 0 })) ?? 'null' };
}
let conversion;
try {
  const toYaml = (text) => yaml.stringify(JSON.parse(text), { lineWidth: 0, aliasDuplicateObjects: false });
  conversion = workerData.isYaml ? toJson(workerData.text) : { text: toYaml(workerData.text) };
} catch (error) {
  conversion = { fault: String(error && error.message).slice(0, 200) };
}
parentPort.postMessage(conversion);
`;

interface Conversion {
  text?: string;
  fault?: string;
}

/**
 * Converts YAML to JSON: one document, core schema, no custom tags, anchors or aliases. Throws
 * JSON_PARSE_ERROR.
 */
export async function yamlToJson(text: string, clock: Clock): Promise<string> {
  const { text: json, fault = 'unknown fault' } = await run(text, true, clock);
  if (json === undefined) throw new AppError('JSON_PARSE_ERROR', `Request body is not valid YAML: ${fault}`);
  return json;
}

export async function toYaml(value: unknown): Promise<string> {
  const { text, fault = 'unknown fault' } = await run(JSON.stringify(value), false, systemClock);
  if (text === undefined) throw new Error(`YAML could not be written: ${fault}`);
  return text;
}

async function run(text: string, isYaml: boolean, clock: Clock): Promise<Conversion> {
  const yaml = createRequire(import.meta.url).resolve('yaml');
  const limits = { memoryMb: MEMORY_MB, timeoutMs: isYaml ? DEADLINE_MS : null };
  try {
    return await runWorker<Conversion>({ script: SCRIPT }, { text, isYaml, yaml }, limits, clock);
  } catch (error) {
    const isLate = error instanceof WorkerLimitExceeded && error.limit === 'time';
    return { fault: isLate ? 'it takes too long to parse' : 'it takes too much memory to parse' };
  }
}
