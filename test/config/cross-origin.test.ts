import { expect, test } from "bun:test"
import { load, problems } from "./harness.ts"

test("allowed origins are read from the settings, and no origin is allowed by default", () => {
  const text = 'cors: { origins: ["https://app.example.com/", "http://localhost:3000"] }'
  expect(load(text).settings.corsOrigins).toEqual([
    "https://app.example.com",
    "http://localhost:3000",
  ])
  expect(load('cors: { origins: ["*"] }').settings.corsOrigins).toEqual(["*"])
  expect(load("").settings).not.toHaveProperty("corsOrigins")
})

test.each(["app.example.com", "https://app.example.com/page", "null", "https://*.example.com"])(
  "%s is not a valid origin",
  (origin) => {
    expect(problems(`cors: { origins: ["${origin}"] }`).join("\n")).toContain("must be an origin")
  },
)
