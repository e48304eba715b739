import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AccountChange } from "tollgate-contract/accounts.ts"
import type { Key, KeyChange, NewKey } from "tollgate-contract/keys.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { Accounts } from "../../src/management/accounts.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { rejectionOf } from "../../src/management/key-document.ts"
import { Keys } from "../../src/management/keys.ts"
import type { Store } from "../../src/store/store.ts"
import { ENGINES } from "../store/engines.ts"

interface Case {
  readonly code: Key["rejected_with"]
  readonly credits?: string
  readonly account?: AccountChange
  readonly key?: Partial<NewKey>
  readonly change?: KeyChange
  /** The key is read after this time. */
  readonly validMs?: number
  readonly isRevoked?: true
}

const CASES: Readonly<Record<string, Case>> = {
  "with credits": { code: null },
  "without credits": { code: "insufficient_credits", credits: "0" },
  "of a paused account": { code: "account_paused", account: { state: "paused" } },
  "of a closed account without credits": {
    code: "account_closed",
    account: { state: "closed" },
    credits: "0",
  },
  "with untouched budgets": { code: null, account: { daily_budget: "1" }, key: { budget: "1" } },
  "that is paused": { code: "key_paused", change: { is_paused: true } },
  "that is read-only": { code: "key_read_only", key: { is_read_only: true } },
  "that has expired": { code: "invalid_api_key", validMs: 1_000 },
  "that is revoked": { code: "invalid_api_key", isRevoked: true },
}

afterEach(() => void setSystemTime())

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))(
  "the state of a key on %s",
  (_, engine) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-key-rejection-"))
    let store: Store
    let accounts: Accounts
    let keys: Keys
    beforeAll(async () => {
      store = await engine.open(folder)
      accounts = new Accounts(store, new Audit(store))
      keys = new Keys(store, new Audit(store), new KeyHasher("pepper"))
    })
    afterAll(async () => {
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    test.each(Object.entries(CASES))(
      "matches the response to a request with a key %s",
      async (_name, given) => {
        const { code, credits = "5", validMs } = given
        const account = await createAccount(credits)
        const expiry = validMs !== undefined && { expires_at: momentIn(validMs) }
        const { id } = await keys.create(COMMAND_LINE, {
          account,
          name: "key",
          ...expiry,
          ...given.key,
        })
        if (given.change) await keys.change(COMMAND_LINE, id, given.change)
        if (given.isRevoked) await keys.revoke(COMMAND_LINE, id)
        if (given.account) await accounts.change(COMMAND_LINE, account, given.account)
        if (validMs !== undefined) setSystemTime(Date.now() + validMs)
        expect((await keys.find(COMMAND_LINE, id)).rejected_with).toBe(code)
        const { data } = await keys.list(COMMAND_LINE, { account, limit: 10 })
        expect(data.map((one) => one.rejected_with)).toEqual([code])
      },
    )

    test("shows that a budget is used up for each key of the budget until the next period", async () => {
      const account = await createAccount("5")
      const { id } = await keys.create(COMMAND_LINE, { account, name: "key" })
      const [key, payer] = await Promise.all([store.keys.find(id), store.accounts.find(account)])
      if (key === null || payer === null) throw new Error("the key or its account is missing")
      const now = Date.now()
      for (const left of ["budgetLeft", "dailyLeft", "monthlyLeft"]) {
        expect(rejectionOf({ ...key, [left]: 0n }, payer, now)).toBe("key_budget_exceeded")
        expect(rejectionOf({ ...key, [left]: 1n }, payer, now)).toBeNull()
      }
      for (const left of ["dailyLeft", "monthlyLeft"]) {
        expect(rejectionOf(key, { ...payer, [left]: 0n }, now)).toBe("account_budget_exceeded")
      }
      expect(rejectionOf(key, { ...payer, debt: 1n }, now)).toBe("insufficient_credits")
    })

    async function createAccount(credits: string): Promise<string> {
      const input = { name: crypto.randomUUID(), ...(credits !== "0" && { credits }) }
      return (await accounts.create(COMMAND_LINE, input)).id
    }
  },
)

function momentIn(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString()
}
