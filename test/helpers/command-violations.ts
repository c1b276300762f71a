import { serialize, type Document } from 'bson';
import { parseCommand } from '../../deploy/embedded/mongo/commands/dispatch.ts';
import { frameReply, OpCode, parseMessage } from '../../deploy/embedded/mongo/wire/message.ts';

/**
 * Reasons for which the embedded store would refuse a command that the driver reported; empty if it supports
 * all of it.
 */
export function commandViolations(command: Document): string[] {
  // On a replica set, the driver adds the cluster time.
  const { $clusterTime: _time, ...sent } = command;
  try {
    const message = frameReply({ requestId: 0, opCode: OpCode.message }, 0, Buffer.from(serialize(sent)));
    parseCommand(parseMessage(message));
    return [];
  } catch (error) {
    return [`${Object.keys(command)[0]}: ${(error as Error).message}`];
  }
}
