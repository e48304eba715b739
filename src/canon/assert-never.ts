/** Ensures at compile time that all cases of a closed set are handled. A missing case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
