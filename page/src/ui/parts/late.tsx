// Parts that are loaded at their first use.
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';

/** A component that is loaded at its first rendering. Until then, and if loading fails, it shows a line of text. */
export function late<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let found: ComponentType<P> | undefined;
  let loading: Promise<void> | undefined;
  return function Late(props: P): JSX.Element {
    const state = useSignal<'loading' | 'there' | string>(found ? 'there' : 'loading');
    useEffect(() => {
      if (found) return;
      // A failed part is loaded again at the next mount.
      loading ??= load().then((one) => { found = one; }).finally(() => { loading = undefined; });
      loading.then(() => { state.value = 'there'; }, (thrown: unknown) => { state.value = `This part of the page could not be loaded: ${String(thrown)}`; });
    }, []);
    const Found = found;
    if (Found && state.value === 'there') return <Found {...props} />;
    return <p class="dim" aria-busy={state.value === 'loading'}>{state.value === 'loading' ? 'Loading …' : state.value}</p>;
  };
}
