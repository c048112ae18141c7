/**
 * What travels in revision 2025-06-18, under the specification's own type names. Written for this project; each docstring
 * names the page below `/specification/2024-11-05/`. `npm run spec` turns the exported types into `schema.json`;
 * objects are open, as everywhere in MCP. A type that is not exported is spelled out wherever it is used.
 */

// --- JSON-RPC --------------------------------------------------------------------------------------------------------

/** Any object: members under names of the sender's choosing. */
type Open = { [member: string]: unknown };

/** Anything with room for metadata (basic/index#_meta). */
interface Extensible {
  _meta?: Open;
}

/** The version marker of every message. */
interface Versioned {
  jsonrpc: '2.0';
}

/** Names a request until it is answered: a string or an integer (basic/index#requests). */
export type RequestId = string | number;

/** Chosen by whoever asks for progress: a string or an integer (basic/utilities/progress#progress-flow). */
export type ProgressToken = string | number;

/** Where a list goes on; meaningless to everyone but its issuer (server/utilities/pagination#pagination-model). */
export type Cursor = string;

/** Method and parameters of anything that wants an answer (basic/index#requests). */
export interface Request {
  method: string;
  params?: {
    /** A token in here asks for progress notifications (basic/utilities/progress#progress-flow). */
    _meta?: { progressToken?: ProgressToken; [member: string]: unknown };
    [member: string]: unknown;
  };
}

/** Method and parameters of anything that wants no answer (basic/index#notifications). */
export interface Notification {
  method: string;
  params?: {
    /** Reserved for metadata. */
    _meta?: Open;
    [member: string]: unknown;
  };
}

/** What a request is answered with when it succeeds (basic/index#responses). */
export interface Result {
  /** Reserved for metadata. */
  _meta?: Open;
  [member: string]: unknown;
}

/** Success without anything to tell, e.g. the answer to a ping (basic/utilities/ping#message-format). */
export type EmptyResult = Result;

/** A request as it is on the wire (basic/index#requests). */
export interface JSONRPCRequest extends Request, Versioned {
  id: RequestId;
}

/** A notification as it is on the wire: no id (basic/index#notifications). */
export interface JSONRPCNotification extends Notification, Versioned {}

/** A successful answer as it is on the wire (basic/index#responses). */
export interface JSONRPCResponse extends Versioned {
  id: RequestId;
  result: Result;
}

/** A refusal as it is on the wire (basic/index#responses). */
export interface JSONRPCError extends Versioned {
  id: RequestId;
  error: {
    /**
     * A number of JSON-RPC (-32700, -32600 … -32603) or of the sender.
     * @TJS-type integer
     */
    code: number;
    /** One short sentence. */
    message: string;
    /** Whatever else the sender wants to say. */
    data?: unknown;
  };
}

/** Anything that may be sent (basic/index#messages). */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

// --- Lifecycle -------------------------------------------------------------------------------------------------------

/** A name for programs and one for people (schema#basemetadata). */
export interface BaseMetadata {
  name: string;
  /** Shown instead of the name. */
  title?: string;
}

/** Name and version of a piece of software (basic/lifecycle#initialization). */
export interface Implementation extends BaseMetadata {
  version: string;
}

/** What a client can do; more members are allowed (basic/lifecycle#capability-negotiation). */
export interface ClientCapabilities {
  /** Outside the standard. */
  experimental?: { [name: string]: Open };
  /** The client tells its roots (client/roots#capabilities). */
  roots?: {
    /** … and tells when they change. */
    listChanged?: boolean;
  };
  /** The client lets its model be used (client/sampling#capabilities). */
  sampling?: Open;
  /** The client asks its user for the server (client/elicitation#capabilities). */
  elicitation?: Open;
}

/** A list that may be announced as changed. */
interface Listing {
  /** Changes are announced. */
  listChanged?: boolean;
}

/** What a server can do; more members are allowed (basic/lifecycle#capability-negotiation). */
export interface ServerCapabilities {
  /** Outside the standard. */
  experimental?: { [name: string]: Open };
  /** The server sends log messages (server/utilities/logging#capabilities). */
  logging?: Open;
  /** The server completes arguments (server/utilities/completion#capabilities). */
  completions?: Open;
  /** The server has prompts (server/prompts#capabilities). */
  prompts?: Listing;
  /** The server has resources (server/resources#capabilities). */
  resources?: {
    /** Single resources can be watched. */
    subscribe?: boolean;
    /** Changes of the list are announced. */
    listChanged?: boolean;
  };
  /** The server has tools (server/tools#capabilities). */
  tools?: Listing;
}

