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
  "test/torture/chaos.test.ts": "runs npm run chaos in short",
  "test/torture/torture.test.ts": "runs npm run torture in short",
  "test/torture/idempotency-kill.test.ts": "repeats kill.test.ts with idempotency keys",
  "test/torture/idempotency-cuts.test.ts":
    "cuts idempotent requests between processes; test/http/idempotency runs them in one",
  "test/relay/state/vendor-state-processes.test.ts":
    "uses ids of vendors at two processes; vendor-state.test.ts uses them at one",
  "test/simulator/hostile-bodies.test.ts":
    "attacks the simulator; test/http/worst-bodies.test.ts attacks the gateway",
  "test/store/cut-migration.test.ts":
    "kills migrations of whole processes; migrate.test.ts lets single steps fail",
  "test/store/postgres/hosts.test.ts": "switches between two database servers",
  "test/cli/postgres-nodes.test.ts": "crashes the database of two nodes, as npm run torture does",
  "test/cli/backup-bucket.test.ts":
    "backs up to a bucket; backup.test.ts uses a folder, and test/wire/bucket tests the client",
  "test/browser/amounts.test.ts":
    "enters amounts in forms; test/console/amounts.test.ts tests their parsing",
  "test/browser/base-path-console.test.ts":
    "opens the console behind a proxy; base-path.test.ts tests the addresses of its files",
  "test/browser/cards.test.ts":
    "pays in the console; test/management tests payments, refunds and disputes",
  "test/browser/dialog-rejections.test.ts":
    "rejects input in dialogs; test/http/admin tests the same errors",
  "test/browser/dialogs.test.ts": "completes each dialog; test/http/admin tests the same changes",
  "test/browser/issuers.test.ts":
    "signs in through an issuer in a browser; test/users tests the same sign-ins",
  "test/browser/languages.test.ts":
    "opens all pages in two languages; npm run check compares the catalogs with the source",
  "test/browser/models.test.ts":
    "edits models and providers in dialogs; test/http/admin tests the same changes",
  "test/browser/newer-models.test.ts":
    "offers a newer model with one click; test/http/admin tests the same change",
  "test/browser/operating.test.ts":
    "edits webhooks, limits and price groups; test/http/admin tests the same changes",
  "test/browser/outage.test.ts": "shows pages again after the gateway was unavailable",
  "test/browser/passkeys.test.ts":
    "uses passkeys of a browser; test/http/admin tests the same sign-ins",
  "test/browser/people.test.ts":
    "invites and erases people in the console; test/http/admin tests the same rights",
  "test/browser/requests.test.ts":
    "filters requests in the console; test/management tests the same lists",
  "test/browser/supply.test.ts":
    "edits model groups, codes and credentials; test/http/admin tests the same changes",
  "test/browser/usage.test.ts":
    "filters reports in the console; test/management tests the same reports",
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
