/** The same type with members that can be set. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
