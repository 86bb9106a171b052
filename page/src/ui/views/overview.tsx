// One server: its identity, the negotiated revision and capabilities, its roots, its login and its settings.
import type { ComponentChildren, JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ServerView } from '../../messages.ts';
import { hashOf } from '../address.ts';
import { useState } from '../context.ts';
import { connect } from '../parts/connect.ts';
import { Facts, duration, Head } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { stateWords } from '../parts/state-words.ts';
import { Roots } from './roots.tsx';

export function Overview({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const { name, agreed } = server;
  const { Login, SaveServer } = state.parts;
  const saving = useSignal(false);
  const info = agreed?.server;
  const running = server.state === 'ready' || server.state === 'starting';
  return (
    <>
      <Head title={<><Icon icons={info?.icons} /><Safe text={info?.title ?? info?.name ?? name} /></>}>
        {running
          ? <button type="button" class="small" onClick={() => void state.run('server.stop', { server: name })}>Stop</button>
          : server.login !== 'under-way' && <button type="button" class="primary" disabled={server.disabled} onClick={() => void connect(state, name)}>Connect</button>}
        {server.state !== 'resting' && server.login !== 'under-way' && <button type="button" class="small" onClick={() => void state.run('server.reconnect', { server: name })}>Reconnect</button>}
        <button type="button" class="small" disabled={server.state !== 'ready'} onClick={() => void state.run('server.ping', { server: name })}>Ping</button>
        {server.source === 'typed' && SaveServer && state.welcome.value?.features.save && <button type="button" class="small" onClick={() => { saving.value = true; }}>Keep …</button>}
        {SaveServer && saving.value && <SaveServer server={name} onDone={() => { saving.value = false; }} />}
        {server.source === 'typed' && <button type="button" class="small" onClick={() => void state.run('server.remove', { server: name })}>Remove</button>}
      </Head>
      {state.welcome.value?.carrier === 'playground' && state.calls.value.size === 0 && <FirstStep server={name} />}
      {server.why && <div class="outcome bad" role="alert"><SafeText text={server.why} /></div>}
      <Facts facts={factsOf(server)} />
      {agreed?.instructions && <section aria-label="Instructions"><h3>Instructions</h3><SafeText text={agreed.instructions} class="result-text" /></section>}
      {agreed && <section aria-label="Capabilities"><h3>Capabilities</h3><Capabilities of={agreed.capabilities} /></section>}
      {server.declared && <section aria-label="Capabilities of the client"><h3>What the client declares</h3><Capabilities of={server.declared} /></section>}
      {Login && <Login server={server} />}
      {agreed && <Roots server={server} key={`roots ${name}`} />}
      <Settings server={server} key={`settings ${name}`} />
    </>
  );
}

/** A hint for new users of the playground. */
function FirstStep({ server }: { readonly server: string }): JSX.Element | null {
  const [tool] = useState().catalogue.value?.tools ?? [];
  if (!tool) return null;
  const to = hashOf({ kind: 'view', server, tab: 'tools', name: tool.name, args: undefined });
  return <div class="outcome"><p><strong>First step:</strong> open <a href={to}><Safe text={tool.tool.title ?? tool.tool.name} /></a>, fill in the form, and press Call. The wire shows each message; choose one to read it.</p></div>;
}

function factsOf(server: ServerView): readonly (readonly [string, ComponentChildren])[] {
  const { agreed, target } = server;
  const way = target.kind === 'program' ? [target.command, ...target.args].join(' ') : target.kind === 'address' ? target.url : target.title;
  return [
    ['State', <><span class={`dot ${server.state}`} aria-hidden="true" /> {stateWords[server.state]}{server.inFlight > 0 && `, ${server.inFlight} ${server.inFlight === 1 ? 'request' : 'requests'} open`}</>],
    [target.kind === 'program' ? 'Program' : target.kind === 'address' ? 'Address' : 'In this page', <code><Safe text={way} most={500} /></code>],
    ...agreed ? [
      ['Revision', <><strong>{agreed.revision}</strong> <span class={`badge ${agreed.era}`}>{agreed.era}</span></>] as const,
      ['Server', <><Safe text={agreed.server?.name ?? 'not named'} /> <Safe text={agreed.server?.version ?? ''} most={40} /></>] as const,
    ] : [],
    ['Latency', server.latencyMs === null ? 'not measured' : duration(server.latencyMs)],
    ['Start', server.startMs === null ? '–' : duration(server.startMs)],
    ['Connections', `${server.connection}${server.restarts > 0 ? `, ${server.restarts} restarts` : ''}`],
    ...target.kind === 'program' && target.env.length > 0 ? [['Environment', <code>{target.env.join(', ')}</code>] as const] : [],
    ...target.kind === 'address' && target.headers.length > 0 ? [['Headers', <code>{target.headers.join(', ')}</code>] as const] : [],
  ];
}

function Capabilities({ of }: { readonly of: object }): JSX.Element {
  const all: readonly (readonly [string, unknown])[] = Object.entries(of);
  return (
    <>
      <p class="row wrap">{all.length === 0 ? <span class="dim">none</span> : all.map(([name, settings]) => (
        <span class="badge" key={name}><Safe text={name} most={60} />{Object.entries(Object(settings) as object).filter(([, on]) => on === true).map(([one]) => <em key={one}> <Safe text={one} most={40} /></em>)}</span>
      ))}</p>
      <JsonTree name="declared" value={of} open={0} />
    </>
  );
}

/** The person's settings for a server: trust, era, and secrets for the next connection. */
function Settings({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const Credentials = state.parts.Credentials;
  const { name } = server;
  return (
    <details class="section">
      <summary>Settings</summary>
      <label class="field inline"><input type="checkbox" checked={server.trusted} onChange={(event) => void state.run('server.trust', { server: name, trusted: event.currentTarget.checked })} />Trust the annotations of its tools</label>
      <label class="field">Revisions, from a new connection on
        <select value={server.era} onChange={(event) => void state.run('server.reconnect', { server: name, era: event.currentTarget.value as 'auto' | 'legacy' | 'modern' })}>
          <option value="auto">The newest that both speak</option>
          <option value="modern">Only 2026-07-28 (modern)</option>
          <option value="legacy">Only up to 2025-11-25 (legacy)</option>
        </select>
      </label>
      {!server.agreed && <Roots server={server} />}
      {Credentials && server.target.kind !== 'worker' && <Credentials server={server} />}
    </details>
  );
}
