/**
 * What travels in revision 2026-07-28, under the specification's own type names. Written for this project; each docstring
 * names the page below `/specification/2026-07-28/`. `npm run spec` turns the exported types into `schema.json`;
 * objects are open, as everywhere in MCP. A type that is not exported is spelled out wherever it is used.
 */

// --- JSON ------------------------------------------------------------------------------------------------------------

/** Any JSON value; whole numbers, fractions and null included (schema#jsonvalue). */
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;

/** A JSON object (schema#jsonobject). */
export type JSONObject = { [member: string]: JSONValue };

/** A JSON array (schema#jsonarray). */
export type JSONArray = JSONValue[];

// --- JSON-RPC --------------------------------------------------------------------------------------------------------

/** Any object: members under names of the sender's choosing. */
type Open = { [member: string]: unknown };

/** Metadata under names of the sender's choosing, those with a reserved prefix excepted (basic/index#_meta). */
export interface MetaObject extends Open {}

/** Anything with room for metadata (basic/index#_meta). */
interface Extensible {
  _meta?: MetaObject;
}

/** The version marker of every message. */
interface Versioned {
  jsonrpc: '2.0';
}

/** Names a request until it is answered: a string or an integer (basic/index#requests). */
export type RequestId = string | number;

/** Chosen by whoever asks for progress: a string or an integer (basic/patterns/progress#progress-flow). */
export type ProgressToken = string | number;

/** Where a list goes on; meaningless to everyone but its issuer (server/utilities/pagination#pagination-model). */
export type Cursor = string;

/** What comes with every request, there being no handshake (basic/index#_meta). */
export interface RequestMetaObject extends MetaObject {
  /** Asks for progress notifications (basic/patterns/progress#progress-flow). */
  progressToken?: ProgressToken;
  /** The revision this request follows (basic/versioning#protocol-version-negotiation). */
  'io.modelcontextprotocol/protocolVersion': string;
  /** Who asks. */
  'io.modelcontextprotocol/clientInfo'?: Implementation;
  /** What the client can do, as far as this request is concerned. */
  'io.modelcontextprotocol/clientCapabilities': ClientCapabilities;
  /** Asks for log messages from this severity upwards (server/utilities/logging#per-request-log-level). */
  'io.modelcontextprotocol/logLevel'?: LoggingLevel;
}

/** What may come with a notification (basic/index#_meta). */
export interface NotificationMetaObject extends MetaObject {
  /** The `subscriptions/listen` it belongs to (basic/patterns/subscriptions#receiving-notifications). */
  'io.modelcontextprotocol/subscriptionId'?: RequestId;
}

/** What may come with a result (basic/index#_meta). */
export interface ResultMetaObject extends MetaObject {
  /** Who answers. */
  'io.modelcontextprotocol/serverInfo'?: Implementation;
}

/** What the parameters of every request hold (basic/index#_meta). */
export interface RequestParams {
  _meta: RequestMetaObject;
}

