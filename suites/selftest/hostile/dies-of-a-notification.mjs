// A server that conforms until a notification is unknown.
import { answer, serve } from './tiny.mjs';

const known = ['notifications/initialized', 'notifications/cancelled', 'notifications/roots/list_changed'];

serve(message => {
  if (message.id === undefined && message.method && !known.includes(message.method)) process.exit(70);
  answer(message);
});
