import fc from "fast-check"

/**
 * Loaded before all tests by `npm test`. Property tests then use the same values in every run, so that their results
 * depend only on the code. `TOLLGATE_TEST_SEED=random npm test` uses other values to search for faults, and a number
 * repeats a run.
 */
const given = process.env["TOLLGATE_TEST_SEED"] ?? "1"
const seed = given === "random" ? Date.now() & 0x7fffffff : Number(given)
if (!Number.isInteger(seed)) {
  throw new Error(`TOLLGATE_TEST_SEED is '${given}': give an integer, or 'random'.`)
}
fc.configureGlobal({ seed })
