/**
 * The command that runs test files. Tests have no time limits of their own, because such limits would fail on a busy
 * machine. The gateway waits longer for databases and reports. Passwords are hashed quickly, and property tests use one
 * seed.
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
  "--preload",
  "./test/support/patient-database.ts",
  ...(process.env["TOLLGATE_TEST_FLUSH_DELAY_MS"] === undefined
    ? []
    : ["--preload", "./test/support/delayed-flushes.ts"]),
]
