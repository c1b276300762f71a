import { AppError } from '../../errors/app-error.ts';

const MAX_DEPTH = 64;
/** Keys per object. Validation reports each unknown key, and a megabyte of them would take long. */
const MAX_KEYS = 10_000;
/** Characters scanned before yielding to other requests; takes a few milliseconds. */
const CHARS_PER_TURN = 128 * 1024;
const LONE_SURROGATE = /\p{Surrogate}/u;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses JSON that every parser reads alike. Throws JSON_PARSE_ERROR for bad syntax, and for what JSON.parse
 * accepts: duplicate or too many keys, prototype keys, more than 64 levels, lone surrogates, NUL, and numbers
 * beyond a double.
 */
export function parseStrictJson(text: string): unknown {
  const work = parseInSteps(text);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Like `parseStrictJson`, for megabytes of text: yields to other requests while it scans. */
export async function parseStrictJsonInTurns(text: string): Promise<unknown> {
  const work = parseInSteps(text);
  let step = work.next();
  while (step.done !== true) {
    await new Promise((resolve) => setImmediate(resolve));
    step = work.next();
  }
  return step.value;
}

function* parseInSteps(text: string): Generator<undefined, unknown> {
  yield* checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal('Request body is not valid JSON');
  }
  yield* checkTokens(text);
  return value;
}

function refusal(message: string): AppError {
  return new AppError('JSON_PARSE_ERROR', message);
}

/** Runs before the parser, so that it never sees deep nesting. Ignores brackets in strings. */
function* checkDepth(text: string): Generator<undefined> {
  let depth = 0;
  for (let at = 0, turnAt = CHARS_PER_TURN; at < text.length; at += 1) {
    if (at >= turnAt) {
      turnAt = at + CHARS_PER_TURN;
      yield;
    }
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) throw refusal(`Request body is nested more than ${MAX_DEPTH} levels`);
    } else if (char === '}' || char === ']') depth -= 1;
  }
}

/** Expects text that is valid JSON. */
function* checkTokens(text: string): Generator<undefined> {
  const containers: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (let at = 0, turnAt = CHARS_PER_TURN; at < text.length; at += 1) {
    if (at >= turnAt) {
      turnAt = at + CHARS_PER_TURN;
      yield;
    }
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      const string = contentOf(text.slice(at, end + 1));
      if (isKeyNext) checkKey(containers[containers.length - 1] ?? null, string);
      isKeyNext = false;
      at = end;
    } else if (char === '{') {
      containers.push(new Set());
      isKeyNext = true;
    } else if (char === '[') {
      containers.push(null);
      isKeyNext = false;
    } else if (char === '}' || char === ']') {
      containers.pop();
      isKeyNext = false;
    } else if (char === ',') isKeyNext = containers[containers.length - 1] !== null;
    else if (char === '-' || (char >= '0' && char <= '9')) at = checkNumber(text, at);
  }
}

/** Index of the quote that closes the string opened at `start`; the text's length if it is unclosed. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function contentOf(quoted: string): string {
  const string = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (string.includes('\0')) throw refusal('Request body contains a NUL character in a string');
  if (LONE_SURROGATE.test(string)) throw refusal('Request body contains an unpaired surrogate in a string');
  return string;
}

function checkKey(seenKeys: Set<string> | null, key: string): void {
  if (FORBIDDEN_KEYS.has(key)) throw refusal(`Request body must not contain the key ${key}`);
  if (seenKeys?.has(key) === true) throw refusal(`Request body contains a duplicate key: ${key.slice(0, 100)}`);
  seenKeys?.add(key);
  if (seenKeys === null || seenKeys.size <= MAX_KEYS) return;
  throw refusal(`Request body contains an object with more than ${MAX_KEYS} keys`);
}

function checkNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && /[\d.eE+-]/.test(text[end] as string)) end += 1;
  if (Number.isFinite(Number(text.slice(start, end)))) return end - 1;
  throw refusal('Request body contains a number that is too large');
}
