import { afterAll, beforeAll, expect, test } from "bun:test"
import type { MinimumRole } from "tollgate-contract/route.ts"
import { ROUTES } from "tollgate-contract/routes.ts"
import { PersonLimits } from "../../../src/http/admin/person-limits.ts"
import { provider, type TestGateway } from "../../support/gateway.ts"
import { TurnCounter } from "../../support/turn-counter.ts"
import { ask, asked, startManaged } from "./support.ts"

const PASSWORD = "correct horse battery"
/** Maximum CPU time of this process in a turn of the event loop, in which the test reads its responses as well. */
const MAX_TURN_MS = 200

/** Vendors with many known models. */
const VENDORS = ["openai", "anthropic", "google", "mistral", "openrouter", "together", "fireworks"]

let gateway: TestGateway
let account: string
let member: { readonly url: string; readonly headers: Record<string, string> }

beforeAll(async () => {
  gateway = await startManaged({
    providersAt: (url) =>
      Object.fromEntries(
        VENDORS.map((id) => [id, { ...provider(`${url}/v1`, id), knownModels: true }]),
      ),
  })
  account = String((await asked(gateway, "POST", "/accounts", { name: "a" })).id)
  const order = { account, email: "member@example.com", role: "member" }
  const { link } = await asked(gateway, "POST", "/members/invitations", order)
  const token = new URL(String(link)).searchParams.get("token") ?? ""
  const headers = { "x-tollgate-console": "1" }
  const joined = await ask({ url: gateway.url, headers }, "POST", `/invitations/${token}/accept`, {
    name: "Member",
    password: PASSWORD,
  })
  const cookie = joined.headers.getSetCookie().map((each) => each.split(";")[0])
  member = { url: gateway.url, headers: { ...headers, cookie: cookie.join("; ") } }
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

/** Returns the maximum CPU time in milliseconds of a turn of the event loop until the work has ended. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  const state = { isOver: false }
  const ended = work.finally(() => (state.isOver = true))
  let longest = 0
  while (!state.isOver) {
    const before = process.cpuUsage()
    await new Promise((resolve) => setImmediate(resolve))
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
  }
  await ended
  return longest
}

/** Every list and report that a member may request. */
const PATHS = Object.entries<{ readonly minimumRole: MinimumRole }>(ROUTES)
  .filter(([name, { minimumRole }]) => /^GET [^{]*$/.test(name) && minimumRole !== "operator")
  .map(([name]) => name.slice("GET ".length))

test.each([...PATHS, "/models?limit=10000", "/models?search=a"])(
  "30 requests for %s do not block the event loop for other requests",
  async (path) => {
    const query = /^[/](keys|receipts|usage|failures|members|audit)/.test(path)
      ? `?account=${account}`
      : ""
    const first = await ask(member, "GET", path + query)
    await first.text()
    const statuses: number[] = []
    const all = Array.from({ length: 30 }, async () => {
      const response = await ask(member, "GET", path + query)
      statuses.push(response.status)
      await response.body?.cancel()
    })
    expect(await longestTurn(Promise.all(all))).toBeLessThan(MAX_TURN_MS)
    expect(new Set(statuses)).toEqual(new Set([first.status]))
  },
)

test("cancelled and unread downloads do not count toward the limit of running requests", async () => {
  const path = `/accounts/${account}/statement?from=2026-01-01&to=2026-01-31&format=csv`
  for (let count = 0; count < 10; count++) {
    await ask(member, "HEAD", path)
    const response = await ask(member, "GET", path)
    await response.body?.cancel()
  }
  const aborted = Array.from({ length: 20 }, async () => {
    const controller = new AbortController()
    const { url, headers } = member
    const asked = fetch(`${url}/admin/v1${path}`, { headers, signal: controller.signal })
    controller.abort()
    await asked.catch(() => undefined)
  })
  await Promise.all(aborted)
  const response = await ask(member, "GET", path)
  expect(await response.text()).toContain("closing balance")
})

test("the export of a user's data is written over many event-loop turns", async () => {
  const name = "x".repeat(100)
  const models = Array.from({ length: 100 }, (_, index) => `openai/${name}${index}`)
  const key = await asked(member, "POST", "/keys", { account, name, models })
  for (let count = 0; count < 50; count++) {
    await asked(member, "PATCH", `/keys/${key.id}`, { name: name.slice(count) })
  }
  const { user } = (await asked(member, "GET", "/session")) as { user: { id: string } }
  using turns = new TurnCounter()
  const { audit } = await asked(member, "GET", `/users/${user.id}/export`)
  expect((audit as unknown[]).length).toBeGreaterThan(50)
  expect(turns.count).toBeGreaterThan(10)
})

test("each user can have at most 8 running and 64 queued requests", async () => {
  const limits = new PersonLimits()
  const end = Promise.withResolvers<void>()
  let running = 0
  const run = (id: string) =>
    limits.run(id, async () => {
      running += 1
      await end.promise
      running -= 1
      return {}
    })
  const accepted = Array.from({ length: 72 }, () => run("a"))
  expect(running).toBe(8)
  await expect(run("a")).rejects.toMatchObject({ kind: "concurrent_requests_exceeded" })
  const other = run("b")
  expect(running).toBe(9)
  end.resolve()
  await Promise.all([...accepted, other])
  expect(running).toBe(0)
  await run("a")
})

test("each user and each account can run only one search at a time", async () => {
  const limits = new PersonLimits()
  const searches = ["a1", "a1", "a2", "b", "a1", "a2"]
  const running = new Set<string>()
  const started: string[] = []
  const search = (id: string) =>
    limits.search({ id, account: id.slice(0, 1) }, async () => {
      const account = id.slice(0, 1)
      expect(running.has(account)).toBe(false)
      running.add(account)
      started.push(id)
      await new Promise((resolve) => setImmediate(resolve))
      running.delete(account)
      return id
    })
  expect(await Promise.all(searches.map(search))).toEqual(searches)
  expect(started).toEqual(["a1", "b", "a2", "a1", "a2", "a1"])
})

test("many searches by one user do not delay the lists of another user", async () => {
  const ended: string[] = []
  const read = async (name: string, path: string, of: Parameters<typeof ask>[0]) => {
    const response = await ask(of, "GET", path)
    await response.text()
    ended.push(name)
  }
  const searches = Array.from({ length: 8 }, () =>
    read("search", `/failures?account=${account}&search=provider`, member),
  )
  const list = read("list", `/failures?account=${account}`, gateway)
  await Promise.all([...searches, list])
  expect(ended.indexOf("list")).toBeLessThan(4)
})

test("a streamed response counts as a running request until it ends", async () => {
  const limits = new PersonLimits()
  const end = Promise.withResolvers<void>()
  for (let count = 0; count < 8; count++) await limits.run("a", async () => ({ end: end.promise }))
  let hasRun = false
  const waiting = limits.run("a", async () => {
    hasRun = true
    return {}
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasRun).toBe(false)
  end.resolve()
  await waiting
})

test("a failed request stops counting as running", async () => {
  const limits = new PersonLimits()
  const failed = Array.from({ length: 20 }, () =>
    limits.run("a", async () => {
      throw new Error("failed")
    }),
  )
  const results = await Promise.allSettled(failed)
  expect(results.every(({ status }) => status === "rejected")).toBe(true)
  expect(await limits.run("a", async () => ({}))).toEqual({})
})
