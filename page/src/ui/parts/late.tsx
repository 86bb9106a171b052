// Parts that are loaded when they are first needed. In one file they are there already.
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';

/** A component that is loaded when it is first drawn. Meanwhile, and where it cannot be loaded, a line says so. */
export function late<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let found: ComponentType<P> | undefined;
  let loading: Promise<void> | undefined;
  return function Late(props: P): JSX.Element {
    const state = useSignal<'loading' | 'there' | string>(found ? 'there' : 'loading');
    useEffect(() => {
      if (found) return;
      // A part that could not be loaded is tried again the next time.
      loading ??= load().then((one) => { found = one; }).finally(() => { loading = undefined; });
      loading.then(() => { state.value = 'there'; }, (thrown: unknown) => { state.value = `This part of the page could not be loaded: ${String(thrown)}`; });
    }, []);
    const Found = found;
    if (Found && state.value === 'there') return <Found {...props} />;
    return <p class="dim" aria-busy={state.value === 'loading'}>{state.value === 'loading' ? 'Loading …' : state.value}</p>;
  };
}
