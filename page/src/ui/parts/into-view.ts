/** Scrolls as little as needed until all of an element can be seen, or its beginning where it is taller than its panel. */
export function intoView(element: Element): void {
  const room = element.closest('.panel')?.clientHeight ?? innerHeight;
  element.scrollIntoView({ block: element.getBoundingClientRect().height > room ? 'start' : 'nearest' });
}
