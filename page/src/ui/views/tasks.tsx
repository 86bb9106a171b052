import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ServerView, TaskView } from '../../messages.ts';
import { useState } from '../context.ts';
import { Boundary } from '../parts/boundary.tsx';
import { ToolResult } from '../parts/result.tsx';
import { clock, duration, Empty, Head } from '../parts/controls.tsx';
import { Safe } from '../parts/safe-text.tsx';
import { Progress } from './calls.tsx';

/** Tasks of both kinds. They continue without this page, and can be found by their ids. */
export function Tasks({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const id = useSignal('');
  const tasks = [...state.tasks.value.values()].filter((one) => one.server === server.name).sort((one, other) => other.startedAt - one.startedAt);
  const find = async (): Promise<void> => {
    if (await state.run('task.find', { server: server.name, task: id.value.trim() })) id.value = '';
  };
  return (
    <>
      <Head title="Tasks">
        <form class="row" onSubmit={(event) => { event.preventDefault(); void find(); }}>
          <input type="text" class="code" required placeholder="task id" aria-label="Id of a task" value={id.value} onInput={(event) => { id.value = event.currentTarget.value; }} />
          <button type="submit" class="small">Find it again</button>
        </form>
      </Head>
      {tasks.length === 0 && <Empty>No task yet. A tool that runs as a task is shown here, also after a reload.</Empty>}
      {tasks.map((task) => <Task key={task.key} task={task} />)}
    </>
  );
}

const tones: Readonly<Record<TaskView['status'], string>> = { working: 'live', input_required: 'warn', completed: 'good', failed: 'bad', cancelled: 'bad' };

function Task({ task }: { readonly task: TaskView }): JSX.Element {
  const state = useState();
  return (
    <article class={`call ${tones[task.status]}`} aria-label={`Task ${task.task}`}>
      <header class="row">
        <strong><Safe text={task.tool || 'a task found again'} most={100} /></strong>
        <span class={`badge ${tones[task.status]}`} role="status">{task.status === 'input_required' ? 'waits for you' : task.status}</span>
        <span class="dim">{clock(task.startedAt)}{task.endedAt !== null && `, ${duration(task.endedAt - task.startedAt)}`}</span>
        <span class="spring" />
        {task.endedAt === null
          ? <button type="button" class="small danger" onClick={() => void state.run('task.cancel', { key: task.key })}>Cancel</button>
          : <button type="button" class="small" onClick={() => void state.run('task.forget', { key: task.key })}>Forget</button>}
      </header>
      <p class="dim"><code><Safe text={task.task} most={200} /></code> {task.message && <Safe text={task.message} />}</p>
      {task.endedAt === null && <Progress progress={task.progress} />}
      {task.failure && <div class="outcome bad" role="alert"><code>{task.failure.code}</code> <Safe text={task.failure.message} most={2000} /></div>}
      {task.result && <Boundary value={task.result}><ToolResult result={task.result} server={task.server} outputFault="" /></Boundary>}
    </article>
  );
}
