import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keyQuery } from "tollgate-contract/keys.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { Accounts } from "../../src/management/accounts.ts"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Keys } from "../../src/management/keys.ts"
import { ENGINES } from "../store/engines.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Operations on a key of another person. */
const OPERATIONS: Readonly<
  Record<string, (keys: Keys, actor: Actor, id: string) => Promise<unknown>>
> = {
  rename: (keys, actor, id) => keys.change(actor, id, { name: "renamed" }),
  "raise the budget": (keys, actor, id) => keys.change(actor, id, { budget: "1000" }),
  "open to all models": (keys, actor, id) => keys.change(actor, id, { models: null }),
  pause: (keys, actor, id) => keys.change(actor, id, { is_paused: true }),
  rotate: (keys, actor, id) => keys.rotate(actor, id, 0),
  revoke: (keys, actor, id) => keys.revoke(actor, id),
}

type Outcome = "forbidden" | "not_found" | undefined

interface Person {
  readonly name: string
  readonly actor: (account: string) => Actor
  readonly outcome: Outcome
}

const CREATOR = "user_creator"

/** Actors for a key that the user `CREATOR` created as a member. */
const PEOPLE: readonly Person[] = [
  {
    name: "its creator",
    actor: (account) => creatorIn({ [account]: "member" }),
    outcome: undefined,
  },
  {
    name: "its creator as an owner",
    actor: (account) => creatorIn({ [account]: "owner" }),
    outcome: undefined,
  },
  {
    name: "its creator as a viewer",
    actor: (account) => creatorIn({ [account]: "viewer" }),
    outcome: "forbidden",
  },
  { name: "its creator who has left", actor: () => creatorIn({}), outcome: "not_found" },
  { name: "another owner", actor: (account) => userIn({ [account]: "owner" }), outcome: undefined },
  {
    name: "another member",
    actor: (account) => userIn({ [account]: "member" }),
    outcome: "forbidden",
  },
  { name: "a viewer", actor: (account) => userIn({ [account]: "viewer" }), outcome: "forbidden" },
  {
    name: "an owner of another account",
    actor: () => userIn({ other: "owner" }),
    outcome: "not_found",
  },
  { name: "an operator", actor: () => OPERATOR, outcome: undefined },
  { name: "the command line", actor: () => COMMAND_LINE, outcome: undefined },
  {
    name: "the admin token",
    actor: () => ({ ...COMMAND_LINE, kind: "admin_token" }),
    outcome: undefined,
  },
]

function creatorIn(roles: Parameters<typeof userIn>[0]): Actor {
  return { ...userIn(roles), id: CREATOR }
}

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))(
  "key ownership on %s",
  (_, engine) => {
    test("allows changes only by owners, operators and the creator", async () => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-ownership-"))
      folders.push(folder)
      await using store = await engine.open(folder)
      const audit = new Audit(store)
      const keys = new Keys(store, audit, new KeyHasher("pepper"))
      const { id: account } = await new Accounts(store, audit).create(COMMAND_LINE, {
        name: "ours",
      })
      const creator = creatorIn({ [account]: "member" })
      for (const { name, actor, outcome } of PEOPLE) {
        for (const [operation, perform] of Object.entries(OPERATIONS)) {
          const { id } = await keys.create(creator, {
            account,
            name: "key",
            budget: "1",
            models: ["a/*"],
          })
          const asking = actor(account)
          const before = await store.keys.find(id)
          const seen = await kindOf(perform(keys, asking, id))
          expect([name, operation, seen]).toEqual([name, operation, outcome])
          if (outcome !== undefined) expect(await store.keys.find(id)).toEqual(before)
          expect((await store.keys.find(id))?.createdBy).toBe(CREATOR)
          if (outcome === "not_found") continue
          const shown = await keys.find(asking, id)
          expect([name, shown.may_change]).toEqual([name, outcome === undefined])
          const { data } = await keys.list(asking, { account, limit: 1 })
          expect(data[0]?.may_change).toBe(outcome === undefined)
        }
      }
    })

    test("lists the keys created by one user", async () => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-ownership-"))
      folders.push(folder)
      await using store = await engine.open(folder)
      const audit = new Audit(store)
      const keys = new Keys(store, audit, new KeyHasher("pepper"))
      const { id: account } = await new Accounts(store, audit).create(COMMAND_LINE, {
        name: "ours",
      })
      const creator = creatorIn({ [account]: "member" })
      const owner = userIn({ [account]: "owner" })
      for (const maker of [creator, owner, COMMAND_LINE, creator]) {
        await keys.create(maker, { account, name: "key" })
      }
      const creators = async (actor: Actor, query: Readonly<Record<string, string>>) =>
        (await keys.list(actor, keyQuery.parse(query))).data.map((key) => key.created_by)
      expect(await creators(creator, { mine: "true" })).toEqual([CREATOR, CREATOR])
      expect(await creators(creator, { mine: "true", status: "revoked" })).toEqual([])
      expect(await creators(owner, { mine: "true", account })).toEqual([owner.id])
      expect(await creators(COMMAND_LINE, { mine: "true" })).toEqual([])
      const all = await creators(owner, {})
      expect(all.toSorted()).toEqual([CREATOR, CREATOR, owner.id, null].toSorted())
      expect(await creators(owner, { mine: "false" })).toHaveLength(4)
    })

    test("allows owners but not members to change a key that an operator created", async () => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-ownership-"))
      folders.push(folder)
      await using store = await engine.open(folder)
      const audit = new Audit(store)
      const keys = new Keys(store, audit, new KeyHasher("pepper"))
      const { id: account } = await new Accounts(store, audit).create(COMMAND_LINE, {
        name: "ours",
      })
      for (const maker of [COMMAND_LINE, OPERATOR]) {
        const { id } = await keys.create(maker, { account, name: "key" })
        const [member, owner] = [userIn({ [account]: "member" }), userIn({ [account]: "owner" })]
        expect(await kindOf(keys.rotate(member, id, 0))).toBe("forbidden")
        expect(await kindOf(keys.rotate(owner, id, 0))).toBeUndefined()
        expect((await store.keys.find(id))?.createdBy).toBe(maker.kind === "user" ? maker.id : null)
      }
    })
  },
)
