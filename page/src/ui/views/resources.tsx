import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { expandUriTemplate, uriTemplate } from 'barewire/protocol';
import type { Resource, ResourceTemplate } from 'barewire/protocol';
import type { JsonSchema } from 'barewire/schema';
import type { ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { SchemaForm } from '../form/schema-form.tsx';
import { bytes, clock, Empty, Facts } from '../parts/controls.tsx';
import { NothingListed } from '../parts/nothing-listed.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Calls } from './calls.tsx';
import { Picker } from './picker.tsx';

export function Resources({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const { resources = [], templates = [] } = state.catalogue.value ?? {};
  const picked = state.pickedIn('resources');
  const template = templates.find(({ uriTemplate }) => uriTemplate === picked);
  const resource = template ? undefined : resources.find(({ uri }) => uri === picked) ?? (resources[0] && picked === '' ? resources[0] : undefined);
  const changed = (uri: string): number | undefined => state.updated.value.get(`${server.name} ${uri}`);
  const items = [
    ...resources.map((one) => ({
      key: one.uri, name: one.uri, title: one.title ?? one.name, about: one.uri, icons: one.icons, group: 'Resources',
      marks: <>{server.subscriptions.includes(one.uri) && <span class="badge">subscribed</span>}{changed(one.uri) !== undefined && <span class="badge warn">changed</span>}</>,
    })),
    ...templates.map((one) => ({ key: one.uriTemplate, name: one.uriTemplate, title: one.title ?? one.name, about: one.uriTemplate, icons: one.icons, group: 'Templates' })),
  ];
  return (
    <Picker items={items} chosen={picked || (resource?.uri ?? '')} onPick={(key) => state.pick('resources', key)} label="Resources" empty={<NothingListed server={server} what="resources" />}>
      {template ? <TemplateDetail key={`${server.name} ${template.uriTemplate}`} server={server} template={template} />
        : resource ? <ResourceDetail server={server} resource={resource} changedAt={changed(resource.uri)} />
          : <Empty>Nothing is picked.</Empty>}
    </Picker>
  );
}

function ResourceDetail({ server, resource, changedAt }: { readonly server: ServerView; readonly resource: Resource; readonly changedAt: number | undefined }): JSX.Element {
  return (
    <>
      <h2><Safe text={resource.title ?? resource.name} /></h2>
      {resource.description && <SafeText text={resource.description} class="about" />}
      <Facts facts={[
        ['URI', <code><Safe text={resource.uri} most={1000} /></code>],
        ...resource.mimeType ? [['Type', <Safe text={resource.mimeType} most={80} />] as const] : [],
        ...resource.size !== undefined ? [['Size', bytes(resource.size)] as const] : [],
        ...changedAt !== undefined ? [['Changed', <span role="status">{clock(changedAt)}</span>] as const] : [],
      ]} />
      <Reading server={server} uri={resource.uri} />
    </>
  );
}

/** The actions for a URI, and the reads of it. */
function Reading({ server, uri }: { readonly server: ServerView; readonly uri: string }): JSX.Element {
  const state = useState();
  const subscribed = server.subscriptions.includes(uri);
  const may = (Object(server.agreed?.capabilities.resources) as { subscribe?: unknown }).subscribe === true;
  const calls = [...state.calls.value.values()].filter(({ server: of, about }) => of === server.name && about.kind === 'resource' && about.uri === uri);
  return (
    <>
      <div class="row actions">
        <button type="button" class="primary" onClick={() => void state.run('resource.read', { server: server.name, uri })}>Read</button>
        {may && (
          <button type="button" aria-pressed={subscribed} onClick={() => void state.run(subscribed ? 'resource.unsubscribe' : 'resource.subscribe', { server: server.name, uri })}>
            {subscribed ? 'Unsubscribe' : 'Subscribe'}
          </button>
        )}
      </div>
      <Calls calls={calls} label="Readings" />
    </>
  );
}

function TemplateDetail({ server, template }: { readonly server: ServerView; readonly template: ResourceTemplate }): JSX.Element {
  const state = useState();
  const schema = useMemo((): JsonSchema => {
    const names = variablesOf(template.uriTemplate);
    return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required: names };
  }, [template.uriTemplate]);
  const form = state.drafts.form(['template', server.name, template.uriTemplate], template.uriTemplate, schema, {
    formats: state.parts.formats,
    complete: server.agreed?.capabilities.completions === undefined ? undefined : async (name, typed, settled) => {
      const found = await state.link.act('complete', { server: server.name, ref: { type: 'ref/resource', uri: template.uriTemplate }, argument: { name, value: typed }, settled });
      return found.values;
    },
  }, { value: {}, lexemes: {} });
  const uri = expanded(template.uriTemplate, Object(form.value.value) as Readonly<Record<string, string>>);
  return (
    <>
      <h2><Safe text={template.title ?? template.name} /></h2>
      {template.description && <SafeText text={template.description} class="about" />}
      <SchemaForm form={form} legend={`Variables of ${template.name}`} />
      <p><code><Safe text={uri} most={1000} /></code></p>
      <Reading server={server} uri={uri} />
    </>
  );
}

function variablesOf(template: string): readonly string[] {
  try {
    return [...new Set(uriTemplate(template).variables)];
  } catch {
    return [];
  }
}

// An invalid template is used unchanged: the server reports the fault.
function expanded(template: string, values: Readonly<Record<string, string>>): string {
  try {
    return expandUriTemplate(template, values);
  } catch {
    return template;
  }
}
