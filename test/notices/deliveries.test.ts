import { afterEach, expect, setSystemTime, test } from "bun:test"
import { SecretCipher } from "../../src/config/secret-cipher.ts"
import { type Channel, DeliveryError } from "../../src/notices/channels/channel.ts"
import { Deliveries, encryptionContext } from "../../src/notices/deliveries.ts"
import type { NoticeMessage } from "../../src/notices/message.ts"
import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { until } from "../support/until.ts"
import { AUDIT } from "../store/audit-record.ts"
import { TestDatabase } from "../store/test-database.ts"

const SECOND = 1_000
const NEVER = 1_000_000

afterEach(() => setSystemTime())

/** Creates a webhook as the only target. The test sets its behavior. */
async function withTarget(send: Channel["send"]) {
  const database = await TestDatabase.open()
  await database.account("acc", 0n)
  const { store } = database
  const cipher = new SecretCipher(new SecretFolder(database.directory.path))
  const target = {
    channel: "webhook",
    hint: "https://example.com",
    types: null,
    balanceBelow: null,
    createdAt: 1,
  } as const
  const add = (id: string, account = "acc") => {
    const destination = JSON.stringify({ address: "https://a.example" })
    const encrypted = cipher.encrypt(encryptionContext(id), destination)
    return store.notices.insertTarget({ ...target, id, account, encrypted }, AUDIT)
  }
  await add("target")
  const failures: unknown[] = []
  const channel = { send }
  const deliveries = new Deliveries({
    store,
    cipher,
    channels: { webhook: channel, slack: channel, email: channel },
    alarms: { noticesFailed: (error) => failures.push(error) },
    every: NEVER,
  })
  const raise = (id: string) =>
    store.notices.raise({ id, account: "acc", type: "test", at: Date.now(), data: "{}" }, null)
  const fate = async () => (await store.notices.list(null, null, 1))[0]?.deliveries[0]
  return {
    store,
    deliveries,
    add,
    raise,
    fate,
    async [Symbol.asyncDispose]() {
      await deliveries[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test("a notice is sent once, and contains the name of its account and its target", async () => {
  const sent: [NoticeMessage, unknown][] = []
  await using world = await withTarget(async (message, destination) => {
    sent.push([message, destination])
  })
  const { deliveries, raise, fate } = world
  await raise("one")
  await deliveries.deliverNow()
  await deliveries.deliverNow()
  expect(await fate()).toMatchObject({ state: "delivered", attempts: 1, error: null })
  expect(sent).toMatchObject([
    [{ id: "one", account: { id: "acc", name: "name of acc" } }, { address: "https://a.example" }],
  ])
})

test("a failed notice is retried at increasing intervals, and dropped after three days", async () => {
  let attempts = 0
  await using world = await withTarget(async () => {
    attempts++
    throw new DeliveryError("it answered with status 500")
  })
  const { deliveries, raise, fate } = world
  const begun = Date.now()
  await raise("one")
  const pauses: number[] = []
  for (;;) {
    await deliveries.deliverNow()
    const found = await fate()
    if (found?.state !== "pending") break
    pauses.push(Math.round((found.at - Date.now()) / (10 * SECOND)) * 10)
    setSystemTime(found.at)
  }
  expect(pauses.slice(0, 4)).toEqual([10, 60, 300, 1_800])
  expect(attempts).toBe(10)
  const days = (Date.now() - begun) / 86_400_000
  expect(days).toBeGreaterThan(2.8)
  expect(await fate()).toMatchObject({ state: "failed", error: "it answered with status 500" })
})

test("a slow receiver does not delay other notices beyond its own deadline", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sent: string[] = []
  await using world = await withTarget(async ({ id }) => {
    if (id === "slow") await promise
    sent.push(id)
  })
  const { deliveries, raise } = world
  await raise("slow")
  await raise("quick")
  const all = deliveries.deliverNow()
  await until(() => sent.length === 1)
  expect(sent).toEqual(["quick"])
  resolve()
  await all
  expect(sent).toEqual(["quick", "slow"])
})

test("targets of one account that never respond do not delay notices of other accounts", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sent: string[] = []
  await using world = await withTarget(async ({ id }) => {
    if (id.startsWith("slow")) await promise
    sent.push(id)
  })
  const { store, deliveries, add, raise } = world
  await store.accounts.create({ id: "other", name: "other", createdAt: 1 }, AUDIT)
  await add("others", "other")
  for (let number = 0; number < 9; number++) await add(`target${number}`)
  for (let number = 0; number < 5; number++) await raise(`slow${number}`)
  const all = deliveries.deliverNow()
  const quick = { id: "quick", account: "other", type: "test", at: Date.now(), data: "{}" }
  await store.notices.raise(quick, null)
  void deliveries.deliverNow()
  await until(() => sent.length > 0)
  expect(sent).toEqual(["quick"])
  resolve()
  await all
  expect(sent).toHaveLength(51)
})

test("accounts with many overdue notices are served in turn", async () => {
  const ends: (() => void)[] = []
  const sent: string[] = []
  await using world = await withTarget(async ({ id }) => {
    sent.push(id)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    await promise
  })
  const { store, deliveries, add } = world
  const raise = (id: string, account: string) =>
    store.notices.raise({ id, account, type: "test", at: Date.now(), data: "{}" }, null)
  for (let number = 0; number < 5; number++) {
    const account = `slow${number}`
    await store.accounts.create({ id: account, name: account, createdAt: 1 }, AUDIT)
    for (const part of ["a", "b"]) await add(`slow${number}${part}`, account)
    for (let count = 0; count < 20; count++) await raise(`${account}-${count}`, account)
  }
  const all = deliveries.deliverNow()
  await until(() => sent.length === 20)
  await raise("quick", "acc")
  ends.shift()?.()
  await until(() => sent.length === 21)
  expect(sent.at(-1)).toBe("quick")
  const end = deliveries[Symbol.asyncDispose]()
  for (const resolve of ends) resolve()
  await Promise.all([all, end])
})

test("a channel error does not stop other deliveries, and a lost key is reported with the remedy", async () => {
  await using world = await withTarget(async () => {
    throw new Error("a bug with a secret in it")
  })
  const { store, deliveries, raise, fate } = world
  await raise("one")
  await deliveries.deliverNow()
  expect(await fate()).toMatchObject({ error: "it could not be sent", state: "pending" })
  const [target] = await store.notices.targets(null)
  await store.notices.removeTarget("target", AUDIT)
  await store.notices.insertTarget({ ...target!, encrypted: "1.changed" }, AUDIT)
  await raise("two")
  await deliveries.deliverNow()
  expect((await fate())?.state).toBe("failed")
  expect((await fate())?.error).toContain("remove it and add it again")
})
