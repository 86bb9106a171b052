// The JSX factory of the bundles: `h(name, properties, …children)` is shorter than a call with a `children` property.
export { Fragment, h } from 'preact';
