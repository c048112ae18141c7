/**
 * What travels in revision 2025-11-25, under the specification's own type names. Written for this project; each docstring
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

/** What the parameters of every request may hold (basic/index#_meta). */
export interface RequestParams {
  /** A token in here asks for progress notifications (basic/utilities/progress#progress-flow). */
  _meta?: { progressToken?: ProgressToken; [member: string]: unknown };
}

/** What the parameters of every notification may hold (basic/index#_meta). */
export interface NotificationParams {
  _meta?: Open;
}

/** Method and parameters of anything that wants an answer (basic/index#requests). */
export interface Request {
  method: string;
  params?: object;
}

/** Method and parameters of anything that wants no answer (basic/index#notifications). */
export interface Notification {
  method: string;
  params?: object;
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

/** A successful answer as it is on the wire (basic/index#result-responses). */
export interface JSONRPCResultResponse extends Versioned {
  id: RequestId;
  result: Result;
}

/** Why a request was refused (basic/index#error-responses). */
export interface Error {
  /**
   * A number of JSON-RPC (-32700, -32600 … -32603), -32042 or one of the sender.
   * @TJS-type integer
   */
  code: number;
  /** One short sentence. */
  message: string;
  /** Whatever else the sender wants to say. */
  data?: unknown;
}

/** A refusal as it is on the wire; without id when that could not be read (basic/index#error-responses). */
export interface JSONRPCErrorResponse extends Versioned {
  id?: RequestId;
  error: Error;
}

/** Either answer (basic/index#responses). */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/** Anything that may be sent (basic/index#messages). */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

// --- Lifecycle -------------------------------------------------------------------------------------------------------

/** A name for programs and one for people (schema#basemetadata). */
export interface BaseMetadata {
  name: string;
  /** Shown instead of the name. */
  title?: string;
}

/** A picture that stands for something (basic/index#icons). */
export interface Icon {
  /**
   * Often a `data:` or `https:` URI.
   * @format uri
   */
  src: string;
  mimeType?: string;
  /** `48x48`, or `any` for scalable pictures. */
  sizes?: string[];
  /** Which background it is made for. */
  theme?: 'light' | 'dark';
}

/** Anything that has such pictures (basic/index#icons). */
export interface Icons {
  icons?: Icon[];
}

/** Name, version and looks of a piece of software (basic/lifecycle#initialization). */
export interface Implementation extends BaseMetadata, Icons {
  version: string;
  description?: string;
  /** @format uri */
  websiteUrl?: string;
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
  sampling?: {
    /** `includeContext` is understood. */
    context?: Open;
    /** The model may use tools of the server. */
    tools?: Open;
  };
  /** The client asks its user for the server; `{}` means forms only (client/elicitation#capabilities). */
  elicitation?: { form?: Open; url?: Open };
  /** The client runs some requests as tasks (basic/utilities/tasks#client-capabilities). */
  tasks?: {
    list?: Open;
    cancel?: Open;
    /** Which requests. */
    requests?: { sampling?: { createMessage?: Open }; elicitation?: { create?: Open } };
  };
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
  /** The server runs some requests as tasks (basic/utilities/tasks#server-capabilities). */
  tasks?: {
    list?: Open;
    cancel?: Open;
    /** Which requests. */
    requests?: { tools?: { call?: Open } };
  };
}

/** What the client says of itself (basic/lifecycle#initialization). */
export interface InitializeRequestParams extends RequestParams {
  /** The revision the client wants, its latest. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/** Opens the conversation (basic/lifecycle#initialization). */
export interface InitializeRequest extends JSONRPCRequest {
  method: 'initialize';
  params: InitializeRequestParams;
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
export interface InitializedNotification extends JSONRPCNotification {
  method: 'notifications/initialized';
  params?: NotificationParams;
}

// --- Utilities of both sides -----------------------------------------------------------------------------------------

/** Are you there? (basic/utilities/ping#message-format) */
export interface PingRequest extends JSONRPCRequest {
  method: 'ping';
  params?: RequestParams;
}

/** Which request is given up, and why (basic/utilities/cancellation#cancellation-flow). */
export interface CancelledNotificationParams extends NotificationParams {
  /** A request of the same direction; tasks are cancelled by `tasks/cancel` instead. */
  requestId?: RequestId;
  /** For logs and people. */
  reason?: string;
}

/** The answer to an earlier request is no longer wanted (basic/utilities/cancellation#cancellation-flow). */
export interface CancelledNotification extends JSONRPCNotification {
  method: 'notifications/cancelled';
  params: CancelledNotificationParams;
}

/** Which request has got how far (basic/utilities/progress#progress-flow). */
export interface ProgressNotificationParams extends NotificationParams {
  /** As the request brought it. */
  progressToken: ProgressToken;
  /** Grows from one notification to the next; may be fractional. */
  progress: number;
  /** Where it will end, if known; may be fractional. */
  total?: number;
  /** For people. */
  message?: string;
}

/** How far a request has got (basic/utilities/progress#progress-flow). */
export interface ProgressNotification extends JSONRPCNotification {
  method: 'notifications/progress';
  params: ProgressNotificationParams;
}

/** Which page (server/utilities/pagination#request-format). */
export interface PaginatedRequestParams extends RequestParams {
  /** Taken from the page before; absent for the first page. */
  cursor?: Cursor;
}

/** A request for one page of a list (server/utilities/pagination#request-format). */
export interface PaginatedRequest extends JSONRPCRequest {
  params?: PaginatedRequestParams;
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
export interface Resource extends BaseMetadata, Icons, Annotated, Extensible {
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
export interface ResourceTemplate extends BaseMetadata, Icons, Annotated, Extensible {
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

/** The resource a request is about (schema#resourcerequestparams). */
export interface ResourceRequestParams extends RequestParams {
  /** @format uri */
  uri: string;
}

/** What to read (server/resources#reading-resources). */
export type ReadResourceRequestParams = ResourceRequestParams;

/** Give me the contents (server/resources#reading-resources). */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: 'resources/read';
  params: ReadResourceRequestParams;
}

/** The contents, possibly of several sub-resources (server/resources#reading-resources). */
export interface ReadResourceResult extends Result {
  contents: (TextResourceContents | BlobResourceContents)[];
}

/** What to watch (server/resources#subscriptions). */
export type SubscribeRequestParams = ResourceRequestParams;

/** Tell me when this resource changes (server/resources#subscriptions). */
export interface SubscribeRequest extends JSONRPCRequest {
  method: 'resources/subscribe';
  params: SubscribeRequestParams;
}

/** What to watch no longer (server/resources#subscriptions). */
export type UnsubscribeRequestParams = ResourceRequestParams;

/** No longer tell me (server/resources#subscriptions). */
export interface UnsubscribeRequest extends JSONRPCRequest {
  method: 'resources/unsubscribe';
  params: UnsubscribeRequestParams;
}

/** What has changed (server/resources#subscriptions). */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /** @format uri */
  uri: string;
}

/** A watched resource, or a part of it, has changed (server/resources#subscriptions). */
export interface ResourceUpdatedNotification extends JSONRPCNotification {
  method: 'notifications/resources/updated';
  params: ResourceUpdatedNotificationParams;
}

/** The list of resources has changed (server/resources#list-changed-notification). */
export interface ResourceListChangedNotification extends JSONRPCNotification {
  method: 'notifications/resources/list_changed';
  params?: NotificationParams;
}

// --- Prompts ---------------------------------------------------------------------------------------------------------

/** Something a prompt can be filled in with (server/prompts#prompt). */
export interface PromptArgument extends BaseMetadata {
  description?: string;
  required?: boolean;
}

/** A prompt or a template of one (server/prompts#prompt). */
export interface Prompt extends BaseMetadata, Icons, Extensible {
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

/** Which prompt, filled in with what (server/prompts#getting-a-prompt). */
export interface GetPromptRequestParams extends RequestParams {
  name: string;
  /** Argument name to text. */
  arguments?: { [name: string]: string };
}

/** Give me a prompt, filled in (server/prompts#getting-a-prompt). */
export interface GetPromptRequest extends JSONRPCRequest {
  method: 'prompts/get';
  params: GetPromptRequestParams;
}

/** The prompt as messages (server/prompts#getting-a-prompt). */
export interface GetPromptResult extends Result {
  description?: string;
  messages: PromptMessage[];
}

/** The list of prompts has changed (server/prompts#list-changed-notification). */
export interface PromptListChangedNotification extends JSONRPCNotification {
  method: 'notifications/prompts/list_changed';
  params?: NotificationParams;
}

// --- Tools -----------------------------------------------------------------------------------------------------------

/** The part of a JSON Schema of an object that MCP looks at. */
interface ObjectSchema {
  /** The dialect; 2020-12 when absent (basic/index#json-schema-usage). */
  $schema?: string;
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

/** How a tool may be run (basic/utilities/tasks#tool-level-negotiation). */
export interface ToolExecution {
  /** As a task never, perhaps or always; never when absent. */
  taskSupport?: 'forbidden' | 'optional' | 'required';
}

/** Something that can be called (server/tools#tool). */
export interface Tool extends BaseMetadata, Icons, Extensible {
  description?: string;
  /** JSON Schema of the arguments. */
  inputSchema: ObjectSchema;
  /** JSON Schema of the structured content (server/tools#output-schema). */
  outputSchema?: ObjectSchema;
  annotations?: ToolAnnotations;
  execution?: ToolExecution;
}

/** Which tools are there? (server/tools#listing-tools) */
export interface ListToolsRequest extends PaginatedRequest {
  method: 'tools/list';
}

/** A page of tools (server/tools#listing-tools). */
export interface ListToolsResult extends PaginatedResult {
  tools: Tool[];
}

/** Which tool, with what (server/tools#calling-tools). */
export interface CallToolRequestParams extends TaskAugmentedRequestParams {
  name: string;
  /** To be judged by the tool's input schema. */
  arguments?: Open;
}

/** Call this tool (server/tools#calling-tools). */
export interface CallToolRequest extends JSONRPCRequest {
  method: 'tools/call';
  params: CallToolRequestParams;
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
export interface ToolListChangedNotification extends JSONRPCNotification {
  method: 'notifications/tools/list_changed';
  params?: NotificationParams;
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

/** From which severity upwards (server/utilities/logging#setting-log-level). */
export interface SetLevelRequestParams extends RequestParams {
  level: LoggingLevel;
}

/** Send messages from this severity upwards (server/utilities/logging#setting-log-level). */
export interface SetLevelRequest extends JSONRPCRequest {
  method: 'logging/setLevel';
  params: SetLevelRequestParams;
}

/** What is logged (server/utilities/logging#log-message-notifications). */
export interface LoggingMessageNotificationParams extends NotificationParams {
  level: LoggingLevel;
  /** Which part of the server speaks. */
  logger?: string;
  /** Any JSON. */
  data: unknown;
}

/** A line of the server's log (server/utilities/logging#log-message-notifications). */
export interface LoggingMessageNotification extends JSONRPCNotification {
  method: 'notifications/message';
  params: LoggingMessageNotificationParams;
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

/** What is being typed (server/utilities/completion#completerequest). */
export interface CompleteRequestParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  argument: {
    name: string;
    /** What has been typed so far. */
    value: string;
  };
  /** Arguments that are settled already. */
  context?: { arguments?: { [name: string]: string } };
}

/** What could stand here? (server/utilities/completion#completerequest) */
export interface CompleteRequest extends JSONRPCRequest {
  method: 'completion/complete';
  params: CompleteRequestParams;
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

/** The model wants a tool called (client/sampling#sampling-with-tools). */
export interface ToolUseContent extends Extensible {
  type: 'tool_use';
  /** Ties the result to this call. */
  id: string;
  name: string;
  /** The arguments. */
  input: Open;
}

/** What a called tool had to say (client/sampling#tool-result-messages). */
export interface ToolResultContent extends Extensible {
  type: 'tool_result';
  /** The `id` of the call. */
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: Open;
  isError?: boolean;
}

/** Whatever can be said to or by a model (client/sampling#messages). */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** A message to or from a model (client/sampling#messages). */
export interface SamplingMessage extends Extensible {
  role: Role;
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
}

/** Whether the model has to use tools (client/sampling#tool-choice-modes). */
export interface ToolChoice {
  mode?: 'auto' | 'required' | 'none';
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

/** What the model is asked (client/sampling#creating-messages). */
export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  /** Whose context the model is to see as well; only with the capability `sampling.context`. */
  includeContext?: 'none' | 'thisServer' | 'allServers';
  temperature?: number;
  /** @TJS-type integer */
  maxTokens: number;
  stopSequences?: string[];
  /** For the provider of the model. */
  metadata?: Open;
  /** What the model may call; only with the capability `sampling.tools`. */
  tools?: Tool[];
  toolChoice?: ToolChoice;
}

/** Ask your model (client/sampling#creating-messages). */
export interface CreateMessageRequest extends JSONRPCRequest {
  method: 'sampling/createMessage';
  params: CreateMessageRequestParams;
}

/** What the model said (client/sampling#creating-messages). */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Its name. */
  model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or a word of the client. */
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
export interface ListRootsRequest extends JSONRPCRequest {
  method: 'roots/list';
  params?: RequestParams;
}

/** All roots, unpaged (client/roots#listing-roots). */
export interface ListRootsResult extends Result {
  roots: Root[];
}

/** The roots have changed (client/roots#root-list-changes). */
export interface RootsListChangedNotification extends JSONRPCNotification {
  method: 'notifications/roots/list_changed';
  params?: NotificationParams;
}

// --- Elicitation -----------------------------------------------------------------------------------------------------

/** What the user sees beside a field. */
interface Labelled {
  title?: string;
  description?: string;
}

/** A field for text (client/elicitation#requested-schema). */
export interface StringSchema extends Labelled {
  type: 'string';
  /** @TJS-type integer */
  minLength?: number;
  /** @TJS-type integer */
  maxLength?: number;
  format?: 'email' | 'uri' | 'date' | 'date-time';
  default?: string;
}

/** A field for a number; its bounds may be fractional (client/elicitation#requested-schema). */
export interface NumberSchema extends Labelled {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
  default?: number;
}

/** A field for yes or no (client/elicitation#requested-schema). */
export interface BooleanSchema extends Labelled {
  type: 'boolean';
  default?: boolean;
}

/** A word with the title the user sees. */
type Titled = { const: string; title: string };

/** A field for one of several words (client/elicitation#requested-schema). */
export interface UntitledSingleSelectEnumSchema extends Labelled {
  type: 'string';
  enum: string[];
  default?: string;
}

/** The same with titles (client/elicitation#requested-schema). */
export interface TitledSingleSelectEnumSchema extends Labelled {
  type: 'string';
  oneOf: Titled[];
  default?: string;
}

/** One word (client/elicitation#requested-schema). */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/** A field for any number of words. */
interface Several extends Labelled {
  type: 'array';
  /** @TJS-type integer */
  minItems?: number;
  /** @TJS-type integer */
  maxItems?: number;
  default?: string[];
}

/** A field for some of several words (client/elicitation#requested-schema). */
export interface UntitledMultiSelectEnumSchema extends Several {
  items: { type: 'string'; enum: string[] };
}

/** The same with titles (client/elicitation#requested-schema). */
export interface TitledMultiSelectEnumSchema extends Several {
  items: { anyOf: Titled[] };
}

/** Some words (client/elicitation#requested-schema). */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/** Titles as the revision before wrote them; to be given up (schema#legacytitledenumschema). */
export interface LegacyTitledEnumSchema extends Labelled {
  type: 'string';
  enum: string[];
  /** Shown instead of the words, in the same order. */
  enumNames?: string[];
  default?: string;
}

/** Any choice among words (client/elicitation#requested-schema). */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/** A field: flat, a list only of words (client/elicitation#requested-schema). */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** What the user is asked by a form of the client (client/elicitation#form-mode-elicitation-requests). */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  mode?: 'form';
  /** What the user is told. */
  message: string;
  /** The form, one property per field. */
  requestedSchema: {
    $schema?: string;
    type: 'object';
    properties: { [name: string]: PrimitiveSchemaDefinition };
    required?: string[];
  };
}

/** What the user is asked on a page of the server (client/elicitation#url-mode-elicitation-requests). */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  mode: 'url';
  /** What the user is told. */
  message: string;
  /** Comes back in the completion notification. */
  elicitationId: string;
  /** @format uri */
  url: string;
}

/** Either way of asking (client/elicitation#elicitation-requests). */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** Ask your user (client/elicitation#elicitation-requests). */
export interface ElicitRequest extends JSONRPCRequest {
  method: 'elicitation/create';
  params: ElicitRequestParams;
}

/** What the user did (client/elicitation#response-actions). */
export interface ElicitResult extends Result {
  action: 'accept' | 'decline' | 'cancel';
  /** The form filled in, after `accept`; numbers may be fractional. */
  content?: { [name: string]: string | number | boolean | string[] };
}

/** The user is done on the server's page (client/elicitation#completion-notifications-for-url-mode-elicitation). */
export interface ElicitationCompleteNotification extends JSONRPCNotification {
  method: 'notifications/elicitation/complete';
  params: { elicitationId: string };
}

/** Refused until the user has visited some pages (client/elicitation#url-elicitation-required-error). */
export interface URLElicitationRequiredError extends Versioned {
  id?: RequestId;
  error: Error & {
    code: -32042;
    data: { elicitations: ElicitRequestURLParams[]; [member: string]: unknown };
  };
}

// --- Tasks -----------------------------------------------------------------------------------------------------------

/** How a request wants to be run as a task (basic/utilities/tasks#task-parameters). */
export interface TaskMetadata {
  /**
   * Milliseconds from creation for which the task should be kept.
   * @TJS-type integer
   */
  ttl?: number;
}

/** Parameters of a request that can be run as a task (basic/utilities/tasks#creating-tasks). */
export interface TaskAugmentedRequestParams extends RequestParams {
  /** Present when it is to be. */
  task?: TaskMetadata;
}

/** Under `io.modelcontextprotocol/related-task` in `_meta` (basic/utilities/tasks#related-task-metadata). */
export interface RelatedTaskMetadata {
  taskId: string;
}

/** Where a task is in its life; the last three are final (basic/utilities/tasks#task-status). */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A request that is run in the background (basic/utilities/tasks#task). */
export interface Task {
  taskId: string;
  status: TaskStatus;
  /** For people. */
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds from creation for which it is kept, null for ever. */
  ttl: number | null;
  /**
   * Milliseconds to leave between two questions.
   * @TJS-type integer
   */
  pollInterval?: number;
}

/** Answers a request that is now a task (basic/utilities/tasks#creating-tasks). */
export interface CreateTaskResult extends Result {
  task: Task;
}

/** The task a request is about. */
type ById = { taskId: string };

/** How is it going? (basic/utilities/tasks#getting-tasks) */
export interface GetTaskRequest extends JSONRPCRequest {
  method: 'tasks/get';
  params: ById;
}

/** The task as it stands (basic/utilities/tasks#getting-tasks). */
export type GetTaskResult = Result & Task;

/** Give me the result, when there is one (basic/utilities/tasks#retrieving-task-results). */
export interface GetTaskPayloadRequest extends JSONRPCRequest {
  method: 'tasks/result';
  params: ById;
}

/** The result of the request that became a task (basic/utilities/tasks#retrieving-task-results). */
export interface GetTaskPayloadResult extends Result {
  [member: string]: unknown;
}

/** Give it up (basic/utilities/tasks#cancelling-tasks). */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: 'tasks/cancel';
  params: ById;
}

/** The task given up (basic/utilities/tasks#cancelling-tasks). */
export type CancelTaskResult = Result & Task;

/** Which tasks are there? (basic/utilities/tasks#listing-tasks) */
export interface ListTasksRequest extends PaginatedRequest {
  method: 'tasks/list';
}

/** A page of tasks (basic/utilities/tasks#listing-tasks). */
export interface ListTasksResult extends PaginatedResult {
  tasks: Task[];
}

/** The task as it stands now (basic/utilities/tasks#task-status-notification). */
export type TaskStatusNotificationParams = NotificationParams & Task;

/** A task has changed its status (basic/utilities/tasks#task-status-notification). */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: 'notifications/tasks/status';
  params: TaskStatusNotificationParams;
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
  | CompleteRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | CancelTaskRequest
  | ListTasksRequest;

/** Notifications of a client (basic/lifecycle#operation). */
export type ClientNotification =
  | InitializedNotification
  | CancelledNotification
  | ProgressNotification
  | RootsListChangedNotification
  | TaskStatusNotification;

/** Answers of a client (basic/lifecycle#operation). */
export type ClientResult =
  | EmptyResult
  | CreateMessageResult
  | ListRootsResult
  | ElicitResult
  | CreateTaskResult
  | GetTaskResult
  | GetTaskPayloadResult
  | CancelTaskResult
  | ListTasksResult;

/** Requests of a server (basic/lifecycle#operation). */
export type ServerRequest =
  | PingRequest
  | CreateMessageRequest
  | ListRootsRequest
  | ElicitRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | CancelTaskRequest
  | ListTasksRequest;

/** Notifications of a server (basic/lifecycle#operation). */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | ToolListChangedNotification
  | LoggingMessageNotification
  | ElicitationCompleteNotification
  | TaskStatusNotification;

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
  | CompleteResult
  | CreateTaskResult
  | GetTaskResult
  | GetTaskPayloadResult
  | CancelTaskResult
  | ListTasksResult;
