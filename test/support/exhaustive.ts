/**
 * Whether tests run every case of a sweep. `npm test` runs a fixed sample of the expensive ones; `npm run test:all` sets
 * this variable and runs them all.
 */
export const IS_EXHAUSTIVE = process.env["TOLLGATE_TEST_EXHAUSTIVE"] === "true"

/**
 * Returns the cases to run: all of an exhaustive run, otherwise every `step`-th.
 *
 * @param offset which ones: tests that cross two lists pass the index in the other list, so that every case of both
 * lists runs.
 */
export function sampleOf<Case>(cases: readonly Case[], step: number, offset = 0): Case[] {
  return cases.filter((_, index) => IS_EXHAUSTIVE || (index + offset) % step === 0)
}
