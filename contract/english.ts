/** Translates a message and fills in its values. */
export type Translate = (message: string, values?: Readonly<Record<string, string>>) => string

/** Fills in the values of an English message. Only the console translates messages. */
export const inEnglish: Translate = (message, values = {}) =>
  message.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
