import type { ConsoleStore } from "../console-store.ts"
import {
  CONSOLE_STEPS,
  type ConsoleAggregates,
  sweepExpired,
} from "../steps/sign-in/console-steps.ts"
import type { PostgresClient } from "./client.ts"
import { explainedGroups, explaining } from "./explain-failure.ts"
import { clientMethods, runStep } from "./run-steps.ts"

/** Stores the users of the console and their credentials in the ledger's database, through the same client. */
export function postgresConsoleStore(client: PostgresClient, place: string): ConsoleStore {
  const { sweep } = explaining(
    { sweep: (now: number) => runStep(client, sweepExpired(now)) },
    place,
  )
  return {
    ...explainedGroups(clientMethods<ConsoleAggregates>(CONSOLE_STEPS, client), place),
    sweep,
    [Symbol.dispose]() {},
  }
}