/** What the parameters of every notification may hold (basic/index#_meta). */
export interface NotificationParams {
  _meta?: NotificationMetaObject;
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

/** `complete`, `input_required` or a word of an extension (basic/index#resulttype). */
export type ResultType = string;

/** What a request is answered with when it succeeds (basic/index#result-responses). */
export interface Result {
  _meta?: ResultMetaObject;
  /** Which kind of result this is; what is meant to be final says `complete`. */
  resultType: ResultType;
  [member: string]: unknown;
}

/** Success without anything to tell (basic/index#result-responses). */
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
   * A number of JSON-RPC (-32700, -32600 … -32603), of MCP (-32020 … -32022) or of the sender.
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

// --- Errors ----------------------------------------------------------------------------------------------------------

/** What came was not JSON (basic/index#error-codes). */
export interface ParseError extends Error {
  code: -32700;
}

/** What came was JSON, but no message (basic/index#error-codes). */
export interface InvalidRequestError extends Error {
  code: -32600;
}

/** There is no such method, or it is not offered (basic/index#error-codes). */
export interface MethodNotFoundError extends Error {
  code: -32601;
}

/** The parameters are not what the method wants (basic/index#error-codes). */
export interface InvalidParamsError extends Error {
  code: -32602;
}

/** Something went wrong on the answering side (basic/index#error-codes). */
export interface InternalError extends Error {
  code: -32603;
}

/** Header and body of a POST contradict each other (basic/transports/streamable-http#server-validation). */
export interface HeaderMismatchError extends Versioned {
  id?: RequestId;
  error: Error & { code: -32020 };
}

/** The request needs something the client has not declared (basic/index#error-codes). */
export interface MissingRequiredClientCapabilityError extends Versioned {
  id?: RequestId;
  error: Error & {
    code: -32021;
    data: { requiredCapabilities: ClientCapabilities; [member: string]: unknown };
  };
}

/** The revision asked for is not spoken here (basic/versioning#protocol-version-negotiation). */
export interface UnsupportedProtocolVersionError extends Versioned {
  id?: RequestId;
  error: Error & {
    code: -32022;
    data: {
      /** What could be asked for instead. */
      supported: string[];
      /** What was asked for. */
      requested: string;
      [member: string]: unknown;
    };
  };
}

// --- Discovery -------------------------------------------------------------------------------------------------------

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

/** Name, version and looks of a piece of software (schema#implementation). */
export interface Implementation extends BaseMetadata, Icons {
  version: string;
  description?: string;
  /** @format uri */
  websiteUrl?: string;
}

/** What a client can do; more members are allowed (schema#clientcapabilities). */
export interface ClientCapabilities {
  /** Outside the standard. */
  experimental?: { [name: string]: JSONObject };
  /** The client tells its roots (client/roots#capabilities). */
  roots?: object;
  /** The client lets its model be used (client/sampling#capabilities). */
  sampling?: {
    /** `includeContext` is understood. */
    context?: JSONObject;
    /** The model may use tools of the server. */
    tools?: JSONObject;
  };
  /** The client asks its user for the server; `{}` means forms only (client/elicitation#capabilities). */
  elicitation?: { form?: JSONObject; url?: JSONObject };
  /** Extensions by name, with their settings (basic/versioning#extension-negotiation). */
  extensions?: { [name: string]: JSONObject };
}

/** A list that may be announced as changed. */
interface Listing {
  /** Changes are announced. */
  listChanged?: boolean;
}

/** What a server can do; more members are allowed (schema#servercapabilities). */
export interface ServerCapabilities {
  /** Outside the standard. */
  experimental?: { [name: string]: JSONObject };
  /** The server sends log messages to whoever asks for them (server/utilities/logging#capabilities). */
  logging?: JSONObject;
  /** The server completes arguments (server/utilities/completion#capabilities). */
  completions?: JSONObject;
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
  /** Extensions by name, with their settings (basic/versioning#extension-negotiation). */
  extensions?: { [name: string]: JSONObject };
}

/** Who are you and what can you do? (server/discover#request) */
export interface DiscoverRequest extends JSONRPCRequest {
  method: 'server/discover';
  params: RequestParams;
}

/** What the server says of itself (server/discover#discoverresult). */
export interface DiscoverResult extends CacheableResult {
  /** The revisions it speaks. */
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  /** Advice on using the server, for the model. */
  instructions?: string;
}

/** The answer as it is on the wire (server/discover#response). */
export interface DiscoverResultResponse extends JSONRPCResultResponse {
  result: DiscoverResult;
}

// --- Patterns --------------------------------------------------------------------------------------------------------

/** What the client is asked to find out before the request can be answered (basic/patterns/mrtr#inputrequests). */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/** What the client has found out (basic/patterns/mrtr#inputresponses). */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/** Questions under names of the server's choosing (basic/patterns/mrtr#inputrequests). */
export interface InputRequests {
  [name: string]: InputRequest;
}

/** Answers under the names of the questions (basic/patterns/mrtr#inputresponses). */
export interface InputResponses {
  [name: string]: InputResponse;
}

/** Not yet: ask again with the answers to these questions (basic/patterns/mrtr#inputrequiredresult). */
export interface InputRequiredResult extends Result {
  inputRequests?: InputRequests;
  /** To be brought back as it is; meaningless to everyone but the server. */
  requestState?: string;
}

/** Parameters of a request that can be asked again with answers (basic/patterns/mrtr#inputresponses). */
export interface InputResponseRequestParams extends RequestParams {
  inputResponses?: InputResponses;
  /** As the server gave it. */
  requestState?: string;
}

/** Which request is given up, and why (basic/patterns/cancellation#cancellation-flow). */
export interface CancelledNotificationParams extends NotificationParams {
  requestId: RequestId;
  /** For logs and people. */
  reason?: string;
}

/** The answer to an earlier request is no longer wanted (basic/patterns/cancellation#cancellation-flow). */
export interface CancelledNotification extends JSONRPCNotification {
  method: 'notifications/cancelled';
  params: CancelledNotificationParams;
}

/** Which request has got how far (basic/patterns/progress#progress-flow). */
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

/** How far a request has got (basic/patterns/progress#progress-flow). */
export interface ProgressNotification extends JSONRPCNotification {
  method: 'notifications/progress';
  params: ProgressNotificationParams;
}

/** Which changes a client wants to hear of (basic/patterns/subscriptions#notification-filter). */
export interface SubscriptionFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  /** URIs of resources to be watched. */
  resourceSubscriptions?: string[];
}

