// The four string formats that an elicitation form may use, each with a linear check. JSON Schema 2020-12
// validation, 7.3: date and date-time are RFC 3339, email is an RFC 5321 mailbox, uri is RFC 3986.

/** A format of a string field. Source: elicitation, "Requested Schema". */
export type FormFormat = 'email' | 'uri' | 'date' | 'date-time';

// A date exists if Date writes it back unchanged; 30 February comes back as a day in March.
const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;

// RFC 3339, 5.6. Second 60 is accepted in every minute: a grammar cannot know which minutes had a leap second.
const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) &&
  /^T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i.test(text.slice(10));

// The common form of a mailbox: dot-atom "@" host name, ASCII. Quoted local parts and address literals are refused:
// users do not type them, and few programs accept them.
const isEmail = (text: string): boolean =>
  text.length < 255 &&
  !text.includes('..') &&
  /^(?!\.|[^@]*\.@)[\w.!#$%&'*+/=?^`{|}~-]{1,64}@([a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.(?!$)|$))+$/i.test(text);

// Absolute (with a scheme), only characters allowed in a URI, each "%" followed by two hex digits.
const isUri = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:/i.test(text) && !/[^\w:/?#[\]@!$&'()*+,;=.~%-]|%(?![\da-f]{2})/i.test(text);

/** The check of each format: true if the text has the format. Linear in the length of the text; never throws. */
export const formFormats: Readonly<Record<FormFormat, (text: string) => boolean>> = {
  email: isEmail,
  uri: isUri,
  date: isDate,
  'date-time': isDateTime,
};
