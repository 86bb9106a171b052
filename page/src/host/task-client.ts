import type { McpClient } from 'barewire/client';
import type { TaskClient } from 'barewire/tasks';

/** Whether a client knows tasks: the host is handed its clients, and one that needs no tasks carries no line of them. */
export const knowsTasks = (client: McpClient): client is TaskClient => 'startTool' in client;
