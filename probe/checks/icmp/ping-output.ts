import type { Returned } from './packet.ts';

/** Parsed output of the system's `ping`. */
export interface PingOutput {
  /** Round-trip times, ms, in packet order; the first one of duplicates. */
  rttsMs: number[];
  /** Null if the output was cut off before its summary. */
  sent: number | null;
  /** An ICMP error from a router or this host instead of a reply. */
  returned: { from: string; why: Returned } | null;
}

const RESPONSE_LINE = /^\d+ bytes from [^\s,]+: (?:icmp_)?seq=(\d{1,6}) .*?time=(\d{1,7}(?:\.\d{1,7})?) ?ms/;
/** `From 10.0.0.1 icmp_seq=1 Time to live exceeded` (iputils), `36 bytes from 10.0.0.1: …` (inetutils). */
const RETURNED_LINE = /^(?:From (\S{2,64}) icmp_seq=\d+|\d+ bytes from (\S{2,64}):) ([A-Z].*)$/;
const SENT_LINE = /^(\d{1,6}) packets transmitted/;
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 256;

/** Parses the output of iputils, busybox and inetutils; ignores unknown lines. */
export function readPingOutput(text: string): PingOutput {
  const rttsBySequence = new Map<number, number>();
  const output: PingOutput = { rttsMs: [], sent: null, returned: null };
  for (const whole of text.split('\n', MAX_LINES)) {
    const line = whole.slice(0, MAX_LINE_LENGTH);
    const response = RESPONSE_LINE.exec(line);
    const returned = RETURNED_LINE.exec(line);
    const sent = SENT_LINE.exec(line);
    const sequence = Number(response?.[1]);
    if (response && !rttsBySequence.has(sequence)) rttsBySequence.set(sequence, Number(response[2]));
    else if (returned) {
      output.returned ??= { from: returned[1] ?? returned[2] ?? '', why: whyOf(returned[3] ?? '') };
    } else if (sent) output.sent = Number(sent[1]);
  }
  output.rttsMs = [...rttsBySequence].sort(([one], [other]) => one - other).map(([, rttMs]) => rttMs);
  return output;
}

function whyOf(text: string): Returned {
  if (/time to live|hop limit/i.test(text)) return 'ttl_exceeded';
  if (/prohibited|filtered/i.test(text)) return 'prohibited';
  if (/frag needed|too big/i.test(text)) return 'too_large';
  return /unreachable/i.test(text) ? 'unreachable' : 'refused';
}
