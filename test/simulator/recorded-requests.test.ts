import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { startSimulator } from "../../simulator/server.ts"
import { FOLDER, HAS_FIXTURES, recorded, WITHOUT_FIXTURES } from "./recorded-keys.ts"

/** How to send the requests of a vendor, and the allowed reasons for rejections by the simulator. */
interface Vendor {
  readonly folder: string
  readonly headers: Record<string, string>
  readonly path: (url: string) => string
  /**
   * Matches requests that the simulator may reject: they contain signatures or stored objects from elsewhere, or the
   * vendor rejects them now.
   */
  readonly excused: RegExp
}

const VENDORS: Vendor[] = [
  {
    folder: "anthropic-messages",
    headers: { "x-api-key": "any", "anthropic-version": "2023-06-01" },
    path: () => "/v1/messages",
    excused: /Invalid `signature` in `thinking` block|^output_format: Extra inputs/,
  },
  {
    folder: "openai-responses",
    headers: { authorization: "Bearer any" },
    path: () => "/v1/responses",
    excused: /^The encrypted content|^Background mode|^Conversation with id/,
  },
  {
    folder: "bedrock-converse",
    headers: { authorization: "Bearer any" },
    path: (url) => url.slice(url.indexOf("/model/")),
    excused: /Invalid `signature` in `thinking` block|s3Uri|^A conversation must alternate/,
  },
]

for (const { folder, headers, path, excused } of VENDORS) {
  test.skipIf(!HAS_FIXTURES)(
    `the simulator accepts the recorded requests that ${folder} accepted${WITHOUT_FIXTURES}`,
    async () => {
      await using simulator = startSimulator()
      const rejected: string[] = []
      let taken = 0
      for (const file of readdirSync(join(FOLDER, folder))) {
        const { request, response } = recorded(`${folder}/${file.replace(/\.json$/, "")}`)
        if (response.status !== 200 || request.body?.json === undefined) continue
        const body = JSON.stringify(request.body.json)
        const address = simulator.url + path(request.url)
        const answer = await fetch(address, { method: "POST", headers, body })
        const text = await answer.text()
        if (answer.ok) taken++
        else if (!excused.test(messageOf(text))) rejected.push(`${file}: ${text}`)
      }
      expect(rejected).toEqual([])
      expect(taken).toBeGreaterThan(25)
    },
  )
}

function messageOf(text: string): string {
  const { error, message } = JSON.parse(text) as { error?: { message: string }; message?: string }
  return error?.message ?? message ?? ""
}
