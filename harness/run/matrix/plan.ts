/** The cells of a matrix: every client with every server, on each transport and revision that both offer. */

import { definedRevisions, type RevisionId, type TransportId } from '../../../spec/revisions.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Script } from '../../scenario/script.js';
import type { Endpoint } from '../../subject/subject.js';

/** Words of a command that prepares a program, with its folder. */
export interface Installation {
  readonly command: readonly string[];
  readonly cwd: string;
}

interface Program {
  readonly name: string;
  /** A line for the report: the library and its version. */
  readonly about: string;
  /** Runs once before the first cell of the program. */
  readonly install?: Installation;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly revisions: readonly RevisionId[];
}

/** How to start a server for one transport. `{port}` is a free port, `{revision}` the revision of the cell. */
export interface ServerPlace {
  /** Absent for a server that is running already. */
  readonly command?: readonly string[];
  /** The endpoint; absent for stdio. */
  readonly url?: string;
}

export interface MatrixServer extends Program {
  readonly places: Readonly<Partial<Record<TransportId, ServerPlace>>>;
}

export interface MatrixClient extends Program {
  /** A client as for `mcp-conform client`; `{revision}` in its words and variables is the revision of the cell. */
  readonly command: readonly string[];
  readonly transports: readonly TransportId[];
  /** Starts a client in this process in place of the command. */
  readonly start?: (task: ClientTask) => Endpoint;
}

export interface Matrix {
  readonly title: string;
  readonly servers: readonly MatrixServer[];
  readonly clients: readonly MatrixClient[];
  readonly steps: Script;
}

export interface Cell {
  readonly name: string;
  readonly server: MatrixServer;
  readonly client: MatrixClient;
  /** Null together with `revision`: the pair has no transport and revision in common. */
  readonly transport: TransportId | null;
  readonly revision: RevisionId | null;
}

const transports: readonly TransportId[] = ['stdio', 'streamable-http', 'http-sse'];

/** The transports of a server, in a fixed order. */
export const transportsOf = ({ places }: MatrixServer): readonly TransportId[] =>
  transports.filter(transport => places[transport] !== undefined);

/**
 * All cells, in the order of the file. A pair without a common transport and revision has one cell without both, so
 * that the table shows the reason.
 */
export function planCells({ servers, clients }: Matrix): readonly Cell[] {
  return servers.flatMap(server =>
    clients.flatMap((client): readonly Cell[] => {
      const common = transports
        .filter(t => server.places[t] !== undefined && client.transports.includes(t))
        .flatMap(transport =>
          definedRevisions
            .filter(r => r.transports.includes(transport))
            .filter(r => server.revisions.includes(r.id) && client.revisions.includes(r.id))
            .map(({ id }) => ({
              name: `${server.name}/${client.name}/${transport}/${id}`,
              server,
              client,
              transport,
              revision: id,
            })),
        );
      if (common.length > 0) return common;
      return [{ name: `${server.name}/${client.name}`, server, client, transport: null, revision: null }];
    }),
  );
}
