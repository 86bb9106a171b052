// A person's hand at a page: counts what it presses and types.

export class Hand {
  presses = 0;
  typed = 0;
  #page;

  constructor(page) {
    this.#page = page;
  }

  /** A click counts as one press. */
  async press(target, options) {
    this.presses++;
    await target.first().click(options);
  }

  /** Going to a field counts as one press, and each character as one typed. */
  async type(target, text) {
    this.presses++;
    this.typed += text.length;
    await target.first().click();
    await target.first().pressSequentially(text);
  }

  /** A key that types no character, such as Escape or Control+Enter, counts as one press. */
  async key(name) {
    this.presses++;
    await this.#page.keyboard.press(name);
  }
}

/** Waits until a person can see this. */
export const see = (target) => target.first().waitFor({ state: 'visible' });
