import { expect, test } from "bun:test"
import { route } from "tollgate-contract/route.ts"
import * as z from "zod"
import { adminApp } from "../../../src/http/admin/app.ts"
import { responseOf } from "../../../src/http/admin/response.ts"
import { type AdminFrame, endpoints } from "../../../src/http/admin/endpoint.ts"
import { PersonLimits } from "../../../src/http/admin/person-limits.ts"
import { minJsonLength } from "../../../src/canon/json-length.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"

const MEGABYTE = 1024 * 1024

test("a long response reserves memory, and is rejected above the user's memory limit", () => {
  const budget = new MemoryBudget(8 * MEGABYTE)
  const open = () => budget.open({ id: "user 1", account: "user 1" })
  const long = { text: "a".repeat(MEGABYTE) }
  expect(responseOf("req_1", long, open())).toMatchObject({
    headers: { "cache-control": "no-store", "x-request-id": "req_1" },
    body: JSON.stringify(long),
  })
  expect(budget.held).toBeGreaterThan(2 * MEGABYTE)
  expect(() => responseOf("req_2", long, open())).toThrow(
    "hold the memory that this response needs",
  )
})

test("memory is reserved before the text of a response is built", () => {
  const budget = new MemoryBudget(8 * MEGABYTE)
  let built = 0
  const element = { text: "a".repeat(MEGABYTE), toJSON: () => (built += 1) }
  const open = () => budget.open({ id: "user 1", account: "user 1" })
  responseOf("req_1", { text: "a".repeat(MEGABYTE) }, open())
  expect(() => responseOf("req_2", [element], open())).toThrow("hold the memory")
  expect(built).toBe(0)
})

test.each([
  ["texts", { a: ["b", "cd"], e: "" }],
  ["other values", [1, 10, null, true, false, undefined, {}, [], [[]]]],
  ["members without a value", { a: undefined, b: { c: undefined } }],
  ["escaped characters", ['"\n', "\u0000"]],
])("the calculated minimum JSON length of %s does not exceed the actual length", (_, value) => {
  expect(minJsonLength(value)).toBeLessThanOrEqual(JSON.stringify(value).length)
})

test("a short response reserves no memory", async () => {
  const budget = new MemoryBudget(8 * MEGABYTE)
  const response = responseOf("req_1", { text: "a" }, budget.open({ id: "a", account: "a" }))
  expect(budget.held).toBe(0)
  expect(response).toBeInstanceOf(Response)
})

test("the members of an account share the memory of long responses", async () => {
  const routes = {
    "GET /long": route({
      summary: "Read a long text",
      minimumRole: "session",
      response: z.object({ text: z.string() }),
    }),
  }
  const long = { text: "a".repeat(MEGABYTE) }
  const memory = new MemoryBudget(8 * MEGABYTE)
  const admit = async ({ headers }: Request) => ({
    kind: "user",
    id: headers.get("test-person"),
    roles: new Map([[headers.get("test-account"), "member"]]),
  })
  const handler = adminApp(endpoints(routes, { "GET /long": () => long }), {
    guard: { admit },
    events: { errorAnswered() {} },
    memory,
    limits: new PersonLimits(),
    publicUrl: () => undefined,
  } as unknown as AdminFrame)
  const connection = { address: null, origin: undefined, waitLong() {}, waitShort() {} }
  const ask = (person: string, account: string) =>
    handler(
      new Request("http://localhost/admin/v1/long", {
        headers: { "test-person": person, "test-account": account },
      }),
      connection,
    )
  const unread = [await ask("1", "a"), await ask("2", "a")]
  expect(unread.map(({ status }) => status)).toEqual([200, 200])
  expect((await ask("3", "a")).status).toBe(503)
  const other = await ask("4", "b")
  expect(await other.json()).toEqual(long)
  await Promise.all(unread.map((response) => response.body?.cancel()))
  expect(memory.held).toBe(0)
})
