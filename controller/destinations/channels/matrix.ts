import { z } from 'zod';
import { below, defineChannel, jsonRequest } from './channel.ts';
import { secretText, serverUrl } from './fields.ts';
import { breakMention, escapeEntities, escapeEntity, fittedMessage, PLAIN } from './text.ts';

/** Two texts of this size are far below the limit of an event, 65,536 bytes. */
const MAX_TEXT_LENGTH = 4000;
const html = {
  max: MAX_TEXT_LENGTH, newline: '<br>', escape: (character: string) => breakMention(escapeEntity(character)),
  label: (text: string) => `<strong>${text}</strong>`,
  link: (text: string, url: string) => `<a href="${escapeEntities(url)}">${text}</a>`,
};

export const matrix = defineChannel({
  label: 'Matrix', help: 'Create a user for Farwatch and invite it to the room.',
  domains: ['matrix.org'], address: 'base_url',
  config: z.strictObject({
    base_url: serverUrl({ title: 'Homeserver', description: 'URL of its client API, such as https://matrix.example.org.' }),
    access_token: secretText({ title: 'Access token', description: 'Of the user who posts.' }),
    room_id: z.string().max(255).regex(/^!\S+$/, 'Must be a room ID, which starts with !')
      .meta({ title: 'Room ID', description: 'In the room’s settings, under Advanced. It starts with “!”.' }),
  }),
  texts: ['body'],
  render: ({ config: { base_url, access_token: token, room_id: room }, content, deliveryId }) => ({
    // The server ignores a repeated transaction, so that a retry is not shown twice.
    ...jsonRequest(
      below(base_url, `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${deliveryId}`), {
        msgtype: 'm.text', body: fittedMessage(content, { ...PLAIN, max: MAX_TEXT_LENGTH, escape: breakMention }),
        format: 'org.matrix.custom.html', formatted_body: fittedMessage(content, html), 'm.mentions': {},
      }, { Authorization: `Bearer ${token}` },
    ),
    method: 'PUT',
  }),
});
