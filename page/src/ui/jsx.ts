// What the bundles write for an element: `h(name, properties, …children)` is shorter than a call with `children` among them.
export { Fragment, h } from 'preact';
