import { expect, test } from "bun:test"
import { LEDGERS } from "../../support/databases.ts"
import { IS_EXHAUSTIVE, sampleOf } from "../../support/exhaustive.ts"
import { recordReadRows } from "../../support/read-rows.ts"
import { CASES } from "./matrix-cases.ts"
import { type Asking, type Case, startWorld, type World } from "./matrix-world.ts"

// A member's request must not become slower with the number of other accounts. The rows of other accounts that it reads
// show that it reads all accounts.

const MEMBERS = ["viewer", "member", "owner"] as const
type MemberRole = (typeof MEMBERS)[number]

const DAY = new Date().toISOString().slice(0, 10)

/** Variants of requests that are not in the role matrix. */
const VARIANTS: readonly Case[] = [
  ...["created_at", "name", "balance", "spent_30_days", "last_used_at", "days_left"].map(
    (sort): Case => ({
      route: "GET /accounts",
      ask: () => ({ query: `sort=${sort}&usage=true&limit=200` }),
    }),
  ),
  ...["account", "key", "model", "provider", "day", "user"].map((group): Case => ({
    route: "GET /usage",
    ask: () => ({
      query: `from=${DAY}T00:00:00Z&to=${DAY}T23:59:59Z&group=${group}&before=true&times=true&series=hour`,
    }),
  })),
  {
    route: "GET /users/{id}/export",
    ask: async ({ gateway, headersOf }, role) => {
      const session = await fetch(`${gateway.url}/admin/v1/session`, { headers: headersOf(role) })
      const { user } = (await session.json()) as { readonly user: { readonly id: string } }
      return { path: { id: user.id } }
    },
  },
  { route: "GET /members" },
  { route: "GET /members/invitations" },
  { route: "GET /notices/targets" },
  { route: "GET /usage/requests", ask: () => ({ query: `from=${DAY}T00:00:00Z&step=hour` }) },
  { route: "GET /receipts", ask: () => ({ query: "search=a" }) },
  { route: "GET /requests", ask: () => ({ query: "search=a" }) },
]

test.each(Object.entries(LEDGERS).filter(([name]) => !name.includes("journal")))(
  "a member's request reads no rows of other accounts from %s",
  async (name, ledger) => {
    using read = recordReadRows()
    await using world = await startWorld(await ledger())
    read.rows.length = 0
    const cases = [...CASES, ...VARIANTS].filter(({ endsSession }) => endsSession !== true)
    // `npm test` sends each request as one of the members, who differ between the databases.
    const offset = name === "SQLite" ? 0 : 1
    for (const [index, one] of cases.entries()) {
      for (const role of sampleOf(MEMBERS, MEMBERS.length, index + offset)) {
        await send(world, one, role)
      }
    }
    // Requests that prepare the requests of members have the admin token, which is not a person.
    const people = new Set(read.rows.map(({ person }) => person))
    expect(people.size).toBe(MEMBERS.length)
    expect(read.rows.length).toBeGreaterThan(IS_EXHAUSTIVE ? 500 : 150)
    const foreign = read.rows.filter(({ row }) =>
      world.theirs.secrets.some((secret) => row.includes(secret)),
    )
    expect([...new Set(foreign.map(({ text }) => text.trim()))]).toEqual([])
  },
)

async function send(world: World, one: Case, role: MemberRole): Promise<void> {
  const asking: Asking = (await one.ask?.(world, role)) ?? {}
  const [method = "", pattern = ""] = one.route.split(" ")
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => asking.path?.[name] ?? "")
  const response = await fetch(
    `${world.gateway.url}/admin/v1${path}${asking.query === undefined ? "" : `?${asking.query}`}`,
    {
      method,
      redirect: "manual",
      headers: {
        ...world.headersOf(role),
        ...(asking.body !== undefined && { "content-type": "application/json" }),
      },
      ...(asking.body !== undefined && { body: JSON.stringify(asking.body) }),
    },
  )
  await response.arrayBuffer()
}
