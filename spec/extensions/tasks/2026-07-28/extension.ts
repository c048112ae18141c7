import type { Extension } from '../../extension.js';

export const extension: Extension = {
  id: 'tasks/2026-07-28',
  identifier: 'io.modelcontextprotocol/tasks',
  status: 'official',
  revisions: ['2026-07-28'],
  repository: 'modelcontextprotocol/ext-tasks',
  commit: 'fb36f4006b7dec281d822571f137fadbacae963e',
  pages: { tasks: 'specification/2026-07-28/tasks.md' },
  hasSchema: true,
  resultTypes: { task: { definition: 'CreateTaskResult', methods: ['tools/call'] } },
  headerNames: { 'tasks/get': 'taskId', 'tasks/update': 'taskId', 'tasks/cancel': 'taskId' },
};
