import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';

/** Longest that a text of somebody else may take, ms, and the memory that it may take, MB: beyond it the thread is ended. */
const DEADLINE_MS = 20_000;
const MEMORY_MB = 512;

/** Runs in a thread of its own, since megabytes of YAML take seconds. Text: a bundle cannot carry a second entry point for it. */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads');
const yaml = require(workerData.yaml);
function toJson(text) {
  const options = { schema: 'core', merge: false, uniqueKeys: true, prettyErrors: false, logLevel: 'error' };
  const documents = yaml.parseAllDocuments(text, options);
  if (documents.length !== 1) return { fault: 'must be one document' };
  const [document] = documents;
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) return { fault: fault.message.slice(0, 200) };
  return { text: JSON.stringify(document.toJS({ maxAliasCount: 0 })) ?? 'null' };
}
let answer;
try {
  answer = workerData.isYaml ? toJson(workerData.text) : { text: yaml.stringify(JSON.parse(workerData.text), { lineWidth: 0, aliasDuplicateObjects: false }) };
} catch (error) {
  answer = { fault: String(error && error.message).slice(0, 200) };
}
parentPort.postMessage(answer);
`;

interface Answer {
  text?: string;
  fault?: string;
}

/** The JSON of a YAML text: one document, the core schema, no tags of its own, no aliases. Throws JSON_PARSE_ERROR. */
export async function yamlToJson(text: string, clock: Clock): Promise<string> {
  const answer = await run(text, true, clock);
  if (answer.text === undefined) throw new AppError('JSON_PARSE_ERROR', `Request body is not valid YAML: ${answer.fault ?? 'unknown fault'}`);
  return answer.text;
}

/** The YAML of a value. */
export async function toYaml(value: unknown): Promise<string> {
  const answer = await run(JSON.stringify(value), false, null);
  if (answer.text === undefined) throw new Error(`YAML could not be written: ${answer.fault ?? 'unknown fault'}`);
  return answer.text;
}

function run(text: string, isYaml: boolean, clock: Clock | null): Promise<Answer> {
  const yaml = createRequire(import.meta.url).resolve('yaml');
  const worker = new Worker(SCRIPT, { eval: true, workerData: { text, isYaml, yaml }, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB }, execArgv: [] });
  const answer = new Promise<Answer>((resolve) => {
    const deadline = clock?.setTimer(DEADLINE_MS, () => resolve({ fault: 'it takes too long to read' }));
    worker.once('message', resolve);
    worker.once('error', () => resolve({ fault: 'it takes too much to read' }));
    worker.once('exit', () => {
      deadline?.cancel();
      resolve({ fault: 'it takes too much to read' });
    });
  });
  return answer.finally(() => void worker.terminate());
}
