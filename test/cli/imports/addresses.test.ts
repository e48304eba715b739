import { expect, test } from "bun:test"
import { addressOf } from "../../../src/cli/import/addresses.ts"

test.each([
  ["openai", "https://api.openai.com/v1", { vendor: "openai" }],
  ["openai", "https://api.openai.com:443/v1/", { vendor: "openai" }],
  [
    "openai",
    "https://api.openai.com:8443/v1",
    { vendor: "openai", baseUrl: "https://api.openai.com:8443/v1" },
  ],
  [
    "openai",
    "http://api.groq.com:8080/openai/v1",
    { vendor: "groq", baseUrl: "http://api.groq.com:8080/openai/v1" },
  ],
  [
    "anthropic",
    "https://api.anthropic.com:8443/v1",
    { vendor: "anthropic", baseUrl: "https://api.anthropic.com:8443" },
  ],
  ["anthropic", "https://api.anthropic.com", { vendor: "anthropic" }],
] as const)("import keeps the port in the URL of %s: %s", (vendor, stated, address) => {
  expect(addressOf(vendor, stated)).toEqual(address)
})
