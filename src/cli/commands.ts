import type { RegisterCommand } from "./command.ts"

/**
 * Loaders of the commands by their first word, in the order of the help. Only commands with the given word are loaded,
 * so that the gateway starts without the modules of other commands.
 */
const LOADERS: Readonly<Record<string, () => Promise<readonly RegisterCommand[]>>> = {
  serve: async () => [(await import("./serve.ts")).registerServe],
  demo: async () => [(await import("./demo.ts")).registerDemo],
  account: async () => (await import("./accounts.ts")).ACCOUNT_COMMANDS,
  credits: async () => [(await import("./credits.ts")).registerCredits],
  code: async () => (await import("./codes.ts")).CODE_COMMANDS,
  key: async () => (await import("./keys.ts")).KEY_COMMANDS,
  user: async () => (await import("./users.ts")).USER_COMMANDS,
  provider: async () => (await import("./providers.ts")).PROVIDER_COMMANDS,
  models: async () => [(await import("./models.ts")).registerModels],
  prices: async () => (await import("./prices.ts")).PRICE_COMMANDS,
  connect: async () => [(await import("./connect.ts")).registerConnect],
  requests: async () => [(await import("./requests.ts")).registerRequests],
  receipt: async () => [(await import("./receipt.ts")).registerReceipt],
  statement: async () => [(await import("./statement.ts")).registerStatement],
  reconcile: async () => [(await import("./reconcile.ts")).registerReconcile],
  "billing-gaps": async () => [(await import("./billing-gaps.ts")).registerBillingGaps],
  ledger: async () => [(await import("./ledger-verify.ts")).registerLedgerVerify],
  database: async () => [
    ...(await import("./database.ts")).DATABASE_COMMANDS,
    (await import("./database-copy.ts")).registerDatabaseCopy,
  ],
  backup: async () => [(await import("./backup/backup.ts")).registerBackup],
  restore: async () => [(await import("./backup/restore.ts")).registerRestore],
  import: async () => [(await import("./import/import.ts")).registerImport],
  export: async () => [(await import("./export/export.ts")).registerExport],
  doctor: async () => [(await import("./doctor.ts")).registerDoctor],
  drill: async () => [(await import("./drill/drill.ts")).registerDrill],
}

const WITH_VALUE = new Set(["--config", "--data"])

/** Loads the commands for a command line. For an unknown word, all commands are loaded, because the help lists them. */
export async function loadCommands(words: readonly string[]): Promise<RegisterCommand[]> {
  const first = words.find(
    (word, index) => !word.startsWith("-") && !WITH_VALUE.has(words[index - 1] ?? ""),
  )
  const isKnown = first !== undefined && Object.hasOwn(LOADERS, first)
  const loaders = Object.entries(LOADERS).filter(([name]) => !isKnown || name === first)
  return (await Promise.all(loaders.map(([, load]) => load()))).flat()
}
