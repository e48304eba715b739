/** Ensures that a closed set is handled completely: a missing case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
