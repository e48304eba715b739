/** A closed set must be handled whole: the compiler refuses a missing case here. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
