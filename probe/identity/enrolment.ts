import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { z } from 'zod';
import {
  enrolAnswer, enrolText, type EnrolAnswer, type EnrolRequest,
} from '../../shared/contracts/enrolment.ts';
import type { Log } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { Identity, ProbeKeys } from './identity.ts';

/** The controller has refused this token for good; the message is for the operator. */
export class EnrolmentRefused extends Error {
  override readonly name = 'EnrolmentRefused';
}

export interface EnrolmentOptions {
  controllerUrl: string;
  token: string;
  /** Made once: the same token may be traded again only by who holds them. */
  keys: ProbeKeys;
  version: string;
  capabilities: string[];
  clock: Clock;
  log: Log;
  random: () => number;
}

const ANSWER_TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 15_000;

const success = z.object({ success: z.literal(true), data: enrolAnswer });
const refusal = z.object({ error: z.object({ message: z.string() }) });

/**
 * Trades the one-time token for an identity. Tries again with backoff while the controller is
 * not up or cannot answer. @throws EnrolmentRefused when it says no.
 */
export async function enrol(options: EnrolmentOptions): Promise<Identity> {
  const { keys } = options;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const answer = await ask(options, enrolRequestOf(options));
    if (answer.kind === 'enrolled') return { ...keys, answer: answer.answer };
    if (answer.kind === 'refused') throw new EnrolmentRefused(answer.reason);
    options.log.info({ reason: answer.reason }, 'waiting for the controller');
    await sleep(options.clock, waitMs * (0.5 + options.random() / 2));
  }
}

function enrolRequestOf({ token, keys, version, capabilities }: EnrolmentOptions): EnrolRequest {
  const unsigned = {
    token,
    public_key: keys.user.getPublicKey(),
    box_key: keys.box.getPublicKey(),
    nonce: randomBytes(16).toString('base64url'),
  };
  const signature = Buffer.from(keys.user.sign(Buffer.from(enrolText(unsigned)))).toString('base64url');
  return { ...unsigned, signature, version, capabilities };
}

type Answer =
  | { kind: 'enrolled'; answer: EnrolAnswer }
  | { kind: 'refused'; reason: string }
  | { kind: 'later'; reason: string };

async function ask(options: EnrolmentOptions, body: EnrolRequest): Promise<Answer> {
  try {
    const response = await request(`${options.controllerUrl}/api/probes/enrol`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
      headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS,
    });
    const text = await response.body.text();
    return answerOf(response.statusCode, text);
  } catch (error) {
    return { kind: 'later', reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  }
}

/** A busy or restarting controller may yet say yes; every other refusal is about the token. */
function answerOf(status: number, text: string): Answer {
  const json = parseJson(text);
  const enrolled = success.safeParse(json);
  if (status < 300 && enrolled.success) return { kind: 'enrolled', answer: enrolled.data.data };
  if (status >= 500 || status === 429 || status === 408) return { kind: 'later', reason: `status ${status}` };
  const refused = refusal.safeParse(json);
  return {
    kind: 'refused',
    reason: refused.success ? refused.data.error.message : `the controller answered ${status}`,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
