import { expect, test } from "bun:test"
import { startVendor, streamed, WHOLE_STREAM, wholeResponse } from "../relay/scripted-vendor.ts"
import { createInstallation, runCommand } from "../support/process.ts"

const LIMITS = "context: 100000, max_output: 1000"

interface Verdict {
  readonly served: number
  readonly charged: string
  readonly overspent: string
  readonly lost: readonly string[]
}

async function drill(words: readonly string[], price = "{ input: 1, output: 2 }") {
  let responses = 0
  using vendor = startVendor(() =>
    responses++ % 2 === 0
      ? streamed([WHOLE_STREAM])
      : Response.json(wholeResponse("one two three")),
  )
  using installation = createInstallation(`
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${vendor.url}" }
models:
  vendor/echo: { price: ${price}, ${LIMITS} }
`)
  return await runCommand(installation, "drill", "--model", "vendor/echo", ...words)
}

test("the drill command reports the number of requests, and that all of them were charged", async () => {
  const { stdout, stderr, exitCode } = await drill(["--time", "2s", "--yes", "--json"])
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 })
  const { served, charged, overspent, lost } = JSON.parse(stdout) as Verdict
  expect(served).toBeGreaterThan(0)
  expect(Number(charged)).toBeGreaterThan(0)
  expect({ overspent, lost }).toEqual({ overspent: "0", lost: [] })
})

test("the drill command does not count responses of a free model as lost", async () => {
  const words = ["--time", "1s", "--yes", "--json"]
  const { stdout, stderr, exitCode } = await drill(words, "{ input: 0, output: 0 }")
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 })
  const { served, charged, overspent, lost } = JSON.parse(stdout) as Verdict
  expect(served).toBeGreaterThan(0)
  expect({ charged, overspent, lost }).toEqual({ charged: "0", overspent: "0", lost: [] })
})

test("the drill command requires a confirmation", async () => {
  const { stderr, exitCode } = await drill([])
  expect(exitCode).toBe(2)
  expect(stderr).toContain("Add --yes if it is a copy")
})
