/** A type whose members are still being set. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] }
