/** The test files and steps of each test command. */

/** Tests that `npm run test:quick` runs: tests without processes or waiting, and one chat from a client to a vendor. */
export const QUICK: readonly string[] = [
  "canon",
  "catalog",
  "config",
  "console",
  "dialects",
  "docs",
  "golden",
  "keys",
  "ledger",
  "limits",
  "machine",
  "media",
  "routing",
  "telemetry",
  "vendors",
  "wire",
  "clients/openai-chat.test.ts",
]

/** Files and folders that only `npm run test:all` runs, unless they are named explicitly, with the reason. */
export const ONLY_IN_ALL: Readonly<Record<string, string>> = {
  "test/package": "packs, installs and compiles releases",
  "test/torture/memory.test.ts": "measures memory under load",
  "test/canaries/canaries-postgres.test.ts":
    "repeats the search of canaries-sqlite.test.ts on PostgreSQL",
}

/** The steps that `npm run test:all` performs after all test files. */
export const FURTHER_STEPS: Readonly<Record<string, readonly string[]>> = {
  "console in Firefox": ["npm", "run", "-s", "test:firefox"],
  "clients and suites of others": ["npm", "run", "-s", "test:foreign"],
  "package managers": ["npm", "run", "-s", "test:package-managers"],
  examples: ["npm", "run", "-s", "test:examples"],
  "coding agents": ["npm", "run", "-s", "test:agents"],
  "torture of SQLite": ["npm", "run", "-s", "torture", "--", "--seed", "1"],
  "torture of PostgreSQL": [
    "npm",
    "run",
    "-s",
    "torture",
    "--",
    "--seed",
    "1",
    "--engine",
    "postgresql",
  ],
  chaos: ["npm", "run", "-s", "chaos", "--", "--seed", "1"],
}

/** Returns the paths of all test files, sorted. */
export function testFiles(): string[] {
  return [...new Bun.Glob("test/**/*.test.ts").scanSync(".")]
    .filter((file) => !file.includes("node_modules"))
    .toSorted()
}
