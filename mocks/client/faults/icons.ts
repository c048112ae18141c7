/** basic/index#icons: what clients do wrong that fetch icons. */

import { type ClientMiddleware, clientFault, onHabits } from '../fault.js';
import type { IconHabits } from '../icons.js';

const over = ['streamable-http'] as const;

const icons = (change: Partial<IconHabits>): ClientMiddleware =>
  onHabits(habits => {
    Object.assign(habits.icons, change);
  });

export const iconFaults = [
  clientFault(
    'client-icons-with-cookies',
    { what: 'The client sends a cookie for an icon.', breaks: ['icons.security-precautions'], over },
    icons({ headers: { cookie: 'user=1' } }),
  ),

  clientFault(
    'client-icons-behind-redirects',
    {
      what: 'The client goes to another host where an icon is said to be there.',
      breaks: ['icons.unsafe-schemes-rejected'],
      over,
    },
    icons({ follows: true }),
  ),

  clientFault(
    'client-icons-of-any-scheme',
    {
      what: 'The client opens what an icon names by a scheme of another kind.',
      breaks: ['icons.unsafe-schemes-rejected'],
      over,
    },
    icons({ fits: (icon, server) => icon.origin === server.origin || icon.protocol === 'ws:' }),
  ),

  clientFault(
    'client-icons-of-anybody',
    { what: 'The client fetches icons from any host.', breaks: ['icons.same-origin'], over },
    icons({ fits: icon => icon.protocol === 'http:' }),
  ),
];