/** What to listen for (basic/patterns/subscriptions#opening-a-stream). */
export interface SubscriptionsListenRequestParams extends RequestParams {
  notifications: SubscriptionFilter;
}

/** Tell me when something changes, from now on (basic/patterns/subscriptions#opening-a-stream). */
export interface SubscriptionsListenRequest extends JSONRPCRequest {
  method: 'subscriptions/listen';
  params: SubscriptionsListenRequestParams;
}

/** Which subscription has ended (basic/patterns/subscriptions#graceful-closure). */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** The id of the request that opened it. */
  'io.modelcontextprotocol/subscriptionId': RequestId;
}

/** Nothing more will come (basic/patterns/subscriptions#graceful-closure). */
export interface SubscriptionsListenResult extends Result {
  _meta: SubscriptionsListenResultMetaObject;
}

/** The end of a subscription as it is on the wire (basic/patterns/subscriptions#graceful-closure). */
export interface SubscriptionsListenResultResponse extends JSONRPCResultResponse {
  result: SubscriptionsListenResult;
}

/** What the server will really tell (basic/patterns/subscriptions#acknowledgment). */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  notifications: SubscriptionFilter;
}

/** The subscription is in force (basic/patterns/subscriptions#acknowledgment). */
export interface SubscriptionsAcknowledgedNotification extends JSONRPCNotification {
  method: 'notifications/subscriptions/acknowledged';
  params: SubscriptionsAcknowledgedNotificationParams;
}

/** Which page (server/utilities/pagination#request-format). */
export interface PaginatedRequestParams extends RequestParams {
  /** Taken from the page before; absent for the first page. */
  cursor?: Cursor;
}

/** A request for one page of a list (server/utilities/pagination#request-format). */
export interface PaginatedRequest extends JSONRPCRequest {
  params: PaginatedRequestParams;
}

/** One page of a list (server/utilities/pagination#response-format). */
export interface PaginatedResult extends Result {
  /** Present when there may be more. */
  nextCursor?: Cursor;
}

/** A result that may be kept for a while (server/utilities/caching#cacheable-model). */
export interface CacheableResult extends Result {
  /**
   * Milliseconds for which it is fresh (server/utilities/caching#time-to-live-ttl-field).
   * @TJS-type integer
   * @minimum 0
   */
  ttlMs: number;
  /** Whether others may be given it as well (server/utilities/caching#cache-scope-field). */
  cacheScope: 'public' | 'private';
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
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  resources: Resource[];
}

/** A page of resources as it is on the wire (server/resources#listing-resources). */
export interface ListResourcesResultResponse extends JSONRPCResultResponse {
  result: ListResourcesResult;
}

/** Which templates are there? (server/resources#resource-templates) */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: 'resources/templates/list';
}

/** A page of templates (server/resources#resource-templates). */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  resourceTemplates: ResourceTemplate[];
}

/** A page of templates as it is on the wire (server/resources#resource-templates). */
export interface ListResourceTemplatesResultResponse extends JSONRPCResultResponse {
  result: ListResourceTemplatesResult;
}

/** The resource a request is about (schema#resourcerequestparams). */
export interface ResourceRequestParams extends RequestParams {
  /** @format uri */
  uri: string;
}

/** What to read (server/resources#reading-resources). */
export interface ReadResourceRequestParams extends ResourceRequestParams, InputResponseRequestParams {}

/** Give me the contents (server/resources#reading-resources). */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: 'resources/read';
  params: ReadResourceRequestParams;
}

/** The contents, possibly of several sub-resources (server/resources#reading-resources). */
export interface ReadResourceResult extends CacheableResult {
  contents: (TextResourceContents | BlobResourceContents)[];
}

/** The contents as it is on the wire (server/resources#reading-resources). */
export interface ReadResourceResultResponse extends JSONRPCResultResponse {
  result: ReadResourceResult | InputRequiredResult;
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
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  prompts: Prompt[];
}

/** A page of prompts as it is on the wire (server/prompts#listing-prompts). */
export interface ListPromptsResultResponse extends JSONRPCResultResponse {
  result: ListPromptsResult;
}

