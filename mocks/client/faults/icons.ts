/** basic/index#icons: faults of clients that fetch icons. */

import { type ClientMiddleware, clientFault, onBehaviour } from '../fault.js';
import type { IconHabits } from '../icons.js';

const over = ['streamable-http'] as const;

const icons = (change: Partial<IconHabits>): ClientMiddleware =>
  onBehaviour(habits => {
    Object.assign(habits.icons, change);
  });

export const iconFaults = [
  clientFault(
    'client-icons-with-cookies',
    {
      what: 'The client sends a Cookie header in icon requests.',
      breaks: ['icons.security-precautions'],
      shows: ['icons.security-precautions#credentials'],
      over,
    },
    icons({ headers: { cookie: 'user=1' } }),
  ),

  clientFault(
    'client-icons-behind-redirects',
    {
      what: 'The client follows a redirect of an icon request to another host.',
      breaks: ['icons.unsafe-schemes-rejected'],
      shows: ['icons.unsafe-schemes-rejected#redirect'],
      over,
    },
    icons({ follows: true }),
  ),

  clientFault(
    'client-icons-of-any-scheme',
    {
      what: 'The client fetches an icon with a ws: URL.',
      breaks: ['icons.unsafe-schemes-rejected'],
      shows: ['icons.unsafe-schemes-rejected#unsafe-scheme'],
      over,
    },
    icons({ fits: (icon, server) => icon.origin === server.origin || icon.protocol === 'ws:' }),
  ),

  clientFault(
    'client-icons-of-anybody',
    {
      what: 'The client fetches icons from any host.',
      breaks: ['icons.same-origin'],
      shows: ['icons.same-origin#fetched'],
      over,
    },
    icons({ fits: icon => icon.protocol === 'http:' }),
  ),
];
