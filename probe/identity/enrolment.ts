import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { z } from 'zod';
import { backoffMs } from '../../shared/backoff.ts';
import {
  enrolResponse, enrolText, type EnrolResponse, type EnrolRequest,
} from '../../shared/contracts/enrolment.ts';
import { proxyOptions, type ProxyVariables } from '../../shared/http-proxy.ts';
import type { Log } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { Identity, ProbeKeys } from './identity.ts';

/** The controller has rejected this token or key permanently; the message is for the operator. */
export class EnrolmentRefused extends Error {
  override readonly name = 'EnrolmentRefused';
}

export interface EnrolmentOptions {
  controllerUrl: string;
  /** A one-time token or an enrolment key. */
  token: string;
  proxies?: ProxyVariables;
  /** Stored once: the token can be exchanged again only with the same keys. */
  keys: ProbeKeys;
  version: string;
  capabilities: string[];
  clock: Clock;
  log: Log;
  random: () => number;
  /** The probe that this one replaces. */
  formerProbeId?: string;
}

const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1_048_576;
const BACKOFF = { minMs: 300, maxMs: 15_000 };

const success = z.object({ success: z.literal(true), data: enrolResponse });
const refusal = z.object({ error: z.object({ message: z.string() }) });

/**
 * Exchanges the one-time token for an identity. Retries with backoff while the controller is unreachable or
 * unavailable. @throws EnrolmentRefused if it rejects the token.
 */
export async function enrol(options: EnrolmentOptions): Promise<Identity> {
  const { keys, controllerUrl } = options;
  for (let failures = 1; ; failures += 1) {
    const outcome = await attemptEnrolment(options);
    if (outcome.kind === 'enrolled') return { ...keys, enrolment: outcome.response, controllerUrl };
    if (outcome.kind === 'refused') throw new EnrolmentRefused(outcome.reason);
    options.log.info({ controller: controllerUrl, reason: outcome.reason }, 'waiting for the controller');
    await sleep(options.clock, backoffMs(failures, BACKOFF, options.random()));
  }
}

function enrolRequestOf(options: AttemptOptions): EnrolRequest {
  const { token, keys, version, capabilities, formerProbeId } = options;
  const unsigned = {
    token,
    public_key: keys.user.getPublicKey(),
    box_key: keys.box.getPublicKey(),
    nonce: randomBytes(16).toString('base64url'),
  };
  const signature = Buffer.from(keys.user.sign(Buffer.from(enrolText(unsigned)))).toString('base64url');
  const former = formerProbeId === undefined ? {} : { former_probe_id: formerProbeId };
  return { ...unsigned, signature, version, capabilities, ...former };
}

type EnrolOutcome =
  | { kind: 'enrolled'; response: EnrolResponse }
  | { kind: 'refused'; reason: string }
  | { kind: 'later'; reason: string };

type AttemptOptions = Omit<EnrolmentOptions, 'clock' | 'log' | 'random'>;

/** One request. Throws ConfigError if its proxy is no URL; never rejects otherwise. */
export async function attemptEnrolment(options: AttemptOptions): Promise<EnrolOutcome> {
  const url = `${options.controllerUrl}/api/probes/enrol`;
  const proxy = proxyOptions(new URL(url), options.proxies ?? {});
  try {
    const body = JSON.stringify(enrolRequestOf(options));
    const response = await post(url, body, proxy);
    return outcomeOf(options.controllerUrl, response.statusCode ?? 0, await textOf(response));
  } catch (error) {
    return { kind: 'later', reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  }
}

/** Uses Node's own client: any other would stay in memory as long as the probe runs. */
async function post(
  url: string, body: string, proxy: ReturnType<typeof proxyOptions>,
): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = {
    method: 'POST', agent: proxy.createConnection ? undefined : false, timeout: RESPONSE_TIMEOUT_MS, headers, ...proxy,
  } as RequestOptions;
  const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
  request.on('timeout', () => request.destroy(new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1000} s`)));
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Rejects if the body is too large or stalls for too long. */
async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A busy or restarting controller may accept later; every other rejection is about the token. */
function outcomeOf(controllerUrl: string, status: number, text: string): EnrolOutcome {
  const json = parseJson(text);
  const enrolled = success.safeParse(json);
  if (status < 300 && enrolled.success) return { kind: 'enrolled', response: enrolled.data.data };
  if (status >= 500 || status === 429 || status === 408) return { kind: 'later', reason: `status ${status}` };
  const refused = refusal.safeParse(json);
  return {
    kind: 'refused',
    reason: refused.success
      ? refused.data.error.message
      : `the server at ${controllerUrl} is not a Farwatch controller (status ${status})`,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