/** Which prompt, filled in with what (server/prompts#getting-a-prompt). */
export interface GetPromptRequestParams extends InputResponseRequestParams {
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

/** The prompt as it is on the wire (server/prompts#getting-a-prompt). */
export interface GetPromptResultResponse extends JSONRPCResultResponse {
  result: GetPromptResult | InputRequiredResult;
}

/** The list of prompts has changed (server/prompts#list-changed-notification). */
export interface PromptListChangedNotification extends JSONRPCNotification {
  method: 'notifications/prompts/list_changed';
  params?: NotificationParams;
}

// --- Tools -----------------------------------------------------------------------------------------------------------

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
export interface Tool extends BaseMetadata, Icons, Extensible {
  description?: string;
  /** JSON Schema of the arguments; any keyword may stand beside these (basic/index#json-schema-usage). */
  inputSchema: {
    /** The dialect; 2020-12 when absent. */
    $schema?: string;
    type: 'object';
    [keyword: string]: unknown;
  };
  /** JSON Schema of the structured content, which need not be an object (server/tools#output-schema). */
  outputSchema?: {
    /** The dialect; 2020-12 when absent. */
    $schema?: string;
    [keyword: string]: unknown;
  };
  annotations?: ToolAnnotations;
}

/** Which tools are there? (server/tools#listing-tools) */
export interface ListToolsRequest extends PaginatedRequest {
  method: 'tools/list';
}

/** A page of tools (server/tools#listing-tools). */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  tools: Tool[];
}

/** A page of tools as it is on the wire (server/tools#listing-tools). */
export interface ListToolsResultResponse extends JSONRPCResultResponse {
  result: ListToolsResult;
}

/** Which tool, with what (server/tools#calling-tools). */
export interface CallToolRequestParams extends InputResponseRequestParams {
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
  /** Any JSON, to be judged by the tool's output schema (server/tools#structured-content). */
  structuredContent?: unknown;
  /** The tool itself failed, and the model should see it (server/tools#error-handling). */
  isError?: boolean;
}

/** What the tool had to say as it is on the wire (server/tools#tool-result). */
export interface CallToolResultResponse extends JSONRPCResultResponse {
  result: CallToolResult | InputRequiredResult;
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
    /**
     * A hundred at most.
     * @maxItems 100
     */
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

/** The suggestions as it is on the wire (server/utilities/completion#completion-results). */
export interface CompleteResultResponse extends JSONRPCResultResponse {
  result: CompleteResult;
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
  structuredContent?: unknown;
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
export interface CreateMessageRequestParams {
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
  metadata?: JSONObject;
  /** What the model may call; only with the capability `sampling.tools`. */
  tools?: Tool[];
  toolChoice?: ToolChoice;
}

/** Ask your model (client/sampling#creating-messages). */
export interface CreateMessageRequest {
  method: 'sampling/createMessage';
  params: CreateMessageRequestParams;
}

/** What the model said (client/sampling#creating-messages). */
export interface CreateMessageResult extends SamplingMessage {
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
export interface ListRootsRequest {
  method: 'roots/list';
  params?: Extensible;
}

/** All roots, unpaged (client/roots#listing-roots). */
export interface ListRootsResult {
  roots: Root[];
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
export interface ElicitRequestFormParams {
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
export interface ElicitRequestURLParams {
  mode: 'url';
  /** What the user is told. */
  message: string;
  /** @format uri */
  url: string;
}

/** Either way of asking (client/elicitation#elicitation-requests). */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** Ask your user (client/elicitation#elicitation-requests). */
export interface ElicitRequest {
  method: 'elicitation/create';
  params: ElicitRequestParams;
}

/** What the user did (client/elicitation#response-actions). */
export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  /** The form filled in, after `accept`; numbers may be fractional. */
  content?: { [name: string]: string | number | boolean | string[] };
}

// --- Who may send what: the vocabulary is computed from these --------------------------------------------------------

/** Requests of a client; a server has none of its own (basic/index#message-patterns). */
export type ClientRequest =
  | DiscoverRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscriptionsListenRequest
  | ListPromptsRequest
  | GetPromptRequest
  | ListToolsRequest
  | CallToolRequest
  | CompleteRequest;

/** Notifications of a client (basic/index#message-patterns). */
export type ClientNotification = CancelledNotification;

/** Answers of a client, of which it has none (basic/index#message-patterns). */
export type ClientResult = EmptyResult;

/** Notifications of a server (basic/index#message-patterns). */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
  | SubscriptionsAcknowledgedNotification;

/** Answers of a server (basic/index#message-patterns). */
export type ServerResult =
  | EmptyResult
  | DiscoverResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | ListPromptsResult
  | GetPromptResult
  | ListToolsResult
  | CallToolResult
  | CompleteResult
  | InputRequiredResult;
