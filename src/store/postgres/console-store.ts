import type { ConsoleStore } from "../console-store.ts"
import {
  CONSOLE_STEPS,
  type ConsoleAggregates,
  sweepExpired,
} from "../steps/sign-in/console-steps.ts"
import type { PostgresClient } from "./client.ts"
import { clientMethods, runStep } from "./run-steps.ts"

/** Stores the users of the console and their credentials in the ledger's database, through the same client. */
export function postgresConsoleStore(client: PostgresClient): ConsoleStore {
  return {
    ...clientMethods<ConsoleAggregates>(CONSOLE_STEPS, client),
    sweep: (now) => runStep(client, sweepExpired(now)),
    [Symbol.dispose]() {},
  }
}