/** Opens the conversation (basic/lifecycle#initialization). */
export interface InitializeRequest extends Request {
  method: 'initialize';
  params: {
    /** The revision the client wants, its latest. */
    protocolVersion: string;
    capabilities: ClientCapabilities;
    clientInfo: Implementation;
  };
}

/** The server's side of the opening (basic/lifecycle#initialization). */
export interface InitializeResult extends Result {
  /** The revision the server wants; the client leaves if it cannot follow. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** Advice on using the server, for the model. */
  instructions?: string;
}

/** The client is ready, normal operation begins (basic/lifecycle#initialization). */
export interface InitializedNotification extends Notification {
  method: 'notifications/initialized';
}

// --- Utilities of both sides -----------------------------------------------------------------------------------------

/** Are you there? (basic/utilities/ping#message-format) */
export interface PingRequest extends Request {
  method: 'ping';
}

/** The answer to an earlier request is no longer wanted (basic/utilities/cancellation#cancellation-flow). */
export interface CancelledNotification extends Notification {
  method: 'notifications/cancelled';
  params: {
    /** A request of the same direction. */
    requestId: RequestId;
    /** For logs and people. */
    reason?: string;
  };
}

/** How far a request has got (basic/utilities/progress#progress-flow). */
export interface ProgressNotification extends Notification {
  method: 'notifications/progress';
  params: {
    /** As the request brought it. */
    progressToken: ProgressToken;
    /** Grows from one notification to the next; may be fractional. */
    progress: number;
    /** Where it will end, if known; may be fractional. */
    total?: number;
    /** For people. */
    message?: string;
  };
}

/** A request for one page of a list (server/utilities/pagination#request-format). */
export interface PaginatedRequest extends Request {
  params?: {
    /** Taken from the page before; absent for the first page. */
    cursor?: Cursor;
  };
}

/** One page of a list (server/utilities/pagination#response-format). */
export interface PaginatedResult extends Result {
  /** Present when there may be more. */
  nextCursor?: Cursor;
}

// --- Content ---------------------------------------------------------------------------------------------------------

/** The two parties of a conversation with a model (server/prompts#promptmessage). */
export type Role = 'user' | 'assistant';

/** Hints about the use of something (server/resources#annotations). */
export interface Annotations {
  /** For whom it is meant. */
  audience?: Role[];
  /**
   * From 0, dispensable, to 1, indispensable.
   * @minimum 0
   * @maximum 1
   */
  priority?: number;
  /** ISO 8601. */
  lastModified?: string;
}

/** Anything that carries such hints. */
interface Annotated {
  annotations?: Annotations;
}

/** Words (server/tools#text-content). */
export interface TextContent extends Annotated, Extensible {
  type: 'text';
  text: string;
}

/** A picture, in base64 (server/tools#image-content). */
export interface ImageContent extends Annotated, Extensible {
  type: 'image';
  /** @format byte */
  data: string;
  mimeType: string;
}

/** A sound, in base64 (server/tools#audio-content). */
export interface AudioContent extends Annotated, Extensible {
  type: 'audio';
  /** @format byte */
  data: string;
  mimeType: string;
}

/** What all contents of a resource have (server/resources#resource-contents). */
export interface ResourceContents extends Extensible {
  /** @format uri */
  uri: string;
  mimeType?: string;
}

/** Contents that are text (server/resources#text-content). */
export interface TextResourceContents extends ResourceContents {
  text: string;
}

/** Contents that are bytes, in base64 (server/resources#binary-content). */
export interface BlobResourceContents extends ResourceContents {
  /** @format byte */
  blob: string;
}

/** A resource inside a message, contents included (server/tools#embedded-resources). */
export interface EmbeddedResource extends Annotated, Extensible {
  type: 'resource';
  resource: TextResourceContents | BlobResourceContents;
}

/** A resource named in a message, contents to be read separately (server/tools#resource-links). */
export interface ResourceLink extends Resource {
  type: 'resource_link';
}

