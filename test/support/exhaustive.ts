/**
 * Whether tests run every case of a sweep. `npm run test:all` sets this variable. `npm test` runs a fixed sample of the
 * cases if they are expensive.
 */
export const IS_EXHAUSTIVE = process.env["TOLLGATE_TEST_EXHAUSTIVE"] === "true"

/**
 * Returns the cases to run. An exhaustive run has all cases, and other runs have every `step`-th case.
 *
 * @param offset shifts the sample, for example by the index of a surrounding loop.
 */
export function sampleOf<Case>(cases: readonly Case[], step: number, offset = 0): Case[] {
  return cases.filter((_, index) => IS_EXHAUSTIVE || (index + offset) % step === 0)
}

/**
 * Returns the combinations of several lists of cases to run. An exhaustive run has all combinations. Otherwise, one of
 * every `step` combinations is chosen by the sum of the indexes, so that every case of each list runs.
 */
export function sampleCombinations<Lists extends readonly (readonly unknown[])[]>(
  step: number,
  ...lists: Lists
): { [Index in keyof Lists]: Lists[Index][number] }[] {
  let combinations: { cases: unknown[]; sum: number }[] = [{ cases: [], sum: 0 }]
  for (const list of lists) {
    combinations = combinations.flatMap(({ cases, sum }) =>
      list.map((each, index) => ({ cases: [...cases, each], sum: sum + index })),
    )
  }
  const chosen = combinations.filter(({ sum }) => IS_EXHAUSTIVE || sum % step === 0)
  return chosen.map(({ cases }) => cases as { [Index in keyof Lists]: Lists[Index][number] })
}

/**
 * Returns the cases in rotation, beginning at one that a name determines. Samples of the same cases for different names
 * then differ.
 */
export function rotatedBy<Case>(name: string, cases: readonly Case[]): Case[] {
  const first = Number(Bun.hash(name) % BigInt(cases.length))
  return [...cases.slice(first), ...cases.slice(0, first)]
}

/**
 * Returns the number of random values for a property. An exhaustive run has all of them, and other runs have a fifth.
 */
export function sampleRuns(runs: number): number {
  return IS_EXHAUSTIVE ? runs : Math.ceil(runs / 5)
}
