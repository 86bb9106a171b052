import type { Lexemes } from '../../json/lexemes.ts';

/** What every input is given. */
export interface InputProps {
  readonly id: string;
  readonly described: string;
  readonly invalid: boolean;
  readonly required: boolean;
  readonly value: unknown;
  /** The numbers of the value as they were typed, by their place in it, where they are written otherwise. */
  readonly lexemes: Lexemes;
  readonly onChange: (value: unknown) => void;
  readonly onLexemes: (lexemes: Lexemes) => void;
  /** What is typed and has no value, as it was typed; undefined: it has one. */
  readonly unread: string | undefined;
  /** What is typed has no value, and why. Until it has one nothing is sent. */
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

/** The attributes that every input has. */
export const common = ({ id, described, invalid, required, onLeave }: InputProps): Common => ({
  id, 'aria-describedby': described, 'aria-invalid': invalid, 'aria-required': required, onBlur: onLeave,
});
