import { passTime } from './pass-time.ts';

export interface Answer {
  status: number;
  code: string | null;
  tookMs: number;
}

/** Sends requests until `end` is called, and keeps all answers. A request without an answer has status 0. */
export function askOn(
  ask: () => Promise<Pick<Answer, 'status' | 'code'>>,
): { answers: Answer[]; end(): Promise<Answer[]> } {
  const answers: Answer[] = [];
  let isAsking = true;
  const asking = (async () => {
    while (isAsking) {
      const startedAt = performance.now();
      const { status, code } = await ask().catch(() => ({ status: 0, code: null }));
      answers.push({ status, code, tookMs: performance.now() - startedAt });
      await passTime(50);
    }
  })();
  return {
    answers,
    end: async () => {
      isAsking = false;
      await asking;
      return answers;
    },
  };
}

/** Each kind of answer once, such as `503 SERVICE_UNAVAILABLE`. */
export function kindsOf(answers: Answer[]): string[] {
  return [...new Set(answers.map(({ status, code }) => `${status} ${code ?? ''}`.trim()))].toSorted();
}

/** The slowest answer, ms. */
export function slowest(answers: Answer[]): number {
  return Math.max(...answers.map((answer) => answer.tookMs));
}
