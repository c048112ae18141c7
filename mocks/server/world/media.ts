/** The smallest image and the shortest audio. */

import type { JsonObject } from '../../../spec/json-rpc.js';

/** A PNG with one red pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg==';

function silence(samples: number): string {
  const wav = Buffer.alloc(44 + samples, 0x80);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20); // PCM
  wav.writeUInt16LE(1, 22); // one channel
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(8_000, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples, 40);
  return wav.toString('base64');
}

/** A WAV with one millisecond of silence. */
const wav = silence(8);

export const image = (): JsonObject => ({ type: 'image', data: png, mimeType: 'image/png' });
export const audio = (): JsonObject => ({ type: 'audio', data: wav, mimeType: 'audio/wav' });

export const embedded = (uri: string, mimeType: string, text: string): JsonObject => ({
  type: 'resource',
  resource: { uri, mimeType, text },
});
