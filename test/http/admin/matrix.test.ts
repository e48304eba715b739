import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import Ajv from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { MinimumRole } from "tollgate-contract/route.ts"
import { CASES } from "./matrix-cases.ts"
import { type Asking, type Case, type Role, ROLES, startWorld, type World } from "./matrix-world.ts"

interface Operation {
  readonly "x-least"?: MinimumRole
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
}

const PREFIX = "/admin/v1"
let world: World
let document: Document
const ajv = new Ajv({ strict: false, allErrors: false })
addFormats.default(ajv)

beforeAll(async () => {
  world = await startWorld()
  document = (await (await fetch(`${world.gateway.url}/openapi.json`)).json()) as Document
  ajv.addSchema(document, "document")
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

test("the role matrix contains exactly the routes of the management API", () => {
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    path.startsWith(PREFIX)
      ? Object.keys(operations).map(
          (method) => `${method.toUpperCase()} ${path.slice(PREFIX.length)}`,
        )
      : [],
  )
  expect(CASES.map(({ route }) => route).toSorted()).toEqual(routes.toSorted())
})

describe.each(CASES.map((one) => [one.route, one] as const))("%s", (route, one) => {
  test.each([...ROLES])("returns the expected status to the role %s", async (role) => {
    const asking = (await one.ask?.(world, role)) ?? {}
    const response = await send(one, role, asking)
    const text = await response.text()
    const answer = `${route} as ${role}: ${response.status} ${text.slice(0, 300)}`
    const expected = expectedStatus(one, minOf(route), role)
    expect(answer).toStartWith(`${route} as ${role}: ${expected} `)
    expect(response.headers.get("x-request-id")).toStartWith("req_")
    expect(response.headers.get("cache-control")).toBe("no-store")
    for (const secret of unknownTo(one, role, asking)) expect(text).not.toContain(secret)
    if (text === "") return
    const type = response.headers.get("content-type") ?? ""
    expect(type).toMatch(/^(application\/(json|zip)|text\/csv)/)
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    if (response.ok && type.startsWith("application/json")) fitsContract(route, JSON.parse(text))
  })
})

function minOf(route: string): MinimumRole {
  const [method = "", path = ""] = route.split(" ")
  const min = document.paths[PREFIX + path]?.[method.toLowerCase()]?.["x-least"]
  if (min === undefined) throw new Error(`there is no ${route}`)
  return min
}

async function send(one: Case, role: Role, asking: Asking): Promise<Response> {
  const [method = "", pattern = ""] = one.route.split(" ")
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => asking.path?.[name] ?? "")
  const query = asking.query === undefined ? "" : `?${asking.query}`
  const own = one.endsSession ? await world.newSession(role) : world.headersOf(role)
  return fetch(`${world.gateway.url}${PREFIX}${path}${query}`, {
    method,
    redirect: "manual",
    headers: { ...own, ...(asking.body !== undefined && { "content-type": "application/json" }) },
    ...(asking.body !== undefined && { body: JSON.stringify(asking.body) }),
  })
}

const RANKS: Partial<Record<Role, number>> = { viewer: 1, member: 2, owner: 3 }
const NEEDED: Partial<Record<MinimumRole, number>> = { viewer: 1, member: 2, owner: 3 }

function expectedStatus(one: Case, min: MinimumRole, role: Role): number {
  const ok = one.ok ?? 200
  if (role === "key") return 403
  if (role === "nobody" && min !== "anyone") return 401
  if (one.but?.[role] !== undefined) return one.but[role]
  if (min === "anyone" || role === "operator" || role === "admin") return ok
  if (min === "operator") return 403
  if (role === "stranger") return one.isOurs ? 404 : ok
  return (RANKS[role] ?? 0) >= (NEEDED[min] ?? 0) ? ok : 403
}

/** Returns the values that a response must not contain: those of the other account, except values in the request. */
function unknownTo(one: Case, role: Role, asking: Asking): readonly string[] {
  if (role === "operator" || role === "admin") return []
  const { ours, theirs } = world
  const named = JSON.stringify([asking, one.tells])
  const unknown = role === "stranger" ? ours.secrets : theirs.secrets
  const secrets = role === "nobody" ? [...ours.secrets, ...theirs.secrets] : unknown
  return secrets.filter((secret) => !named.includes(secret))
}

/** Asserts that a response has all required fields, and no fields that are not in the contract. */
function fitsContract(route: string, body: unknown): void {
  const [method = "", path = ""] = route.split(" ")
  const place = [`paths`, PREFIX + path, method.toLowerCase(), "responses", "200"]
  const steps = [...place, "content", "application/json", "schema"]
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll("/", "~1"))).join("/")
  const validate = ajv.getSchema(`document#/${pointer}`)
  if (!validate) return
  void validate(body)
  expect({ route, faults: validate.errors ?? [] }).toEqual({ route, faults: [] })
}
