import type { Lexemes } from '../../json/lexemes.ts';

/** The properties of every input. */
export interface InputProps {
  readonly id: string;
  readonly described: string;
  readonly invalid: boolean;
  readonly required: boolean;
  readonly value: unknown;
  /** The numbers of the value as they were typed, by their path in it, if JavaScript would write them otherwise. */
  readonly lexemes: Lexemes;
  readonly onChange: (value: unknown) => void;
  readonly onLexemes: (lexemes: Lexemes) => void;
  /** The text in the input if it has no value yet, such as incomplete JSON; else undefined. */
  readonly unread: string | undefined;
  /** Reports a text without a value, and why. The form cannot be sent until it has one. */
  readonly onUnread: (text: string | undefined, fault: string) => void;
  readonly onLeave: () => void;
}

interface Common {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
  readonly onBlur: () => void;
}

/** The common attributes of all inputs. */
export const common = ({ id, described, invalid, required, onLeave }: InputProps): Common => ({
  id, 'aria-describedby': described, 'aria-invalid': invalid, 'aria-required': required, onBlur: onLeave,
});
