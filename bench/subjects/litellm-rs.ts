import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Upstream } from "../upstream.ts"
import { missingFile, peerFolder } from "./peers-folder.ts"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const VERSION = "0.9.0"
const PROGRAM = join(peerFolder("litellm-rs"), "bin/gateway")

/** The gateway of the crate litellm-rs. The crate is not part of LiteLLM. */
export const litellmRs: Subject = {
  name: "litellm-rs",
  work: {
    language: "Rust",
    auth: "none (anonymous callers allowed)",
    money: "no holds and no limits; a cost is computed from its own list",
    durability: "none (no database)",
    log: "none",
  },
  installation: {
    needs: ["cargo"],
    commands: (folder) => [
      [
        ..."cargo install --locked --features gateway,sqlite --root".split(" "),
        folder,
        "--version",
        VERSION,
        "litellm-rs",
      ],
    ],
  },
  missing: () => missingFile("litellm-rs", PROGRAM),
  version: () => VERSION,
  async prepare(upstream) {
    return prepareServer({
      name: "litellm-rs",
      healthPath: "/health",
      headers: {},
      model: (model) => model,
      command(port, directory) {
        const file = join(directory, "gateway.yaml")
        writeFileSync(file, settings(port, upstream))
        return [PROGRAM, "--config", file]
      },
    })
  },
}

function settings(port: number, upstream: Upstream): string {
  return `schema_version: "1.0"
server: { host: "127.0.0.1", port: ${port}, dev_mode: true }
providers:
  - name: bench
    provider_type: openai
    api_key: sk-upstream-upstream-upstream
    base_url: "${upstream.baseUrl}"
    timeout: 600
    max_retries: 0
    models: [echo, fault-stall, embed, transcribe]
    enabled: true
router: { strategy: round_robin }
storage:
  database: { url: "sqlite::memory:", enabled: false }
  redis: { url: "redis://127.0.0.1:6379", enabled: false }
auth: { enable_jwt: false, enable_api_key: false, allow_anonymous: true, jwt_secret: "" }
monitoring: { metrics: { enabled: false }, tracing: { enabled: false }, health: { path: "/health" } }
cache: { enabled: false }
pricing: { source: "embedded://model_prices_extended", unpriced_model_policy: allow_unpriced }
rate_limit: { enabled: false }
`
}
