import { expect, test } from "bun:test"
import { join } from "node:path"
import { loadSettings } from "../../src/config/load.ts"
import { describeSettings } from "../../src/config/describe.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { Folder, load, problems } from "./harness.ts"

const MEBIBYTE = 1024 * 1024

test("request logging is off by default", () => {
  expect(load("").settings.log).toEqual({ requests: false, queueBytes: 16 * MEBIBYTE })
  expect(load("log: { requests: true, file: }").settings.log).toEqual({
    requests: true,
    queueBytes: 16 * MEBIBYTE,
  })
})

test("a log file path is relative to the settings file", () => {
  using folder = new Folder()
  folder.write("log: { queue_mb: 2, file: { path: log/requests.jsonl, rotate_mb: 5, keep: 2 } }")
  expect(loadSettings(folder.options({})).settings.log).toEqual({
    requests: false,
    queueBytes: 2 * MEBIBYTE,
    file: { path: join(folder.path, "log/requests.jsonl"), rotateBytes: 5 * MEBIBYTE, keep: 2 },
  })
  expect(load("log: { file: { path: /var/log/requests.jsonl } }").settings.log.file).toEqual({
    path: "/var/log/requests.jsonl",
    rotateBytes: 100 * MEBIBYTE,
    keep: 10,
  })
})

test("the log address and the log bucket have default options", () => {
  const { http } = load("log: { http: { url: https://logs.example.com/x } }").settings.log
  expect(http).toEqual({
    url: "https://logs.example.com/x",
    headers: {},
    allowsPrivate: false,
    isCompressed: true,
    every: 5_000,
  })
  const keys = "access_key_id: id, secret_access_key: key"
  const { bucket } = load(`log: { s3: { bucket: b, prefix: /a//b, ${keys} } }`).settings.log
  expect(bucket).toEqual({
    place: { bucket: "b", accessKeyId: "id", secretAccessKey: "key" },
    prefix: "a/b/",
    allowsPrivate: false,
    every: 300_000,
  })
})

test("secrets of log sinks are neither shown nor logged", () => {
  const secret = "canary-secret-77"
  const keys = `access_key_id: ${secret}1, secret_access_key: ${secret}2`
  const http = `url: "https://logs.example.com/x?token=${secret}3", headers: { a: "Bearer ${secret}4" }`
  const { settings } = load(`log: { http: { ${http} }, s3: { bucket: b, ${keys} } }`)
  const shown = JSON.stringify(describeSettings(settings))
  expect(shown).not.toContain(secret)
  expect(shown).toContain("logs.example.com")
  const known = secretsOf(settings)
  for (const end of ["1", "2", "4"]) expect(known).toContain(secret + end)
  expect(known).toContain(`https://logs.example.com/x?token=${secret}3`)
})

test.each([
  ["log: { file: {} }", "log.file.path: is missing"],
  ["log: { file: ./requests.jsonl }", "log.file: must hold names with values"],
  ["log: { file: { path: a, rotate_mb: 0 } }", "log.file.rotate_mb: must be a number from 1"],
  ["log: { file: { path: a, keep: 1.5 } }", "log.file.keep: must be a whole number"],
  ["log: { file: { path: a, count: 1 } }", "count"],
  ["log: { http: {} }", "log.http.url: is missing"],
  ["log: { http: { url: logs } }", "log.http.url: must be an address that starts with http"],
  [
    "log: { http: { url: 'https://a:b@logs' } }",
    "log.http.url: must not hold a user name or password",
  ],
  ["log: { s3: { bucket: b } }", "log.s3.access_key_id: is missing"],
  ["log: { queue_mb: 0 }", "log.queue_mb: must be a number from 1"],
])("invalid log settings are rejected: %s", (text, words) => {
  expect(problems(text).join("\n")).toContain(words)
})
