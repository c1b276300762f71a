import {
  MAX_EVIDENCE_BYTES, type ResponseEvidence, type EvidenceMessage,
} from '../../shared/contracts/evidence.ts';

/**
 * The encoded message, at most MAX_EVIDENCE_BYTES. If too long, it drops as little as possible in this order:
 * last good body, body, last good headers, headers from the end, certificate names, last good response,
 * certificate. Null if that isn't enough.
 */
export function evidenceBytes(message: EvidenceMessage): Buffer | null {
  const cut: EvidenceMessage = structuredClone(message);
  const { last_good: good } = cut;
  const steps = [
    () => good && cutBody(good, cut), () => cutBody(cut, cut),
    () => good && cutHeaders(good, cut), () => cutHeaders(cut, cut),
    () => [good, cut].forEach((response) => response && dropNames(response)),
    () => (cut.last_good = null), () => (cut.certificate = null),
  ];
  for (const step of steps) {
    if (excess(cut) <= 0) break;
    step();
  }
  return excess(cut) <= 0 ? Buffer.from(JSON.stringify(cut)) : null;
}

function excess(message: EvidenceMessage): number {
  return sizeOf(message) - MAX_EVIDENCE_BYTES;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function cutBody(response: ResponseEvidence, message: EvidenceMessage): void {
  const body = response.body_excerpt;
  if (body === null) return;
  let left = sizeOf(body) - excess(message) - 2;
  let end = 0;
  for (const character of body) {
    left -= sizeOf(character) - 2;
    if (left < 0) break;
    end += character.length;
  }
  response.body_excerpt = body.slice(0, end);
}

function cutHeaders(response: ResponseEvidence, message: EvidenceMessage): void {
  let over = excess(message);
  while (over > 0 && response.headers.length > 0) over -= sizeOf(response.headers.pop()) + 1;
}

function dropNames({ certificate }: ResponseEvidence): void {
  if (!certificate) return;
  certificate.more_names += certificate.names.length;
  certificate.names = [];
}
