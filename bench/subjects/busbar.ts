import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { firstLineOf, missingProgram, PEERS } from "./peers-folder.ts"
import { prepareServer } from "./prepare-server.ts"
import { freePort } from "./server-process.ts"
import type { Subject } from "./subject.ts"

const PROGRAM = join(PEERS, "bin/busbar")
const MANY = 100_000

/**
 * Busbar, set up as described at the beginning of its guide: without an authentication chain, groups or a rate card.
 */
export const busbar: Subject = {
  name: "busbar",
  work: {
    language: "Rust",
    auth: "none (its chain is empty)",
    money: "none (no budgets, no rate card)",
    durability: "none (its store is in memory)",
    log: "none",
  },
  missing: () => missingProgram(PROGRAM),
  version: () => firstLineOf(PROGRAM, "--version").replace(/^busbar /, ""),
  async prepare(upstream) {
    return prepareServer({
      name: "busbar",
      healthPath: "/healthz",
      headers: { authorization: "Bearer none" },
      messagesPath: "/echo/v1/messages",
      model: (model) => model,
      environment: (_, directory) => ({
        BUSBAR_CONFIG: join(directory, "config.yaml"),
        BUSBAR_ADMIN_TOKEN: "bench",
        UPSTREAM_KEY: "upstream",
      }),
      command(port, directory) {
        writeFileSync(join(directory, "providers.yaml"), providers(upstream.url))
        writeFileSync(join(directory, "config.yaml"), settings(port))
        return [PROGRAM]
      },
    })
  },
}

function providers(url: string): string {
  return `bench: { protocol: openai, base_url: "${url}", error_map: {} }\n`
}

function settings(port: number): string {
  const models = ["echo", "fault-stall", "embed", "transcribe"].map(
    (name) => `  ${name}: { provider: bench, max_concurrent: ${MANY}, max_requests: -1 }\n`,
  )
  return `listen: "127.0.0.1:${port}"
admin_listen: "127.0.0.1:${freePort()}"
auth: { chain: [] }
providers:
  bench: { api_key: { env: UPSTREAM_KEY } }
models:
${models.join("")}`
}
