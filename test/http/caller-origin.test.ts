import { expect, test } from "bun:test"
import { callerOrigin } from "../../src/http/caller-origin.ts"

const OWN = "http://127.0.0.1:8787"

test.each([
  "http://127.0.0.1:9000",
  "http://localhost:8787",
  "http://192.168.1.5:8787",
  "http://[::1]:8787",
  "http://[fd00::1]:8787",
  "http://tollgate:8787",
  "http://tollgate.models.svc.cluster.local",
  "http://gateway.internal",
  "http://app.localhost:8787",
])("the gateway trusts an origin in a private network: %s", (origin) => {
  expect(callerOrigin(`${origin}/v1/images/generations`, OWN)).toBe(origin)
})

test.each([
  "http://evil.example",
  "http://ai.example.com:8787",
  "http://8.8.8.8",
  "http://[2606:4700::1111]:8787",
  "http://internal.example.com",
])("the gateway does not trust an origin on the public internet: %s", (origin) => {
  expect(callerOrigin(`${origin}/v1/images/generations`, OWN)).toBe(OWN)
})

test("the gateway trusts its own listening address, even if the address is public", () => {
  const own = "http://8.8.8.8:8787"
  expect(callerOrigin(`${own}/v1/images/generations`, own)).toBe(own)
})
