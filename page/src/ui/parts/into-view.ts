/** Scrolls as little as possible to show a whole element, or its beginning if it is higher than its panel. */
export function intoView(element: Element): void {
  const room = element.closest('.panel')?.clientHeight ?? innerHeight;
  element.scrollIntoView({ block: element.getBoundingClientRect().height > room ? 'start' : 'nearest' });
}
