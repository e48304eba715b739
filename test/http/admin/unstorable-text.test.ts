import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { TestGateway } from "../../support/gateway.ts"
import { LEDGERS } from "../../support/databases.ts"
import { ask, errorOf, startManaged } from "./support.ts"

const PREFIX = "/admin/v1"
const METHODS = ["get", "post", "put", "patch", "delete"] as const

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Cursors that belong to no list. They are base64url of these texts. */
const CURSORS = [
  ["a\0b"],
  [1, "a\0b"],
  [1e308],
  [1.5],
  [-1],
  [2 ** 60, "x"],
  ["x", 1.5],
  [""],
  ["x"],
  [1],
]

/**
 * Texts that no database can store. UTF-8 cannot encode lone surrogates, so a query can contain them only in a JSON
 * escape.
 */
const TEXTS = { NUL: "a\0b", "a half character": "a\ud800b" }

for (const [name, settings] of Object.entries(LEDGERS).slice(0, 2)) {
  describe(`the management API on ${name}`, () => {
    let gateway: TestGateway
    let routes: readonly Route[]
    beforeAll(async () => {
      gateway = await startManaged({ settings: await settings() })
      const response = await fetch(`${gateway.url}/openapi.json`)
      const { paths } = (await response.json()) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
      }
      routes = Object.entries(paths)
        .filter(([path]) => path.startsWith(PREFIX))
        .flatMap(([path, operations]) =>
          METHODS.flatMap((method) => {
            const operation = operations[method]
            return operation ? [{ method, path: path.slice(PREFIX.length), operation }] : []
          }),
        )
    })
    afterAll(() => gateway[Symbol.asyncDispose]())

    const plain = (path: string): string => path.replaceAll(/\{[^}]+\}/g, "x")

    test("rejects a NUL character in any query parameter, and names the parameter", async () => {
      let count = 0
      for (const { method, path, operation } of routes) {
        for (const parameter of operation.parameters ?? []) {
          if (parameter.in !== "query") continue
          const response = await ask(gateway, method, `${plain(path)}?${parameter.name}=%00x`)
          const place = `${method} ${path} ${parameter.name}`
          expect(`${place}: ${response.status}`).toBe(`${place}: 400`)
          expect((await errorOf(response)).param).toBe(parameter.name)
          count++
        }
      }
      expect(count).toBeGreaterThan(60)
    })

    test("rejects a NUL character in any path segment", async () => {
      let count = 0
      for (const { method, path } of routes) {
        for (const [part] of path.matchAll(/\{[^}]+\}/g)) {
          for (const text of ["%00", "a%00b"]) {
            const response = await ask(gateway, method, plain(path.replace(part, text)))
            expect(`${method} ${path} ${text}: ${response.status}`).toContain(": 400")
            await response.body?.cancel()
            count++
          }
        }
      }
      expect(count).toBeGreaterThan(60)
    })

    test("rejects text that cannot be stored in any body field, and names the field", async () => {
      let count = 0
      for (const { method, path, operation } of routes) {
        const schema = operation.requestBody?.content["application/json"]?.schema
        for (const member of Object.keys(schema?.properties ?? {})) {
          for (const text of Object.values(TEXTS)) {
            const response = await ask(gateway, method, plain(path), { [member]: text })
            const place = `${method} ${path} ${member}`
            expect(`${place}: ${response.status}`).toBe(`${place}: 400`)
            expect((await errorOf(response)).param).toBe(member)
            count++
          }
        }
      }
      expect(count).toBeGreaterThan(60)
    })

    test("rejects forged cursors without an internal error", async () => {
      let count = 0
      for (const { method, path, operation } of routes) {
        if (!(operation.parameters ?? []).some((one) => one.name === "cursor")) continue
        for (const position of CURSORS) {
          const cursor = Buffer.from(JSON.stringify(position)).toString("base64url")
          const response = await ask(gateway, method, `${plain(path)}?cursor=${cursor}`)
          const place = `${method} ${path} ${JSON.stringify(position)}`
          expect(`${place}: ${response.status}`).not.toContain(": 5")
          await response.body?.cancel()
          count++
        }
      }
      expect(count).toBeGreaterThan(60)
    })
  })
}

test("a management request body with over 20,000 values is rejected, even without a session", async () => {
  await using gateway = await startManaged()
  const body = `{"email":[${"1,".repeat(30_000)}1]}`
  const response = await fetch(`${gateway.url}${PREFIX}/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-tollgate-console": "1" },
    body,
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain("20,000 values")
})
