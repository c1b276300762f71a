/** The address returned for every name, with a TTL of ten minutes. */
export const RESPONSE_ADDRESS = '127.0.0.9';

const HEADER_BYTES = 12;
/** A record: the question's name, type A, class IN, TTL and address. */
const RECORD = Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 2, 88, 0, 4, ...RESPONSE_ADDRESS.split('.').map(Number)]);

/** The response to an A question: its header and question, without the OPT record, and one record. */
export function dnsResponse(question: Buffer): Buffer {
  let end = HEADER_BYTES;
  while ((question[end] ?? 0) > 0) end += (question[end] as number) + 1;
  const response = Buffer.concat([question.subarray(0, end + 5), RECORD]);
  response.writeUInt16BE(0x8580, 2);
  response.writeUInt16BE(1, 6);
  response.writeUInt32BE(0, 8);
  return response;
}
