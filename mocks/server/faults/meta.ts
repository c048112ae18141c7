/** basic/index#_meta. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { fault, onMessage, onReply, onResult, refusal } from '../../fault.js';
import { codes } from '../refusal.js';
import { hasHandshake, listedTool, paramsOf } from './shared.js';

const icon = (change: JsonObject) =>
  listedTool(
    tool => 'icons' in tool,
    tool => ({ ...tool, icons: (tool.icons as JsonObject[]).map(each => ({ ...each, ...change })) }),
  );

const metaKey = (...keys: string[]) =>
  onResult('tools/list', body => ({ ...body, _meta: Object.fromEntries(keys.map(key => [key, 1])) }));

export const metaFaults = [
  fault(
    'call-with-metadata-refused',
    {
      what: 'tools/call with unknown keys in its metadata is rejected, and other requests are not.',
      breaks: ['base.unknown-params-ignored', 'meta.reserved-values-not-assumed'],
      shows: ['base.unknown-params-ignored#call-refused', 'meta.reserved-values-not-assumed#call-refused'],
    },
    onReply('tools/call', (reply, ask) => {
      const { _meta: meta } = paramsOf(ask);
      const isKnown = (key: string) => !/^(com\.example|dev\.mcp)\/|\/conformance$/.test(key);
      return isObject(meta) && !Object.keys(meta).every(isKnown)
        ? refusal(ask, codes.invalidParams, 'The metadata have an unknown key.')
        : reply;
    }),
  ),

  fault(
    'meta-key-malformed',
    {
      what: 'The tools/list result has a _meta key with an empty label in its prefix.',
      breaks: ['meta.key-prefix-syntax'],
      shows: ['meta.key-prefix-syntax#empty-label'],
    },
    onResult('tools/list', body => ({ ...body, _meta: { 'com..example/x': 1 } })),
  ),

  fault(
    'meta-key-underscore',
    {
      what: 'The tools/list result has a _meta key that begins with an underscore.',
      breaks: ['meta.key-name-syntax'],
      shows: ['meta.key-name-syntax#underscore-first'],
    },
    onMessage(message =>
      'result' in message && isObject(message.result) && 'tools' in message.result
        ? {
            ...message,
            result: { ...message.result, _meta: { ...(message.result._meta as JsonObject), _internal: 1 } },
          }
        : message,
    ),
  ),

  fault(
    'unknown-members-refused',
    {
      what: 'ping with members in params that no revision defines is rejected.',
      breaks: ['base.unknown-params-ignored'],
      shows: ['base.unknown-params-ignored#object-refused'],
      where: hasHandshake,
    },
    onReply('ping', (reply, ask) =>
      Object.keys(paramsOf(ask)).some(name => name !== '_meta')
        ? refusal(ask, codes.invalidParams, 'Unknown member')
        : reply,
    ),
  ),

  fault(
    'unknown-metadata-refused',
    {
      what: 'ping with metadata under a reserved key is rejected.',
      breaks: ['meta.reserved-values-not-assumed', 'ping.answered-empty'],
      shows: ['meta.reserved-values-not-assumed#refused'],
      where: hasHandshake,
    },
    onReply('ping', (reply, ask) => {
      const { _meta: meta } = paramsOf(ask);
      const odd = isObject(meta) && 'io.modelcontextprotocol/conformance' in meta;
      return odd ? refusal(ask, codes.invalidParams, 'Unknown metadata') : reply;
    }),
  ),

  fault(
    'meta-label-malformed',
    {
      what: 'The tools/list result has a _meta key with a label that begins with a digit.',
      breaks: ['meta.key-label-syntax'],
      shows: ['meta.key-label-syntax#digit-first'],
    },
    metaKey('1com.example/x'),
  ),

  fault(
    'meta-prefix-forwards',
    {
      what: 'The tools/list result has a _meta key whose prefix is a domain name that is not reversed.',
      breaks: ['meta.key-reverse-dns'],
      shows: ['meta.key-reverse-dns#forward'],
    },
    metaKey('tools.example.com/x'),
  ),

  fault(
    'meta-prefix-reserved',
    {
      what: 'The tools/list result has an undefined _meta key under a prefix reserved for MCP.',
      breaks: ['meta.reserved-prefix-unused'],
      shows: ['meta.reserved-prefix-unused#undefined-key'],
    },
    metaKey('modelcontextprotocol.io/made-up', 'io.modelcontextprotocol/made-up'),
  ),

  fault(
    'icon-of-odd-scheme',
    {
      what: 'tools/list returns an icon with an ftp URL.',
      breaks: ['icons.src-uri'],
      shows: ['icons.src-uri#other-scheme'],
    },
    icon({ src: 'ftp://example.com/icon.png' }),
  ),

  fault(
    'icon-size-unclear',
    {
      what: 'tools/list returns an icon with a single number as size.',
      breaks: ['icons.size-format'],
      shows: ['icons.size-format#number'],
    },
    icon({ sizes: ['48'] }),
  ),
];