/** Whatever a tool or prompt can say (server/tools#tool-result). */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

// --- Resources -------------------------------------------------------------------------------------------------------

/** Something that can be read (server/resources#resource). */
export interface Resource extends BaseMetadata, Annotated, Extensible {
  /** @format uri */
  uri: string;
  description?: string;
  mimeType?: string;
  /**
   * Bytes, before any encoding.
   * @TJS-type integer
   */
  size?: number;
}

/** A pattern of URIs that can be read (server/resources#resource-templates). */
export interface ResourceTemplate extends BaseMetadata, Annotated, Extensible {
  /**
   * RFC 6570.
   * @format uri-template
   */
  uriTemplate: string;
  description?: string;
  /** Only when all matching resources share it. */
  mimeType?: string;
}

/** Which resources are there? (server/resources#listing-resources) */
export interface ListResourcesRequest extends PaginatedRequest {
  method: 'resources/list';
}

/** A page of resources (server/resources#listing-resources). */
export interface ListResourcesResult extends PaginatedResult {
  resources: Resource[];
}

/** Which templates are there? (server/resources#resource-templates) */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: 'resources/templates/list';
}

/** A page of templates (server/resources#resource-templates). */
export interface ListResourceTemplatesResult extends PaginatedResult {
  resourceTemplates: ResourceTemplate[];
}

/** The resource a request or notification is about. */
type ByUri = {
  /** @format uri */
  uri: string;
};

/** Give me the contents (server/resources#reading-resources). */
export interface ReadResourceRequest extends Request {
  method: 'resources/read';
  params: ByUri;
}

/** The contents, possibly of several sub-resources (server/resources#reading-resources). */
export interface ReadResourceResult extends Result {
  contents: (TextResourceContents | BlobResourceContents)[];
}

/** Tell me when this resource changes (server/resources#subscriptions). */
export interface SubscribeRequest extends Request {
  method: 'resources/subscribe';
  params: ByUri;
}

/** No longer tell me (server/resources#subscriptions). */
export interface UnsubscribeRequest extends Request {
  method: 'resources/unsubscribe';
  params: ByUri;
}

/** A watched resource, or a part of it, has changed (server/resources#subscriptions). */
export interface ResourceUpdatedNotification extends Notification {
  method: 'notifications/resources/updated';
  params: ByUri;
}

/** The list of resources has changed (server/resources#list-changed-notification). */
export interface ResourceListChangedNotification extends Notification {
  method: 'notifications/resources/list_changed';
}

// --- Prompts ---------------------------------------------------------------------------------------------------------

/** Something a prompt can be filled in with (server/prompts#prompt). */
export interface PromptArgument extends BaseMetadata {
  description?: string;
  required?: boolean;
}

/** A prompt or a template of one (server/prompts#prompt). */
export interface Prompt extends BaseMetadata, Extensible {
  description?: string;
  arguments?: PromptArgument[];
}

