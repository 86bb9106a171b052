// The list of servers, and the controls of the whole page.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { visible } from 'barewire/explain';
import { useState } from '../context.ts';
import { connect } from '../parts/connect.ts';
import { moveFocus } from '../parts/roving.ts';
import { Safe } from '../parts/safe-text.tsx';
import { stateWords } from '../parts/state-words.ts';
import { theme } from '../theme.ts';

export function Rail(): JSX.Element {
  const state = useState();
  const adding = useSignal(false);
  const importing = useSignal(false);
  const { AddServer, ImportServers } = state.parts;
  const servers = [...state.servers.value.values()];
  return (
    <nav class="rail" aria-label="Servers">
      <h1 class="brand"><svg viewBox="0 0 24 12" aria-hidden="true"><path d="M0 6h6m12 0h6" /><circle cx="8" cy="6" r="2" /><circle cx="16" cy="6" r="2" /></svg>barewire</h1>
      <ul class="servers" onKeyDown={(event) => { moveFocus(event, event.currentTarget, '.server'); }}>
        {servers.map((server) => (
          <li key={server.name}>
            <button type="button" class="server" aria-current={server.name === state.server.value ? 'page' : undefined} tabIndex={server.name === state.server.value ? 0 : -1}
              onClick={() => { state.server.value = server.name; state.half.value = 'work'; }}>
              <span class={`dot ${server.state}`} aria-hidden="true" />
              <span class="server-name"><Safe text={server.name} most={60} /></span>
              <span class="server-state">{server.disabled ? 'disabled' : server.login === 'needed' ? 'login needed' : server.login === 'under-way' ? 'waits for the login' : server.state === 'ready' ? server.agreed?.revision ?? 'ready' : stateWords[server.state]}</span>
            </button>
            {server.state !== 'ready' && server.state !== 'starting' && server.login !== 'under-way' && !server.disabled && (
              <button type="button" class="small connect" title="Connect, and show the tools" aria-label={`Connect ${visible(server.name).slice(0, 60)}`}
                onClick={() => { state.visit(server.name, 'tools'); void connect(state, server.name); }}>Connect</button>
            )}
          </li>
        ))}
        {servers.length === 0 && <li class="empty">No server is configured.</li>}
      </ul>
      <div class="rail-foot">
        {AddServer && state.welcome.value?.features.add && <button type="button" class="small" onClick={() => { adding.value = true; }}>Add a server</button>}
        {ImportServers && (state.welcome.value?.features.imports.length ?? 0) > 0 && <button type="button" class="small" onClick={() => { importing.value = true; }}>Import servers</button>}
        <label class="row theme">
          <span>Theme</span>
          <select value={theme.value} onChange={(event) => { theme.value = event.currentTarget.value as 'auto' | 'light' | 'dark'; }}>
            <option value="auto">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
      {AddServer && adding.value && <AddServer onDone={() => { adding.value = false; }} />}
      {ImportServers && importing.value && <ImportServers onDone={() => { importing.value = false; }} />}
    </nav>
  );
}
