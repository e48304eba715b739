/**
 * How files of tests are run. No test has a time limit of its own: what else a busy machine does would decide which of them
 * passes. Passwords are hashed quickly, and property tests use one seed.
 */
export const TEST_COMMAND: readonly string[] = [
  "bun",
  "test",
  "--timeout",
  "300000",
  "--preload",
  "./test/support/quick-passwords.ts",
  "--preload",
  "./test/support/fixed-seed.ts",
  ...(process.env["TOLLGATE_TEST_FLUSH_DELAY_MS"] === undefined
    ? []
    : ["--preload", "./test/support/delayed-flushes.ts"]),
]
