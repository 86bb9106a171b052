// Login: first the link for the person, then each step. Secrets never come to the page.
import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import type { LoginStep, ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import type { LoginPage } from '../page-parts.ts';
import { ActionError } from '../host-link.ts';
import { WebLink } from '../parts/content.tsx';
import { clock } from '../parts/controls.tsx';
import { Safe } from '../parts/safe-text.tsx';

const titles: Readonly<Record<LoginStep['step'], string>> = {
  'challenge': 'Challenge', 'resource-metadata': 'Metadata of the resource', 'server-metadata': 'Metadata of the authorization server',
  'registration': 'Registration', 'consent': 'Your consent', 'code': 'Code', 'token': 'Token', 'refresh': 'Refresh', 'done': 'Done', 'failed': 'Failed',
};

const states: Readonly<Record<ServerView['login'], readonly [words: string, tone: string]>> = {
  'none': ['not needed', ''], 'needed': ['needed', 'warn'], 'under-way': ['waits for you', ''], 'done': ['logged in', 'good'],
};

/** Aborts the logins that this page began, by server. */
const stops = signal<ReadonlyMap<string, AbortController>>(new Map());

function setStop(server: string, stop: AbortController | undefined): void {
  const now = new Map(stops.value);
  if (stop) now.set(server, stop);
  else now.delete(server);
  stops.value = now;
}

/** Runs a login. Resolves at its end, also after a failure. Closing the page does not stop it. */
export async function logIn(state: LoginPage, server: string): Promise<void> {
  if (stops.value.has(server)) return;
  const stop = new AbortController();
  setStop(server, stop);
  try {
    await state.link.act('login.start', { server }, stop.signal);
  } catch (thrown) {
    if (thrown instanceof ActionError && thrown.failure.code !== 'cancelled') state.tell(thrown.message, 'bad');
  } finally {
    setStop(server, undefined);
  }
}

export function Login({ server }: { readonly server: ServerView }): JSX.Element | null {
  const state = useState();
  const stop = stops.value.get(server.name);
  const steps = state.logins.value.filter((one) => one.server === server.name);
  // The login waits for the person if its last step asks for their consent.
  const last = steps.at(-1);
  const waiting = last?.url != null ? last : undefined;
  if (server.target.kind !== 'address' || !state.welcome.value?.features.login) return null;
  if (server.login === 'none' && steps.length === 0) return null;
  const [words, tone] = states[server.login];
  return (
    <section aria-label="Login">
      {waiting?.url != null && (
        <div role="status">
          <p><strong><Safe text={server.name} most={80} /> wants a login</strong></p>
          <p><WebLink url={waiting.url} here>Log in at</WebLink></p>
        </div>
      )}
      <div class="row">
        <h3>Login</h3>
        <span class={`badge ${tone}`}>{words}</span>
        {stop
          ? <button type="button" class="small" onClick={() => stop.abort()}>Stop the login</button>
          : <button type="button" class={server.login === 'needed' && !waiting ? 'primary' : 'small'} onClick={() => void logIn(state, server.name)}>Log in</button>}
        {server.login === 'done' && <button type="button" class="small" onClick={() => void state.run('login.forget', { server: server.name })}>Forget</button>}
      </div>
      <div aria-live="polite">
        {waiting ? <details><summary>What happened so far: {steps.length} {steps.length === 1 ? 'step' : 'steps'}</summary><Steps steps={steps} /></details> : <Steps steps={steps} />}
      </div>
    </section>
  );
}

function Steps({ steps }: { readonly steps: readonly LoginStep[] }): JSX.Element {
  return (
    <ol class="steps">
      {steps.map((step, at) => (
        <li key={at} class={step.step === 'failed' ? 'bad' : ''}>
          <strong>{titles[step.step]}</strong> <span class="dim">{clock(step.at)}</span>
          <p><Safe text={step.what} most={500} /></p>
          {Object.keys(step.details).length > 0 && (
            <details><summary>Details</summary>
              <table><tbody>{Object.entries(step.details).map(([name, value]) => <tr key={name}><th scope="row"><Safe text={name} most={80} /></th><td><Safe text={value} most={500} /></td></tr>)}</tbody></table>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
