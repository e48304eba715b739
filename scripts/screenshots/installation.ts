import { databaseOf } from "../../src/store/installation-database.ts"
import type { Posting } from "../../src/store/settlements.ts"
import type { Store } from "../../src/store/store.ts"
import { runJson, type Installation } from "../../test/support/process.ts"
import { type Caller, historyOf } from "./history.ts"

const NODE = "node_history"
const POSTINGS_PER_BATCH = 500

/** Settings in which the simulator imitates five vendors. */
export function simulatedSettings(simulatorUrl: string): string {
  return `
admin_token: simulated-admin-token
providers:
  openai: { vendor: openai, api_key: simulated, base_url: "${simulatorUrl}/vendors/openai/v1" }
  anthropic: { vendor: anthropic, api_key: simulated, base_url: "${simulatorUrl}/vendors/anthropic" }
  google: { vendor: google, api_key: simulated, base_url: "${simulatorUrl}/vendors/google" }
  groq: { vendor: groq, api_key: simulated, base_url: "${simulatorUrl}/vendors/groq/v1" }
  mistral: { vendor: mistral, api_key: simulated, base_url: "${simulatorUrl}/vendors/mistral/v1" }
`
}

const ACCOUNTS = [
  { name: "acme", credits: "900", keys: ["backend", "support-bot", "research"], weight: 6 },
  { name: "northwind", credits: "400", keys: ["production", "staging"], weight: 3 },
  { name: "globex", credits: "60", keys: ["agents"], weight: 1 },
]

/**
 * Creates accounts, keys and two months of requests.
 * @returns a key that requests can use.
 */
export async function fillInstallation(installation: Installation): Promise<string> {
  const callers: Caller[] = []
  let secret = ""
  for (const { name, credits, keys, weight } of ACCOUNTS) {
    await runJson(installation, "account", "create", name, "--credits", credits)
    for (const key of keys) {
      const words = ["key", "create", "--account", name, "--name", key]
      const created = await runJson<CreatedKey>(installation, ...words)
      callers.push({ account: created.account, key: created.id, weight: weight / keys.length })
      if (secret === "") secret = created.key
    }
  }
  await using store = await databaseOf({ data: installation.data }).openStore()
  await post(store, callers)
  return secret
}

interface CreatedKey {
  readonly id: string
  readonly account: string
  readonly key: string
}

async function post(store: Store, callers: readonly Caller[]): Promise<void> {
  let postings: Posting[] = []
  const flush = async () => {
    await store.settlements.post(NODE, { postings, opened: [], closed: [] })
    postings = []
  }
  for (const posting of historyOf(callers, { requests: 18_000, days: 60, to: Date.now() })) {
    postings.push(posting)
    if (postings.length === POSTINGS_PER_BATCH) await flush()
  }
  await flush()
}
