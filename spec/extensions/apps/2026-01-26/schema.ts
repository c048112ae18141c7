/**
 * The metadata that the MCP Apps extension puts into tools, resources and contents, under the type names of its text.
 * Written for this project; each docstring names the section of `apps.mdx`. The extension has no messages of its own
 * between client and server.
 */

/** Tools: `_meta.ui` (apps#resource-discovery). */
export interface McpUiToolMeta {
  /** The UI resource in which the results of the tool are shown. */
  resourceUri?: string;
  /** Callers of the tool; default: both. */
  visibility?: ('model' | 'app')[];
}

/** External origins that a view needs (apps#ui-resource-format). */
export interface McpUiResourceCsp {
  /** For requests over the network. */
  connectDomains?: string[];
  /** For scripts, styles, images, fonts and media. */
  resourceDomains?: string[];
  /** For frames inside of the view. */
  frameDomains?: string[];
  /** For the base of relative URLs. */
  baseUriDomains?: string[];
}

/** Browser features that a view asks for (apps#ui-resource-format). The text gives their values a type that any value has. */
export interface McpUiResourcePermissions {
  [feature: string]: unknown;
}

/** Resources and contents: `_meta.ui` (apps#ui-resource-format). */
export interface UIResourceMeta {
  /** External origins. */
  csp?: McpUiResourceCsp;
  /** Browser features. */
  permissions?: McpUiResourcePermissions;
  /** The origin of the view, in a form that the host defines. */
  domain?: string;
  /** Whether the host draws a border. */
  prefersBorder?: boolean;
}