/** One message of a prompt (server/prompts#promptmessage). */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** Which prompts are there? (server/prompts#listing-prompts) */
export interface ListPromptsRequest extends PaginatedRequest {
  method: 'prompts/list';
}

/** A page of prompts (server/prompts#listing-prompts). */
export interface ListPromptsResult extends PaginatedResult {
  prompts: Prompt[];
}

/** Give me a prompt, filled in (server/prompts#getting-a-prompt). */
export interface GetPromptRequest extends Request {
  method: 'prompts/get';
  params: {
    name: string;
    /** Argument name to text. */
    arguments?: { [name: string]: string };
  };
}

/** The prompt as messages (server/prompts#getting-a-prompt). */
export interface GetPromptResult extends Result {
  description?: string;
  messages: PromptMessage[];
}

/** The list of prompts has changed (server/prompts#list-changed-notification). */
export interface PromptListChangedNotification extends Notification {
  method: 'notifications/prompts/list_changed';
}

// --- Tools -----------------------------------------------------------------------------------------------------------

/** The part of a JSON Schema of an object that MCP looks at. */
interface ObjectSchema {
  type: 'object';
  properties?: { [name: string]: Open };
  required?: string[];
}

/** Hints about the behaviour of a tool, not to be trusted (server/tools#tool). */
export interface ToolAnnotations {
  /** For people. */
  title?: string;
  /** Changes nothing. */
  readOnlyHint?: boolean;
  /** May destroy something. */
  destructiveHint?: boolean;
  /** A second identical call changes nothing more. */
  idempotentHint?: boolean;
  /** Deals with the world outside. */
  openWorldHint?: boolean;
}

/** Something that can be called (server/tools#tool). */
export interface Tool extends BaseMetadata, Extensible {
  description?: string;
  /** JSON Schema of the arguments. */
  inputSchema: ObjectSchema;
  /** JSON Schema of the structured content (server/tools#output-schema). */
  outputSchema?: ObjectSchema;
  annotations?: ToolAnnotations;
}

/** Which tools are there? (server/tools#listing-tools) */
export interface ListToolsRequest extends PaginatedRequest {
  method: 'tools/list';
}

/** A page of tools (server/tools#listing-tools). */
export interface ListToolsResult extends PaginatedResult {
  tools: Tool[];
}

/** Call this tool (server/tools#calling-tools). */
export interface CallToolRequest extends Request {
  method: 'tools/call';
  params: {
    name: string;
    /** To be judged by the tool's input schema. */
    arguments?: Open;
  };
}

/** What the tool had to say (server/tools#tool-result). */
export interface CallToolResult extends Result {
  content: ContentBlock[];
  /** An object, to be judged by the tool's output schema (server/tools#structured-content). */
  structuredContent?: Open;
  /** The tool itself failed, and the model should see it (server/tools#error-handling). */
  isError?: boolean;
}

/** The list of tools has changed (server/tools#list-changed-notification). */
export interface ToolListChangedNotification extends Notification {
  method: 'notifications/tools/list_changed';
}

// --- Logging ---------------------------------------------------------------------------------------------------------

/** Severities of RFC 5424, mildest first (server/utilities/logging#log-levels). */
export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency';

/** Send messages from this severity upwards (server/utilities/logging#setting-log-level). */
export interface SetLevelRequest extends Request {
  method: 'logging/setLevel';
  params: { level: LoggingLevel };
}

/** A line of the server's log (server/utilities/logging#log-message-notifications). */
export interface LoggingMessageNotification extends Notification {
  method: 'notifications/message';
  params: {
    level: LoggingLevel;
    /** Which part of the server speaks. */
    logger?: string;
    /** Any JSON. */
    data: unknown;
  };
}

// --- Completion ------------------------------------------------------------------------------------------------------

/** Completes an argument of a prompt (server/utilities/completion#reference-types). */
export interface PromptReference extends BaseMetadata {
  type: 'ref/prompt';
}

/** Completes a variable of a resource template (server/utilities/completion#reference-types). */
export interface ResourceTemplateReference {
  type: 'ref/resource';
  /** @format uri-template */
  uri: string;
}

/** What could stand here? (server/utilities/completion#completerequest) */
export interface CompleteRequest extends Request {
  method: 'completion/complete';
  params: {
    ref: PromptReference | ResourceTemplateReference;
    argument: {
      name: string;
      /** What has been typed so far. */
      value: string;
    };
    /** Arguments that are settled already. */
    context?: { arguments?: { [name: string]: string } };
  };
}

/** Suggestions, best first (server/utilities/completion#completeresult). */
export interface CompleteResult extends Result {
  completion: {
    /** A hundred at most. */
    values: string[];
    /**
     * How many there would be.
     * @TJS-type integer
     */
    total?: number;
    /** There are more than are listed here. */
    hasMore?: boolean;
  };
}

// --- Sampling --------------------------------------------------------------------------------------------------------

/** A message to or from a model (client/sampling#messages). */
export interface SamplingMessage {
  role: Role;
  content: TextContent | ImageContent | AudioContent;
}

/** A model the server would like, by part of its name (client/sampling#model-hints). */
export interface ModelHint {
  name?: string;
}

/** What matters to the server in a model; advice only (client/sampling#model-preferences). */
export interface ModelPreferences {
  /** First match wins. */
  hints?: ModelHint[];
  /**
   * 0: money is no object.
   * @minimum 0
   * @maximum 1
   */
  costPriority?: number;
  /**
   * 0: there is time.
   * @minimum 0
   * @maximum 1
   */
  speedPriority?: number;
  /**
   * 0: any model will do.
   * @minimum 0
   * @maximum 1
   */
  intelligencePriority?: number;
}

/** Ask your model (client/sampling#creating-messages). */
export interface CreateMessageRequest extends Request {
  method: 'sampling/createMessage';
  params: {
    messages: SamplingMessage[];
    modelPreferences?: ModelPreferences;
    systemPrompt?: string;
    /** Whose context the model is to see as well. */
    includeContext?: 'none' | 'thisServer' | 'allServers';
    temperature?: number;
    /** @TJS-type integer */
    maxTokens: number;
    stopSequences?: string[];
    /** For the provider of the model. */
    metadata?: Open;
  };
}

/** What the model said (client/sampling#creating-messages). */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Its name. */
  model: string;
  /** `endTurn`, `stopSequence`, `maxTokens` or a word of the client. */
  stopReason?: string;
}

