import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { hashOf, newProofKey, proofOf, readProof, sameTarget, thumbprintOf, wrongProofs } from './dpop.js';

const about = { method: 'POST', url: 'https://mcp.example/mcp?x=1#y', token: 'a-token', nonce: 'n' };

describe.each(['ES256', 'EdDSA', 'RS256'] as const)('proofs with %s', algorithm => {
  const key = newProofKey(algorithm);

  test('a correct proof verifies with the key in its header, as jose does it', async () => {
    const text = proofOf(key, about);
    const { payload, protectedHeader } = await jwtVerify(text, EmbeddedJWK, { typ: 'dpop+jwt' });
    expect(payload).toMatchObject({ htm: 'POST', htu: 'https://mcp.example/mcp', nonce: 'n' });
    expect(payload.ath).toBe(hashOf('a-token'));
    expect(protectedHeader.alg).toBe(algorithm);
    expect(protectedHeader.jwk).not.toHaveProperty('d');
    expect(readProof(text)?.jkt).toBe(await calculateJwkThumbprint(key.jwk as never));
  });

  test('a proof with a wrong signature does not verify; one with another flaw does, if jose can read it', async () => {
    for (const { flaw, value } of wrongProofs(key, about, 600)) {
      const verified = await jwtVerify(value, EmbeddedJWK).then(
        () => true,
        () => false,
      );
      expect(verified, flaw).toBe(!['form', 'alg', 'signature', 'private-key'].includes(flaw));
    }
  });
});

test('the thumbprint of a key that is not public is unknown', () => {
  expect(thumbprintOf({ kty: 'oct', k: 'AAAA' })).toBeUndefined();
  for (const kty of ['constructor', { toString: 1 }]) expect(thumbprintOf({ kty })).toBeUndefined();
  expect(thumbprintOf(undefined)).toBeUndefined();
  expect(thumbprintOf({ kty: 'EC', crv: 'P-256', x: 'a' })).toBeUndefined();
});

test.each([
  ['HTTPS://MCP.example:443/mcp', true],
  ['https://mcp.example/mcp/', true],
  ['https://mcp.example/other', false],
  ['mcp', false],
  [undefined, false],
])('%s is the same target: %s', (one, same) => {
  expect(sameTarget(one, about.url)).toBe(same);
});
