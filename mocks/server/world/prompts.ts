/** Prompts. */

import { isUri } from '../../../spec/formats.js';
import type { JsonObject } from '../../../spec/json-rpc.js';
import type { Prompt } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import { text } from './builders.js';
import { promptWithInput } from './input-tools.js';
import { audio, embedded, image } from './media.js';

const user = (content: JsonObject): JsonObject => ({ role: 'user', content });

type More = Pick<Prompt, 'needs' | 'completes'> & { arguments?: JsonObject[] };

const prompt = (name: string, description: string, get: Prompt['get'], more: More = {}): Prompt => ({
  definition: { name, description, ...(more.arguments && { arguments: more.arguments }) },
  get,
  ...(more.needs && { needs: more.needs }),
  ...(more.completes && { completes: more.completes }),
});

const required = (name: string, description: string): JsonObject => ({ name, description, required: true });

export const prompts = (): Prompt[] => [
  prompt('test_simple_prompt', 'Takes nothing.', () => [user(text('This is a simple prompt for testing.'))]),
  prompt(
    'test_prompt_with_arguments',
    'Takes two arguments.',
    ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    {
      arguments: [required('arg1', 'The first.'), required('arg2', 'The second.')],
      completes: { arg1: ['test', 'testing', 'testValue1', 'other'], arg2: ['testValue2', 'zebra'] },
    },
  ),
  prompt(
    'test_prompt_with_embedded_resource',
    'Has a resource in it.',
    ({ resourceUri }) => {
      if (!isUri(resourceUri!)) throw new Refusal(codes.invalidParams, 'resourceUri is no URI.');
      return [
        user(embedded(resourceUri!, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ];
    },
    { arguments: [required('resourceUri', 'The URI that the resource has.')] },
  ),
  prompt('test_prompt_with_image', 'Has a picture in it.', () => [
    user(image()),
    user(text('Please analyze the image above.')),
  ]),
  prompt('test_prompt_with_audio', 'Has a sound in it.', () => [user(audio())], { needs: 'audio' }),
  prompt(
    'test_prompt_with_resource_link',
    'Has a link in it.',
    () => [user({ type: 'resource_link', uri: 'test://static-text', name: 'static-text' })],
    { needs: 'links' },
  ),
  prompt(
    'test_input_required_result_prompt',
    'Asks the user for the context.',
    (_args, call) => promptWithInput(call),
    {
      needs: 'inputRounds',
    },
  ),
  prompt('test_prompt_conversation', 'Has several messages.', () => [
    user(text('Hello.')),
    { role: 'assistant', content: text('Good day.') },
    user(text('How are you?')),
  ]),
  prompt(
    'test_prompt_with_optional_argument',
    'Takes an argument, or none.',
    ({ style }) => [user(text(`Write a poem, ${style ?? 'any style'}.`))],
    {
      arguments: [{ name: 'style', description: 'How it sounds.' }],
      completes: { style: ['formal', 'funny', 'short'] },
    },
  ),
];
