/**
 * The messages that the tasks extension adds to revision 2026-07-28, under the type names of its text. Written for this
 * project; each docstring names the section of `tasks.md`. Types of the revision itself are imported.
 */

import type {
  Error as ErrorObject,
  InputRequests,
  InputResponses,
  JSONObject,
  JSONRPCNotification,
  JSONRPCRequest,
  NotificationParams,
  RequestParams,
  Result,
} from '../../../2026-07-28/schema.js';

/** The state of the work (tasks#task-status). */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Work that a server goes on with after its response (tasks#tasks). */
export interface Task {
  /** Names the task in later requests. */
  taskId: string;
  status: TaskStatus;
  /** Text for people or the model. */
  statusMessage?: string;
  /** A date and time in ISO 8601. */
  createdAt: string;
  /** A date and time in ISO 8601. */
  lastUpdatedAt: string;
  /**
   * Milliseconds from the creation for which the task is kept; null without a limit.
   * @nullable
   */
  ttlMs: number | null;
  /** The suggested time between two polls, in milliseconds. */
  pollIntervalMs?: number;
}

/** The work goes on (tasks#task-status). */
export interface WorkingTask extends Task {
  status: 'working';
}

/** The work waits for the client (tasks#task-status). */
export interface InputRequiredTask extends Task {
  status: 'input_required';
  /** The questions without an answer. */
  inputRequests: InputRequests;
}

/** The request has a result, with `isError` too (tasks#task-status). */
export interface CompletedTask extends Task {
  status: 'completed';
  /** The result that the request would have had without a task. */
  result: JSONObject;
}

/** The request has failed with a JSON-RPC error (tasks#task-status). */
export interface FailedTask extends Task {
  status: 'failed';
  error: ErrorObject;
}

/** The work was given up (tasks#task-status). */
export interface CancelledTask extends Task {
  status: 'cancelled';
}

/** A task with what belongs to its state (tasks#task-status). */
export type DetailedTask = WorkingTask | InputRequiredTask | CompletedTask | FailedTask | CancelledTask;

/** The response that announces a task (tasks#task-creation). */
export interface CreateTaskResult extends Result, Task {
  resultType: 'task';
  [member: string]: unknown;
}

/** Which task (tasks#request). */
export interface TaskRequestParams extends RequestParams {
  taskId: string;
}

/** Asks for the state of a task (tasks#task-polling). */
export interface GetTaskRequest extends JSONRPCRequest {
  method: 'tasks/get';
  params: TaskRequestParams;
}

/** The state of a task (tasks#response). */
export type GetTaskResult = Result & DetailedTask;

/** Which task, and the answers to some of its questions (tasks#task-update-requests). */
export interface UpdateTaskRequestParams extends TaskRequestParams {
  inputResponses: InputResponses;
}

/** Answers questions of a task (tasks#task-update-requests). */
export interface UpdateTaskRequest extends JSONRPCRequest {
  method: 'tasks/update';
  params: UpdateTaskRequestParams;
}

/** The answers have arrived (tasks#response-1). */
export type UpdateTaskResult = Result;

/** The result of a task is no longer wanted (tasks#task-cancellation). */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: 'tasks/cancel';
  params: TaskRequestParams;
}

/** The wish has arrived (tasks#response-2). */
export type CancelTaskResult = Result;

/** The state of a task, unasked (tasks#task-status-notifications). */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: 'notifications/tasks';
  params: NotificationParams & DetailedTask;
}

/** Requests of a client. */
export type ClientRequest = GetTaskRequest | UpdateTaskRequest | CancelTaskRequest;

/** Notifications of a server. */
export type ServerNotification = TaskStatusNotification;
