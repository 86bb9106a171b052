import type { McpClient } from 'barewire/client';
import type { TaskClient } from 'barewire/tasks';

/** Whether a client supports tasks. The host gets its clients from outside, so that a bundle without tasks omits their code. */
export const knowsTasks = (client: McpClient): client is TaskClient => 'startTool' in client;
