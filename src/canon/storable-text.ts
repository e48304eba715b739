/** A NUL, which PostgreSQL does not store, and halves of characters, which no database does. */
const UNSTORABLE = /[\0\p{Cs}]/u

/** Whether every database stores a text as it is. */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text)
}
