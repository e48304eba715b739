import { type ConsoleStore, LONGEST_WINDOW } from "../../console-store.ts"
import type { PostgresClient } from "../client.ts"
import { PostgresPasskeys } from "./passkeys.ts"
import { PostgresProofs } from "./proofs.ts"
import { PostgresSecondFactors } from "./second-factors.ts"
import { PostgresSessions } from "./sessions.ts"
import { PostgresSignInAttempts } from "./sign-in-attempts.ts"
import { PostgresUsers } from "./users.ts"

/** The users of the console and their credentials, in the database of the ledger, whose client it uses. */
export function postgresConsoleStore(client: PostgresClient): ConsoleStore {
  return {
    users: new PostgresUsers(client),
    sessions: new PostgresSessions(client),
    secondFactors: new PostgresSecondFactors(client),
    passkeys: new PostgresPasskeys(client),
    proofs: new PostgresProofs(client),
    attempts: new PostgresSignInAttempts(client),
    async sweep(now) {
      await client.run("DELETE FROM sessions WHERE expires_at <= $1", [BigInt(now)])
      await client.run("DELETE FROM proofs WHERE expires_at <= $1", [BigInt(now)])
      await client.run("DELETE FROM attempts WHERE begun_at <= $1", [BigInt(now - LONGEST_WINDOW)])
    },
    [Symbol.dispose]() {},
  }
}
