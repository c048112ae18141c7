/** Roots: the responses of clients. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { declares } from '../../../harness/record/conversation.js';
import { errorOf, resultOf } from '../../../harness/record/message.js';
import { capabilitiesFor } from '../../../harness/record/questions.js';
import { asText, type JsonObject } from '../../../spec/json-rpc.js';
import { answered, objects } from '../derived/results.js';

const method = 'roots/list';

/** A segment of two dots, plain or percent-encoded. */
const detour = /(^|[/\\])(\.|%2e){2}($|[/\\?#])/i;

const isEmptyList = (result: JsonObject | undefined): boolean =>
  Array.isArray(result?.roots) && result.roots.length === 0;

export const rules = [
  rule('roots.uri-file-scheme', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, method))
      for (const { uri } of objects(result.roots))
        yield typeof uri === 'string' && /^file:\/\//i.test(uri)
          ? pass([request, reply])
          : fail('file://…', [request, reply], asText(uri));
  }),

  rule('roots.uri-unique', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, method)) {
      const uris = objects(result.roots).map(root => root.uri);
      const twice = uris.find((uri, at) => uris.indexOf(uri) !== at);
      if (twice !== undefined) yield fail('each URI once', [request, reply], asText(twice));
      else if (uris.length > 0) yield pass([request, reply]);
    }
  }),

  rule('roots.uris-validated', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, method))
      for (const { uri } of objects(result.roots))
        yield detour.test(asText(uri).replace(/^file:/i, ''))
          ? fail(
              'a path without segments of two dots, also when the user configured it',
              [request, reply],
              asText(uri),
            )
          : pass([request, reply]);
  }),

  rule('roots.capability-declared', function* (conversation) {
    for (const { request, reply, result } of answered(conversation, method)) {
      const has = declares(capabilitiesFor(conversation, request), 'roots');
      if (has) yield pass([request, reply]);
      // a client without roots does not support roots either
      else if (!isEmptyList(result))
        yield fail('roots declared', [request, reply], 'a result without the declaration');
    }
  }),

  rule('roots.unsupported-error', function* (conversation) {
    if (declares(conversation.capabilities('client'), 'roots')) return;
    for (const exchange of conversation.exchanges({ by: 'peer', method })) {
      const error = errorOf(exchange);
      const evidence = [exchange.request, exchange.reply];
      if (error)
        yield error.code === -32601 ? pass(evidence) : fail('error -32601', evidence, `error ${error.code}`);
      // a list that contains roots is judged by the row above
      else if (isEmptyList(resultOf(exchange))) yield fail('error -32601', evidence, 'a list without roots');
      else if (resultOf(exchange)) return;
    }
  }),
];
