/** Calls `tell` now, so that the first picture has the right size, and after each change of an element's size. Returns a function that ends this. */
export function watchSize(element: Element | null, tell: (element: Element) => void): (() => void) | undefined {
  if (!element) return undefined;
  const observer = new ResizeObserver(() => tell(element));
  observer.observe(element);
  tell(element);
  return () => observer.disconnect();
}
