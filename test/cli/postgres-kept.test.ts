import { SQL } from "bun"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type ScriptedVendor, startVendor, wholeResponse } from "../relay/scripted-vendor.ts"
import { migratedDatabase } from "../support/postgres-databases.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"

const CHAT = "/v1/chat/completions"
const HELLO = { model: "vendor/echo", messages: [{ role: "user", content: "Hello" }] }
/** A text that is too long for one row of a stored file, and too long to be kept in memory. */
const LONG = "tea and cake ".repeat(100_000)

let databaseUrl: string
let vendor: ScriptedVendor
/** Returns the vendor's next response. */
let response: () => Response | Promise<Response>
let installations: Installation[]
let key: string
/** Two machines that share only a database. */
let one: ServingProcess
let other: ServingProcess

beforeAll(async () => {
  vendor = startVendor(() => response())
  databaseUrl = await migratedDatabase()
  const yaml = `
server: { port: 0 }
database: { url: "${databaseUrl}" }
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${vendor.url}" }
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
  vendor/dall-e-2: { kind: image, price: { image: 1000 } }
`
  installations = [createInstallation(yaml), createInstallation(yaml)]
  const [first, second] = installations as [Installation, Installation]
  await runJson(first, "account", "create", "caller", "--credits", "10")
  key = (await runJson<{ key: string }>(first, "key", "create", "--account", "caller")).key
  ;[one, other] = await Promise.all([startServing(first), startServing(second)])
})

afterAll(async () => {
  await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()])
  for (const installation of installations) installation[Symbol.dispose]()
  vendor[Symbol.dispose]()
})

function send(
  serving: ServingProcess,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const authorization = `Bearer ${key}`
  return fetch(serving.url + path, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
}

test("simultaneous requests with the same idempotency key on several machines run once", async () => {
  let calls = 0
  const end = Promise.withResolvers<void>()
  response = async () => {
    calls++
    await end.promise
    return Response.json(wholeResponse("only one"))
  }
  const headers = { "idempotency-key": "two" }
  const asked = [one, other, one, other].map(async (serving) =>
    (await send(serving, CHAT, HELLO, headers)).text(),
  )
  await until(() => calls > 0)
  end.resolve()
  const responses = await Promise.all(asked)
  expect(responses[0]).toContain("only one")
  expect(new Set(responses).size).toBe(1)
  expect(calls).toBe(1)
})

test("an image link is valid on each machine", async () => {
  const imageBytes = Buffer.alloc(700_000, "image")
  response = () =>
    Response.json({ created: 1, data: [{ b64_json: imageBytes.toString("base64") }] })
  const order = { model: "vendor/dall-e-2", prompt: "a barn", response_format: "url" }
  const made = await send(one, "/v1/images/generations", order)
  const { data } = (await made.json()) as { data: { url: string }[] }
  const { pathname, search } = new URL(data[0]?.url ?? "")
  const found = await fetch(other.url + pathname + search)
  expect(found.status).toBe(200)
  expect(Buffer.from(await found.bytes()).equals(imageBytes)).toBe(true)
  expect((await fetch(`${other.url}${pathname}?signature=0`)).status).toBe(404)
})

test("a conversation continues on another machine", async () => {
  response = () => Response.json(wholeResponse("I remember"))
  const asked = await send(one, "/v1/responses", { model: "vendor/echo", input: "My name is Ann" })
  const { id } = (await asked.json()) as { id: string }
  let next: Response | undefined
  await until(async () => {
    next = await send(other, "/v1/responses", {
      model: "vendor/echo",
      input: "Who am I?",
      previous_response_id: id,
    })
    return next.status === 200
  })
  expect(JSON.stringify(vendor.bodies.at(-1))).toContain("My name is Ann")
})

test("a retry on another machine reports that the response was not stored, and charges nothing", async () => {
  await using sql = new SQL(databaseUrl, { max: 1 })
  await sql.unsafe(`
    CREATE FUNCTION reject_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$;
    CREATE TRIGGER rejects BEFORE UPDATE ON idempotency FOR EACH ROW WHEN (NEW.state = 'kept')
      EXECUTE FUNCTION reject_answer()`)
  let calls = 0
  response = () => {
    calls++
    return Response.json(wholeResponse("heard once"))
  }
  const headers = { "idempotency-key": "lost" }
  const first = await send(one, CHAT, HELLO, headers)
  expect(await first.text()).toContain("heard once")
  const again = await send(other, CHAT, HELLO, headers)
  expect(again.status).toBe(409)
  expect(await again.text()).toContain(first.headers.get("x-request-id") ?? "no id")
  expect(calls).toBe(1)
  await sql.unsafe("DROP TRIGGER rejects ON idempotency")
})

test("a stored response is available on all machines, even after its machine stops", async () => {
  let calls = 0
  response = () => Response.json(wholeResponse(`${LONG}${++calls}`))
  const headers = { "idempotency-key": "one" }
  const first = await (await send(one, CHAT, HELLO, headers)).text()
  expect(first).toContain("tea and cake 1")
  one.process.kill("SIGKILL")
  await one.process.exited
  const again = await send(other, CHAT, HELLO, headers)
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect(await again.text()).toBe(first)
  expect(calls).toBe(1)
})
