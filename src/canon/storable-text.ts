/** Matches a NUL, which PostgreSQL cannot store, and lone surrogates, which no database can store. */
const UNSTORABLE = /[\0\p{Cs}]/u

/** Reports whether every database can store a text unchanged. */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text)
}
