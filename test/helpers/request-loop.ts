import { passTime } from './pass-time.ts';

export interface TimedResponse {
  status: number;
  code: string | null;
  tookMs: number;
}

/** Sends requests until `end` is called and records all responses. A request without a response has status 0. */
export function startRequestLoop(
  send: () => Promise<Pick<TimedResponse, 'status' | 'code'>>,
): { responses: TimedResponse[]; end(): Promise<TimedResponse[]> } {
  const responses: TimedResponse[] = [];
  let isRunning = true;
  const loop = (async () => {
    while (isRunning) {
      const startedAt = performance.now();
      const { status, code } = await send().catch(() => ({ status: 0, code: null }));
      responses.push({ status, code, tookMs: performance.now() - startedAt });
      await passTime(50);
    }
  })();
  return {
    responses,
    end: async () => {
      isRunning = false;
      await loop;
      return responses;
    },
  };
}

/** Each distinct response once, such as `503 SERVICE_UNAVAILABLE`. */
export function kindsOf(responses: TimedResponse[]): string[] {
  return [...new Set(responses.map(({ status, code }) => `${status} ${code ?? ''}`.trim()))].toSorted();
}

/** Slowest response, ms. */
export function slowest(responses: TimedResponse[]): number {
  return Math.max(...responses.map((response) => response.tookMs));
}