// --- Roots -----------------------------------------------------------------------------------------------------------

/** A place the server may work in (client/roots#root). */
export interface Root extends Extensible {
  /**
   * A `file://` URI, for now.
   * @format uri
   */
  uri: string;
  name?: string;
}

/** Where may I work? (client/roots#listing-roots) */
export interface ListRootsRequest extends Request {
  method: 'roots/list';
}

/** All roots, unpaged (client/roots#listing-roots). */
export interface ListRootsResult extends Result {
  roots: Root[];
}

/** The roots have changed (client/roots#root-list-changes). */
export interface RootsListChangedNotification extends Notification {
  method: 'notifications/roots/list_changed';
}

// --- Elicitation -----------------------------------------------------------------------------------------------------

/** What the user sees beside a field. */
interface Labelled {
  title?: string;
  description?: string;
}

/** A field for text (client/elicitation#supported-schema-types). */
export interface StringSchema extends Labelled {
  type: 'string';
  /** @TJS-type integer */
  minLength?: number;
  /** @TJS-type integer */
  maxLength?: number;
  format?: 'email' | 'uri' | 'date' | 'date-time';
}

/** A field for a number; its bounds may be fractional (client/elicitation#supported-schema-types). */
export interface NumberSchema extends Labelled {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
}

/** A field for yes or no (client/elicitation#supported-schema-types). */
export interface BooleanSchema extends Labelled {
  type: 'boolean';
  default?: boolean;
}

/** A field for one of several words (client/elicitation#supported-schema-types). */
export interface EnumSchema extends Labelled {
  type: 'string';
  enum: string[];
  /** Shown instead of the words, in the same order. */
  enumNames?: string[];
}

/** A field: flat, never an object or a list (client/elicitation#supported-schema-types). */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** Ask your user (client/elicitation#creating-elicitation-requests). */
export interface ElicitRequest extends Request {
  method: 'elicitation/create';
  params: {
    /** What the user is told. */
    message: string;
    /** The form, one property per field. */
    requestedSchema: {
      type: 'object';
      properties: { [name: string]: PrimitiveSchemaDefinition };
      required?: string[];
    };
  };
}

/** What the user did (client/elicitation#response-actions). */
export interface ElicitResult extends Result {
  action: 'accept' | 'decline' | 'cancel';
  /** The form filled in, after `accept`; numbers may be fractional. */
  content?: { [name: string]: string | number | boolean };
}

// --- Who may send what: the vocabulary is computed from these --------------------------------------------------------

/** Requests of a client (basic/lifecycle#operation). */
export type ClientRequest =
  | InitializeRequest
  | PingRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | ListPromptsRequest
  | GetPromptRequest
  | ListToolsRequest
  | CallToolRequest
  | SetLevelRequest
  | CompleteRequest;

/** Notifications of a client (basic/lifecycle#operation). */
export type ClientNotification =
  | InitializedNotification
  | CancelledNotification
  | ProgressNotification
  | RootsListChangedNotification;

/** Answers of a client (basic/lifecycle#operation). */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult | ElicitResult;

/** Requests of a server (basic/lifecycle#operation). */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest | ElicitRequest;

/** Notifications of a server (basic/lifecycle#operation). */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | ToolListChangedNotification
  | LoggingMessageNotification;

/** Answers of a server (basic/lifecycle#operation). */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | ListPromptsResult
  | GetPromptResult
  | ListToolsResult
  | CallToolResult
  | CompleteResult;
