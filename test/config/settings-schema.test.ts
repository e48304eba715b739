import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { z } from "zod"
import { SETTINGS_SCHEMA } from "../../scripts/settings-schema.ts"

const SCHEMA = z.fromJSONSchema(JSON.parse(readFileSync(SETTINGS_SCHEMA, "utf8")))

function isValid(text: string): boolean {
  return SCHEMA.safeParse(parse(text)).success
}

test.each([
  "",
  "server: { port: 8787, workers: '${WORKERS}', watchdog: off, trusted_proxies: [10.0.0.0/8] }",
  "server:\ndatabase:\nproviders:\n",
  "x-shared: [1]\nmultiplier: 1.25\naliases: a=openai/gpt-5.4",
  "aliases: { fast: groq/llama }\nunknown_models: { price: { input: 5, output: 25 } }",
  "limits: { body_mb: 1.5, media_private: true }\ntimeouts: { connect: 500ms, total: 90 }",
  "log: { file: { path: requests.jsonl, rotate_mb: 10 }, http: { url: 'https://logs.example.com' } }",
  "providers: { a: { vendor: openai, api_keys: [one, { name: two, api_key: b }], headers: { x-team: c } } }",
  "models: { a/b: { kind: chat, price: { input: 0.1, image: { default: 4 } }, rules: { tools: false } } }",
  "price_groups: { partners: { terms: [{ from: '2027-01-01', multiplier: 0.9 }] } }",
])("the editor schema accepts %s", (text) => {
  expect(isValid(text === "" ? "{}" : text)).toBe(true)
})

test.each([
  "serve: { port: 1 }",
  "server: { prot: 1 }",
  "server: { port: 65536 }",
  "server: { workers: 1.5 }",
  "routing: { strategy: fastest }",
  "limits: { media_private: maybe }",
  "database: { settle: later }",
  "providers: { a: { api_key: secret } }",
  "providers: { a: { vendor: openia } }",
  "models: { a/b: { kind: video } }",
  "stripe: { key: a }",
])("the editor schema rejects %s", (text) => {
  expect(isValid(text)).toBe(false)
})
