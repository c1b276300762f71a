/** The address of every name, for ten minutes. */
export const ANSWERED = '127.0.0.9';

const HEADER_BYTES = 12;
/** A record: the name of the question, type A, class IN, the time to live and the address. */
const RECORD = Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 2, 88, 0, 4, ...ANSWERED.split('.').map(Number)]);

/** The answer to a question for an address: its header and question, without the OPT record, and one record. */
export function dnsAnswer(question: Buffer): Buffer {
  let end = HEADER_BYTES;
  while ((question[end] ?? 0) > 0) end += (question[end] as number) + 1;
  const answer = Buffer.concat([question.subarray(0, end + 5), RECORD]);
  answer.writeUInt16BE(0x8580, 2);
  answer.writeUInt16BE(1, 6);
  answer.writeUInt32BE(0, 8);
  return answer;
}
