import { createPrivateKey, generateKeyPairSync } from "node:crypto"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { parseFacts } from "../src/catalog/prices/facts-schema.ts"
import { keyId, publicText, writeFeed } from "../src/catalog/prices/feed.ts"

const usage = `usage: npm run prices:feed -- --key FILE [--facts FILE] [--out FILE]
       npm run prices:feed -- --new-key FILE

Signs a list of known prices for 'tollgate prices update'.

  --key FILE       a private Ed25519 key, PEM
  --facts FILE     default src/catalog/facts.json
  --out FILE       default dist/prices.json
  --new-key FILE   makes a private key, and prints its public one for the setting prices.keys
`

async function main(): Promise<number> {
  const text = { type: "string" } as const
  const { values } = parseArgs({ options: { key: text, facts: text, out: text, "new-key": text } })
  if (values["new-key"] !== undefined) return makeKey(values["new-key"])
  if (values.key === undefined) {
    console.error(usage)
    return 2
  }
  const root = join(import.meta.dir, "..")
  const content = await Bun.file(values.facts ?? join(root, "src/catalog/facts.json")).text()
  const facts = parseFacts(content)
  if ("fault" in facts) throw new Error(`not a list of prices: ${facts.fault}`)
  const key = createPrivateKey(await Bun.file(values.key).text())
  const out = values.out ?? join(root, "dist/prices.json")
  await Bun.write(out, writeFeed(content, key))
  console.log(`${out}: of ${facts.date}, signed with ${keyId(publicText(key))}`)
  return 0
}

async function makeKey(path: string): Promise<number> {
  if (await Bun.file(path).exists()) throw new Error(`${path} is there already`)
  const { privateKey } = generateKeyPairSync("ed25519")
  await Bun.write(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  console.log(publicText(privateKey))
  return 0
}

if (import.meta.main) process.exitCode = await main()
