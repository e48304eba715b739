import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KeyChange } from "tollgate-contract/keys.ts"
import { memberKeyRules } from "tollgate-contract/member-keys.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { Accounts } from "../../src/management/accounts.ts"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Keys } from "../../src/management/keys.ts"
import { MemberKeyManagement } from "../../src/management/member-keys.ts"
import { ENGINES } from "../store/engines.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const RULES = memberKeyRules.parse({
  models: ["openai/*", "local/llama"],
  max_budget: "100",
  max_daily_budget: "2.5",
})
/** A key within the rules. */
const FITTING = { models: ["openai/gpt-*"], budget: "100", daily_budget: "2.5" }

/** Members of a key that exceed the rules, with the limit that the error must name. */
const EXCESSES: readonly (readonly [KeyChange, parameter: string, limit: string])[] = [
  [{ models: null }, "models", "openai/*, local/llama"],
  [{ models: ["openai/gpt-*", "local/*"] }, "models", "Remove 'local/*'"],
  [{ models: ["*"] }, "models", "Remove '*'"],
  [{ budget: null }, "budget", "at most 100 credits"],
  [{ budget: "100.000000001" }, "budget", "at most 100 credits"],
  [{ daily_budget: null }, "daily_budget", "at most 2.5 credits"],
  [{ daily_budget: "3" }, "daily_budget", "at most 2.5 credits"],
]

async function errorOf(promise: Promise<unknown>): Promise<GatewayError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof GatewayError) return thrown
  throw new Error("the promise has not failed with an error of the gateway")
}

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))(
  "rules for keys of members on %s",
  (_, engine) => {
    async function opened() {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-member-keys-"))
      folders.push(folder)
      const store = await engine.open(folder)
      const audit = new Audit(store)
      const keys = new Keys(store, audit, new KeyHasher("pepper"))
      const accounts = new Accounts(store, audit)
      const rules = new MemberKeyManagement(store, audit)
      const { id: account } = await accounts.create(COMMAND_LINE, { name: "ours" })
      const [owner, member] = (["owner", "member"] as const).map((role) =>
        userIn({ [account]: role }),
      ) as [Actor, Actor]
      const create = (actor: Actor, change: KeyChange) =>
        keys.create(actor, { ...change, account, name: "key" })
      return { store, keys, accounts, rules, account, owner, member, create }
    }

    test("restrict the keys that members create and change", async () => {
      const { store, keys, rules, account, owner, member, create } = await opened()
      await using _ = store
      const { id } = await create(member, {})
      await rules.change(owner, account, RULES)
      expect(await rules.find(member, account)).toEqual(RULES)
      for (const [change, parameter, limit] of EXCESSES) {
        const errors = [
          await errorOf(create(member, { ...FITTING, ...change })),
          await errorOf(keys.change(member, id, change)),
        ]
        for (const { kind, message, details } of errors) {
          expect({ change, kind, parameter: details.parameter }).toEqual({
            change,
            kind: "invalid_value",
            parameter,
          })
          expect(message).toContain(limit)
        }
      }
      // An older key that exceeds the rules can still be renamed, paused and revoked.
      await keys.change(member, id, { name: "renamed", is_paused: true })
      await keys.change(member, id, { daily_budget: "1", models: ["local/llama"] })
      await keys.revoke(member, id)
      const fitting = await create(member, FITTING)
      expect((await keys.find(member, fitting.id)).daily_budget?.limit).toBe("2.5")
    })

    test("allow members who may not create keys only to lower the limits of a key", async () => {
      const { store, keys, rules, account, owner, member, create } = await opened()
      await using _ = store
      const limits = {
        models: ["openai/gpt-*"],
        budget: "5",
        daily_budget: "2",
        monthly_budget: "4",
      }
      const { id } = await create(member, limits)
      const free = await create(member, {})
      await rules.change(owner, account, memberKeyRules.parse({ may_create: false }))
      for (const [name, limit] of Object.entries(limits)) {
        const higher = name === "models" ? ["openai/*"] : "5.000000001"
        for (const wider of [null, higher]) {
          const error = await errorOf(keys.change(member, id, { [name]: wider }))
          expect(error).toMatchObject({ kind: "invalid_value", details: { parameter: name } })
          expect(error.message).toContain(String(limit))
        }
      }
      await keys.change(member, id, { ...limits, name: "unchanged limits" })
      await keys.change(member, id, { models: ["openai/gpt-6"], budget: "1", daily_budget: "1" })
      await keys.change(member, free.id, { budget: "1", models: null })
      await keys.change(owner, id, { models: null, budget: null })
    })

    test("do not restrict owners and operators", async () => {
      const { store, keys, rules, account, owner, member, create } = await opened()
      await using _ = store
      await rules.change(owner, account, { ...RULES, may_create: false })
      expect(await errorOf(create(member, FITTING))).toMatchObject({ kind: "forbidden" })
      for (const actor of [owner, OPERATOR, COMMAND_LINE]) {
        const { id } = await create(actor, {})
        await keys.change(actor, id, { budget: "1000" })
      }
    })

    test("can be changed by owners and operators only", async () => {
      const { store, rules, account, member } = await opened()
      await using _ = store
      const viewer = userIn({ [account]: "viewer" })
      const stranger = userIn({ other: "owner" })
      expect(await kindOf(rules.change(member, account, RULES))).toBe("forbidden")
      expect(await kindOf(rules.change(viewer, account, RULES))).toBe("forbidden")
      expect(await kindOf(rules.change(stranger, account, RULES))).toBe("not_found")
      expect(await kindOf(rules.find(stranger, account))).toBe("not_found")
      expect(await rules.find(viewer, account)).toEqual(memberKeyRules.parse({}))
      await rules.change(OPERATOR, account, RULES)
      const [record] = await store.audit.list({ action: "account.member_keys" }, null, 10)
      expect(record?.account).toBe(account)
    })

    test("stay unchanged when the account's limits change", async () => {
      const { store, accounts, rules, account, owner } = await opened()
      await using _ = store
      await rules.change(owner, account, RULES)
      await accounts.change(COMMAND_LINE, account, { max_keys: 10 })
      expect(await rules.find(owner, account)).toEqual(RULES)
      await rules.change(owner, account, memberKeyRules.parse({}))
      expect(await rules.find(owner, account)).toEqual(memberKeyRules.parse({}))
      expect((await accounts.find(owner, account)).max_keys).toBe(10)
    })
  },
)
