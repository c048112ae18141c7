/** basic/transports#stdio and basic/lifecycle#stdio: faults of clients with a server process. */

import { metaOf } from '../../../harness/record/envelope.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onBehaviour, onBytes, onOpened } from '../fault.js';

const over = ['stdio'] as const;
const asked = 'resources/templates/list';

/** Changes the frames of one of its requests. */
const onListing = (change: (text: string) => string | Buffer) =>
  onBytes(text => (text.includes(`"${asked}"`) ? change(text) : text));

export const stdioFaults = [
  clientFault(
    'client-lines-end-in-crlf',
    {
      what: 'The client ends the line of resources/templates/list with CR LF.',
      breaks: ['stdio.lines-end-in-lf'],
      shows: ['stdio.lines-end-in-lf#crlf'],
      over,
    },
    onListing(text => text.replace('\n', '\r\n')),
  ),

  clientFault(
    'client-pretty-lines',
    {
      what: 'The client writes resources/templates/list as JSON over several lines.',
      breaks: ['stdio.no-embedded-newlines'],
      shows: ['stdio.no-embedded-newlines#several-lines'],
      over,
    },
    onListing(text => `${JSON.stringify(JSON.parse(text), null, 2)}\n`),
  ),

  clientFault(
    'client-talks-to-server',
    {
      what: "The client writes a line that is not a message to the server's standard input.",
      breaks: ['stdio.client-stdin-pure'],
      shows: ['stdio.client-stdin-pure#other-line'],
      over,
    },
    onOpened(context => context.write('Hello, server!\n')),
  ),

  clientFault(
    'client-writes-latin-1',
    {
      what: 'The client writes resources/templates/list in Latin-1.',
      breaks: ['transport.utf8'],
      shows: ['transport.utf8#other-encoding'],
      over,
    },
    onAsk(asked, ask => ({
      ...ask,
      params: {
        ...paramsOf(ask),
        _meta: { ...metaOf({ params: paramsOf(ask) }), 'x.example/y': 'é' },
      },
    })),
    onListing(text => Buffer.from(text, 'latin1')),
  ),

  clientFault(
    'client-fears-stderr',
    {
      what: 'The client disconnects when the server writes to stderr.',
      breaks: ['stdio.stderr-not-failure'],
      shows: ['stdio.stderr-not-failure#disconnects'],
      over,
    },
    onBehaviour(habits => {
      habits.fearsStderr = true;
    }),
  ),

  clientFault(
    'client-terminates-server',
    {
      what: "The client sends SIGTERM without closing the server's standard input first.",
      breaks: ['stdio.client-shutdown-sequence'],
      shows: ['stdio.client-shutdown-sequence#signal-first'],
      over,
    },
    onBehaviour(habits => {
      habits.closesInput = false;
    }),
  ),

  clientFault(
    'client-impatient-with-server',
    {
      what: "The client sends SIGTERM immediately after closing the server's standard input.",
      breaks: ['stdio.client-shutdown-sequence'],
      shows: ['stdio.client-shutdown-sequence#signal-at-once'],
      over,
    },
    onBehaviour(habits => {
      habits.graceMs = 0;
    }),
  ),

  clientFault(
    'client-kills-server',
    {
      what: 'The client sends SIGKILL without SIGTERM to a server that does not exit after its input is closed.',
      breaks: ['stdio.client-shutdown-sequence'],
      shows: ['stdio.client-shutdown-sequence#kill-at-once'],
      over,
    },
    onBehaviour(habits => {
      habits.signals = ['SIGKILL'];
    }),
  ),

  clientFault(
    'client-leaves-server-running',
    {
      what: "The client closes the server's standard input and does not terminate a server that continues to run.",
      breaks: ['stdio.client-shutdown-sequence'],
      shows: ['stdio.client-shutdown-sequence#left-running'],
      over,
    },
    onBehaviour(habits => {
      habits.signals = [];
    }),
  ),
];
