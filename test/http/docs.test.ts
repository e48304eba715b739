import { afterAll, beforeAll, expect, test } from "bun:test"
import { startManaged } from "./admin/support.ts"
import type { TestGateway } from "../support/gateway.ts"
import { threadTimeUsed } from "../support/processor-time.ts"

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, { summary: string; security: unknown[] }>>
  readonly components: { readonly schemas: Record<string, unknown> }
}

let gateway: TestGateway
let document: Document

beforeAll(async () => {
  gateway = await startManaged({ settings: { metrics: { host: "", token: "any" } } })
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

test("the OpenAPI document is built once, so that repeated requests do not block the event loop", async () => {
  const before = threadTimeUsed()
  for (let time = 0; time < 50; time++) {
    await (await fetch(`${gateway.url}/openapi.json`)).arrayBuffer()
  }
  expect(threadTimeUsed() - before).toBeLessThan(700)
})

const SPECIFIED = [
  ["GET", "/v1beta/models"],
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1/messages"],
  ["POST", "/v1/responses"],
  ["POST", "/v1/responses/compact"],
  ["POST", "/v1/embeddings"],
  ["POST", "/v1/rerank"],
  ["POST", "/v1/images/generations"],
  ["POST", "/v1/images/edits"],
  ["POST", "/v1/images/variations"],
  ["POST", "/v1/audio/speech"],
  ["POST", "/v1/audio/transcriptions"],
  ["POST", "/v1/audio/translations"],
] as const

test("the OpenAPI document describes every endpoint of the service", () => {
  for (const [method, path] of SPECIFIED) {
    expect(document.paths[path]?.[method.toLowerCase()]?.summary).toBeString()
  }
})

test("the OpenAPI document declares the idempotency key on endpoints that support it", () => {
  const takesKey = (method: string, path: string): boolean =>
    JSON.stringify(document.paths[path]?.[method] ?? {}).includes('"idempotency-key"')
  for (const [method, path] of SPECIFIED) {
    expect([path, takesKey(method.toLowerCase(), path)]).toEqual([path, method === "POST"])
  }
  expect(takesKey("post", "/v1/messages/count_tokens")).toBe(false)
  expect(takesKey("post", "/v1/estimate")).toBe(false)
  expect(takesKey("post", "/admin/v1/accounts/{id}/entries")).toBe(true)
  expect(takesKey("post", "/admin/v1/keys/{id}/rotate")).toBe(true)
  expect(takesKey("get", "/admin/v1/keys")).toBe(false)
})

test("every documented endpoint exists and requires the documented credentials", async () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const address = gateway.url + path.replaceAll(/\{\w+\}/g, "none")
      const response = await fetch(address, { method: method.toUpperCase() })
      const text = await response.text()
      expect([path, response.status]).not.toEqual([path, 405])
      expect(text).not.toContain("/docs lists")
      if (operation.security.length > 0) expect([path, response.status]).toEqual([path, 401])
      else expect([path, response.status]).not.toEqual([path, 500])
    }
  }
})

test("the OpenAPI document declares schemas once and references them", () => {
  expect(document.openapi).toBe("3.1.0")
  expect(Object.keys(document.components.schemas)).toContain("Account")
  const list = JSON.stringify(document.paths["/admin/v1/accounts"])
  expect(list).toContain("#/components/schemas/Account")
})

test("the API description is also available as a page without scripts", async () => {
  const response = await fetch(`${gateway.url}/docs`)
  const page = await response.text()
  expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'; style")
  expect(page).not.toContain("<script")
  for (const path of Object.keys(document.paths)) {
    if (path.startsWith("/v1")) expect(page).toContain(`<code>${path}</code>`)
  }
  expect(page).toContain("<code>/keys/{id}/rotate</code>")
  expect(page).toContain("<code>anthropic-version</code>")
  expect(page).not.toContain("`")
})

test("API documents can only be read", async () => {
  for (const path of ["/docs", "/openapi.json", "/", "/console"]) {
    const response = await fetch(gateway.url + path, { method: "POST", body: "x" })
    expect(response.status).toBe(405)
    await response.body?.cancel()
  }
})

test.each(["/", "/console"])("%s redirects to the console", async (path) => {
  const response = await fetch(gateway.url + path, { redirect: "manual" })
  expect(response.status).toBe(302)
  expect(response.headers.get("location")).toBe("/console/")
})
