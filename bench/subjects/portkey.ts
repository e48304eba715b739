import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const PEERS = process.env["TOLLGATE_BENCH_PEERS"] ?? join(tmpdir(), "tollgate-bench-peers")
// With a later node-server its streams end in "TypeError: immutable" (Portkey-AI/gateway, issue 1389).
const PACKAGES = "--legacy-peer-deps @portkey-ai/gateway@1.15.2 @hono/node-server@1.13.8"
const SERVER = join(PEERS, "node_modules/@portkey-ai/gateway/build/start-server.js")

/** Portkey's gateway, on Node, for which it is made. */
export const portkey: Subject = {
  name: "portkey",
  missing() {
    if (Bun.which("node") === null) return "needs node"
    if (existsSync(SERVER)) return undefined
    return `not installed; do it with: npm install --prefix ${PEERS} ${PACKAGES}`
  },
  async prepare(upstream) {
    return prepareServer({
      name: "portkey",
      healthPath: "/",
      headers: {
        authorization: "Bearer upstream",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": upstream.baseUrl,
      },
      model: (model) => model,
      command: (port) => ["node", SERVER, `--port=${port}`, "--headless"],
    })
  },
}
