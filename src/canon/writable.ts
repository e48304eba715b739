/** A type whose members are still being set. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
